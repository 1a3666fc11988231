"""Right-hand sides that are one C++ expression, and data that is constructed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..ir import batched as B
from ..ir import typed as T
from ..ir.host_functions import HOST_FUNCTIONS
from ..ir.type_queries import rows_of
from ..ir.types import DataRef, IntType
from .cpp import atom, load, name_of, store, variable, word
from .identifiers import readable
from .lists import list_expression
from .literals import string
from .nodes import prefetch_notes
from .program_context import ProgramContext
from .scalars import scalar_expression

Outs = tuple[T.Var, ...]


def emit_value(cx: ProgramContext, outs: Outs, rhs: B.Rhs) -> None:
    """`out = expression`."""
    (out,) = outs
    cx.write(f"{variable(out)} = {EXPRESSIONS[type(rhs)](cx, rhs, out)};")


def emit_weight_reference(cx: ProgramContext, outs: Outs, rhs: B.WeightReference) -> None:
    """A weight that is read like an operand: such weights are at the beginning of the arena."""
    (out,) = outs
    cx.write(f"{variable(out)} = part(kWeightNode, {cx.layout.arena_weights[rhs.param]});")
    cx.weight_references[out] = rhs.param


def emit_row_of(cx: ProgramContext, outs: Outs, rhs: B.RowOf) -> None:
    """A row of a tensor."""
    (out,) = outs
    rows, size = rows_of(rhs.source.type)
    source, weight = name_of(rhs.source), cx.weight_references.get(rhs.source)
    if weight is None:
        index = f"{source}, {atom(rhs.index)}, {rows}, {size}"
        cx.write(f"{variable(out)} = Context::row_of({index});")
        return
    row = f"Context::gathered_row({string(weight)}, {atom(rhs.index)}, {rows})"
    cx.write(f"{variable(out)} = part({source}, {row} * {size});")
    prefetch_notes(cx, out, weight, size)


def emit_unused(cx: ProgramContext, outs: Outs, rhs: B.Unused) -> None:
    """A value that nothing reads."""
    cx.declare(outs)


def emit_construct(cx: ProgramContext, outs: Outs, rhs: T.Construct) -> None:
    """A data object: new words, for a tag and the fields."""
    data, new = cx.module.datas[rhs.data], f"new_{cx.number()}"
    cx.write(f"Word* {new} = cx.construct({data.tag}, {len(rhs.args)});  // {readable(data.name)}")
    for i, a in enumerate(rhs.args):
        cx.write(store(f"{new}[{i + 1}]", a.type, atom(a)))
    cx.write(f"{variable(outs[0])} = {new};")


def _view(cx: ProgramContext, rhs: B.View, out: T.Var) -> str:
    return f"part({name_of(rhs.source)}, {rhs.start})"


def _scalar_reference(cx: ProgramContext, rhs: B.ScalarReference, out: T.Var) -> str:
    return f"cx.scalar(static_cast<double>({atom(rhs.value)}))"


def _read(cx: ProgramContext, rhs: T.Read, out: T.Var) -> str:
    read = f"cx.read({name_of(rhs.tensor)})"
    return f"static_cast<int64_t>({read})" if isinstance(out.type, IntType) else read


def _narrow(cx: ProgramContext, rhs: T.Narrow, out: T.Var) -> str:
    return name_of(rhs.obj)


def _field(cx: ProgramContext, rhs: T.GetField, out: T.Var) -> str:
    assert isinstance(rhs.obj.type, DataRef)
    names = [n for n, _ in cx.module.datas[rhs.obj.type.name].fields]
    return load(f"{name_of(rhs.obj)}[{names.index(rhs.field) + 1}]", out.type)


def _scalar(cx: ProgramContext, rhs: T.Scalar, out: T.Var) -> str:
    if rhs.op in HOST_FUNCTIONS:
        number = cx.host_functions[rhs.op]
        words = ", ".join(word(a) for a in rhs.args)
        return load(f"cx.ask({number}, {{{words}}})", out.type)
    none = cx.module.datas.get("None")
    return scalar_expression(rhs.op, rhs.args, out, none.tag if none else -1)


def _list(cx: ProgramContext, rhs: T.ListOp, out: T.Var) -> str:
    match rhs:
        case T.ListOp("get", (T.Var() as items, at)) if items in cx.bare_lists:
            return load(f"{cx.bare_lists[items].items}[{atom(at)}]", out.type)
        case T.ListOp("len", (T.Var() as items,)) if items in cx.bare_lists:
            return cx.bare_lists[items].length
    return list_expression(rhs, out, cx.host_functions)


EXPRESSIONS: Mapping[type, Callable[[ProgramContext, Any, T.Var], str]] = {
    B.View: _view,
    B.ScalarReference: _scalar_reference,
    T.Read: _read,
    T.Narrow: _narrow,
    T.GetField: _field,
    T.Scalar: _scalar,
    T.ListOp: _list,
}
