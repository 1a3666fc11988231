"""A batched module as C++ text: the compiled control flow, and the tables that the runtime reads.

Handles, ints, floats, booleans and pointers to records are plain C++ values; a function of the
module becomes a C++ function, its results a struct. The depth of the dataflow graph is counted as
the program runs (`cx.depth`): a node takes the current depth and advances it; the calls of an
`ab.parallel` start at the same depth and join at the maximum (paper: inline depth computation).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..analysis.bare_lists import bare_lists
from ..ir import batched as B
from ..ir import typed as T
from ..ir.types import Type
from ..kernels.printers.calling_convention import CompiledKernel
from ..kernels.printers.cuda.compiled import CudaKernels
from ..layout import Layout
from ..options import Options
from .branches import (
    emit_align,
    emit_ghost,
    emit_if,
    emit_mark,
    emit_match,
    emit_next_phase,
    emit_resume,
)
from .calls import emit_call, emit_parallel
from .cpp import cpp_type, load, store, variable
from .loops import emit_for, emit_map, emit_while
from .nodes import emit_run
from .program_context import BareList, ProgramContext
from .tables import program_tables
from .values import (
    EXPRESSIONS,
    emit_construct,
    emit_row_of,
    emit_unused,
    emit_value,
    emit_weight_reference,
)


def emit_let(cx: ProgramContext, stmt: B.Let) -> None:
    """`outs = rhs`."""
    cx.bindings[type(stmt.rhs)](cx, stmt.outs, stmt.rhs)


STATEMENTS: Mapping[type, Callable[[ProgramContext, Any], None]] = {
    B.Let: emit_let,
    B.Run: emit_run,
    B.Ghost: emit_ghost,
    B.Align: emit_align,
    B.Mark: emit_mark,
    B.Resume: emit_resume,
    B.If: emit_if,
    B.Match: emit_match,
    B.For: emit_for,
    B.While: emit_while,
    B.Map: emit_map,
}

BINDINGS: Mapping[type, Callable[[ProgramContext, tuple[T.Var, ...], Any], None]] = {
    **dict.fromkeys(EXPRESSIONS, emit_value),
    T.Call: emit_call,
    T.Parallel: emit_parallel,
    T.Construct: emit_construct,
    T.NextPhase: emit_next_phase,
    B.RowOf: emit_row_of,
    B.WeightReference: emit_weight_reference,
    B.Unused: emit_unused,
}


def new_context(layout: Layout, options: Options) -> ProgramContext:
    """A context with an empty text, to which statements of the batched IR can be written."""
    return ProgramContext(layout, options, STATEMENTS, BINDINGS)


def emit_program(
    layout: Layout, kernels: Mapping[str, CompiledKernel] | CudaKernels, options: Options
) -> str:
    """The text of the whole file. `kernels` are by name."""
    cx = new_context(layout, options)
    write = cx.write
    write("// Generated from the batched IR; do not edit.")
    write("#include <acrobat/generated.h>")
    if isinstance(kernels, CudaKernels):
        write("#include <acrobat/cuda/kernels.h>")
    write()
    write("using namespace acrobat;")
    write()
    program_tables(write, layout, kernels)
    write("namespace {")
    write()
    functions = layout.module.functions
    for f in functions.values():
        write(f"struct {cx.results_of(f.name)} {{ {_fields(f.results)}}};")
        write(f"{_signature(cx, f)};")
    write()
    for f in functions.values():
        _function(cx, f)
    write("}  // namespace")
    write()
    _entry(cx, functions[layout.module.entry])
    return write.text


def _fields(results: Sequence[Type]) -> str:
    return "".join(f"{cpp_type(t)} r{i}; " for i, t in enumerate(results))


def _signature(cx: ProgramContext, f: B.Function) -> str:
    params = "".join(f", {variable(v)}" for v in f.params)
    return f"{cx.results_of(f.name)} {cx.function(f.name)}([[maybe_unused]] Context& cx{params})"


def _function(cx: ProgramContext, f: B.Function) -> None:
    cx.bare_lists.update(dict.fromkeys(bare_lists(f.body), BareList()))
    cx.write(_signature(cx, f) + " {")
    with cx.write.indented():
        cx.write("cx.enter();")
        cx.region(f.body, ())
    cx.write("}")
    cx.write()


def _entry(cx: ProgramContext, f: B.Function) -> None:
    """The function that the runtime calls for every instance."""
    cx.write("void acrobat::build_instance(Context& cx, const Word* arguments, Word* results) {")
    with cx.write.indented():
        args = "".join(f", {load(f'arguments[{i}]', v.type)}" for i, v in enumerate(f.params))
        cx.write(f"auto r = {cx.function(f.name)}(cx{args});")
        for i, t in enumerate(f.results):
            cx.write(store(f"results[{i}]", t, f"r.r{i}"))
    cx.write("}")
