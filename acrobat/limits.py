"""The limits of kernels, tables and the run-time, in one place.

C++ has the same numbers in runtime/include/acrobat/limits.h. A generated program asserts at compile
time that the two agree (`aot/tables.py`), and so does the run-time when it loads a library.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# Operands of one kernel that have an offset per node: those of kind "gathered" and "gathered_row".
MAX_OPERANDS: Final = 64

# Instructions of one kernel. A longer computation is split into pieces whose results are stored:
# the time to compile a kernel grows with its instructions, and every kernel that reads an
# expression computes it again.
MAX_INSTRUCTIONS: Final = 128

# Instructions of a value that kernels recompute where they need it, although an earlier kernel has
# stored it; a value that takes more is read.
MAX_RECOMPUTED: Final = 16

# Rows of the tallest tile that a CPU kernel computes at once.
MAX_TILE: Final = 12

# Floats of a batch's temporaries on the CPU, chosen so that they stay in the last-level cache (10
# MiB): larger batches run slice by slice.
SLICE_FLOATS: Final = 5 << 19

# Dimensions of a tensor that an instance contains or a model returns.
MAX_RANK: Final = 3

# Data types of a model: the members of a union are the bits of a word.
MAX_DATA_TYPES: Final = 64

# Numbers that one mini-batch may turn into tensors.
MAX_SCALARS: Final = 1 << 22

# Alignment of records, weights and temporaries, in floats: a cache line and the widest vector.
ALIGN: Final = 16

# Floats of the smallest matrix of a table that nodes of a batch share if they chose the same one:
# for a smaller matrix, sharing saves less than finding these nodes costs.
LEAST_CHOSEN: Final = 1 << 11

# Floats of a table of matrices that CPU kernels read as packed copies, and in either direction.
MOST_PACKED: Final = 1 << 24

# Floats of one call's arena: offsets of operands are int32, counted in floats. The arena is
# followed by the numbers that became tensors, and by padding for kernels that read a vector past
# the end of a row.
ARENA_FLOATS: Final = (1 << 31) - 2 * MAX_SCALARS

# Elements of a weight that kernels read by row.
TABLE_FLOATS: Final = 1 << 31

# Hoisted nodes run ahead of time together with those of later depths, so that a batch has about
# HOISTED_ROWS nodes, from at least LEAST_DEPTHS_AHEAD depths.
HOISTED_ROWS: Final = 1024
LEAST_DEPTHS_AHEAD: Final = 16

# Operations of one static block. The time to lower a block grows faster than their number; and long
# runs of similar operations become blocks many of which are identical.
MAX_BLOCK_OPERATIONS: Final = 128

# Statements of a function that is inlined, far more than any hand-written cell has; and of the
# whole program: if inlining would exceed both this and twice the statements that the author wrote,
# fewer functions are inlined.
MAX_INLINED: Final = 2000
MAX_PROGRAM: Final = 8000

# Sets of weights and constants for which a function is duplicated; and sets of params objects, for
# which it must be duplicated.
MAX_CONTEXTS: Final = 64
MAX_GROUP_CONTEXTS: Final = 512

MAX_CONSTANTS: Final = 256  # items of a list or dict of the module that a model reads
# Iterations of a loop that is unrolled, and rows of a slice whose start depends on the instance.
MAX_UNROLLED: Final = 64
MAX_PARTS: Final = 16  # heads: parts of a tensor in a loop that is unrolled for them

# How deeply the source of one function may be nested: statements in statements (an `elif` is in the
# `else` of the `if` before it), and expressions in expressions.
MAX_NESTING: Final = 1000

# How deeply a type may be nested (`list[list[int]]` is 2 deep), and how many parts it may have.
MAX_TYPE_DEPTH: Final = 32
MAX_TYPE_PARTS: Final = 4096

# The names in C++.
CPP_NAMES: Final[Mapping[str, int]] = {
    "kMaxOperands": MAX_OPERANDS,
    "kMaxTile": MAX_TILE,
    "kSliceFloats": SLICE_FLOATS,
    "kMaxRank": MAX_RANK,
    "kMaxDataTypes": MAX_DATA_TYPES,
    "kMaxScalars": MAX_SCALARS,
    "kAlign": ALIGN,
    "kArenaFloats": ARENA_FLOATS,
    "kHoistedRows": HOISTED_ROWS,
    "kLeastDepthsAhead": LEAST_DEPTHS_AHEAD,
}
