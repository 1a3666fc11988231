"""Names that mean something to C++, to its preprocessor, to the run-time or to generated code, and
that a model may use all the same."""

from __future__ import annotations

import keyword

KEYWORDS = """
alignas alignof and_eq asm auto bitand bitor bool case catch char char8_t char16_t co_await
co_return co_yield compl concept const consteval constexpr constinit const_cast decltype default
delete do double dynamic_cast enum explicit export extern float friend goto inline int long match
mutable namespace new noexcept not_eq nullptr operator or_eq private protected public register
reinterpret_cast requires short signed sizeof static static_assert static_cast struct switch
template this thread_local throw type typedef typeid typename union unsigned using virtual void
volatile wchar_t xor xor_eq final override module
"""

MACROS = """
errno assert EOF NULL major minor linux unix stdin stdout stderr i386 INFINITY NAN INT64_MIN
INT_MAX UINT64_C offsetof va_list signbit isnan complex I BUFSIZ RAND_MAX SIGINT TRUE FALSE
ACROBAT_PROGRAM_ABI CHAR_BIT true false
"""

RUN_TIME = """
Context cx part f_results Handle Word Words acrobat std Fork Graph List list_get kPhases kBlockInfo
build_instance arguments results args noted branch r r0 node row_0 count_1 items_1_0 start_1 p1
p1_start p1_end done_1 next_1 mark_1 t1_0 v1 v1_x v2_n fn1 fn1_main out1 out1_main node_1 new_1
results_1 kernels_0 widths_0 fields_0 item_0 size_t int64_t uint32_t memcpy printf malloc free exit
abort read write open close y0 j1 gamma index main self branch_1
"""

RESERVED = "_ _X _x __x __x__ _1 a__b x_ __file _Bool __asm __int128"

UNICODE = """
ä größe αβγ 深さ имя áb 𐀀 é é_ ﬁ
"""

COPIES = """
f f_2 f_2_2 f_inner f_inner_2 f_result_0 step step_2 step_3
"""

BUILTINS = """
list tuple range len max min sum abs enumerate zip reversed sorted print type object str dict set
float bool int ops ab np
"""

LONG = " ".join("n" * k for k in (31, 32, 33, 299, 300)) + " " + "n" * 299 + "m"

_TRIED = " ".join([KEYWORDS, MACROS, RUN_TIME, RESERVED, UNICODE, COPIES, LONG])
NAMES = tuple(
    name
    for name in dict.fromkeys(_TRIED.split())
    if name.isidentifier() and not keyword.iskeyword(name)
)
# What a model may not call otherwise, where it needs them itself.
SHADOWED = tuple(BUILTINS.split())
