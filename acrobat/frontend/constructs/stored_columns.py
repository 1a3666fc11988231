"""Columns with a step that are stored in a matrix, `x[:, 0::2] = y`: every column is chosen from
`x` or from `y` by its number."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import BOOL, FLOAT, INT, RowsType, TensorType
from ..context import FunctionContext
from ..decisions import is_mask
from ..rows import refuse_sizes, size_along
from ..scope import Env
from ..sizes import constant
from ..templates import template
from ..written import placed


def with_columns(
    ctx: FunctionContext, node: ast.AST, x: T.Atom, part: ast.Slice, value: T.Atom, env: Env
) -> T.Var | None:
    """`x` after `x[:, part] = value`; None if it is not known which columns these are, or if the
    value does not have as many."""
    t, v = x.type, value.type
    assert isinstance(t, TensorType)
    total = t.dims[1].bind(ctx.builder.sizes).known
    written = (part.lower, part.upper, part.step)
    bounds = [None if b is None else constant(ctx, b, env) for b in written]
    known = all((b is None) == (w is None) for b, w in zip(bounds, written, strict=True))
    if total is None or not known or bounds[2] == 0:
        return None
    places = range(total)[slice(*bounds)]
    new = "v"
    if isinstance(v, TensorType) and v.dims:
        if v.dims[-1].bind(ctx.builder.sizes).known != len(places):
            return None
        new = "v[:, ids]" if len(v.dims) == 2 else "v[ids]"
    elif not isinstance(v, TensorType) and v not in (BOOL, INT, FLOAT):
        return None
    if not places or (isinstance(v, TensorType) and len(v.dims) > 2) or is_mask(value):
        return None
    inner = env.copy()
    names: dict[str, ast.expr] = {}
    for name, atom in (("x", x), ("v", value)):
        inner.names[f"{name} of a store"] = atom
        names[name] = ast.Name(f"{name} of a store", ast.Load())
    columns = range(total)
    names["ids"] = _written([places.index(c) if c in places else 0 for c in columns])
    names["m"] = _written([float(c in places) for c in columns])
    text = f"ops.where(ops.stack(m) > 0.5, {new}, x)"
    made = ctx.expression(placed(template(text, **names), node), inner)
    assert isinstance(made, T.Var) and isinstance(made.type, TensorType)
    sizes = [[d.bind(ctx.builder.sizes) for d in of.dims] for of in (made.type, t)]
    if type(made.type) is not type(t) or sizes[0] != sizes[1]:
        return None
    if isinstance(t, RowsType):  # what is stored is broadcast, what it is stored in is not
        rows = [size_along(ctx, node, of, 0) for of in (x, made)]
        wrong = ctx.let(T.Scalar("!=", tuple(rows)), BOOL, node, "wrong")
        refuse_sizes(ctx, node, wrong, *rows)
    return T.Var(made.name, t, made.number)


def _written(numbers: list[int] | list[float]) -> ast.expr:
    return ast.List([ast.Constant(n) for n in numbers], ast.Load())
