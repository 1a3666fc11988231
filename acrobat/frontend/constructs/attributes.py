"""Attributes: fields of data and of weights, numbers of modules and classes."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import DataRef, ParamsRef, TensorType, Type, UnionType
from ..context import MISSING, FunctionContext
from ..declarations import suggest
from ..registry import FIELDS, expression, field
from ..scope import Env
from .literals import number

_OUTSIDE = "a number, or pass it in as part of the weights or of the instance"
_NO_FIELDS = "values of @ab.data classes and weights have fields; of a tensor, `x.shape[0]`"


@expression(ast.Attribute)
def attribute(ctx: FunctionContext, node: ast.Attribute, env: Env) -> T.Atom:
    """`x.name`: a field, or a number that a module or a class defines."""
    found = ctx.static(node, env)
    if isinstance(found, (bool, int, float)):
        return number(ctx, node, found, f"{ast.unparse(node)} = {found}")
    if found is not MISSING:
        ctx.fail("AC002", node, f"{ast.unparse(node)} is not a value a model can use", _OUTSIDE)
    obj = ctx.expression(node.value, env)
    if isinstance(obj, T.Var) and node.attr in env.narrowed.get(obj, {}):
        return env.narrowed[obj][node.attr]
    match obj.type:
        case ParamsRef(owner):
            params = ctx.builder.declarations.params[owner].fields
            return _declared(ctx, node, obj, owner, dict(params))
        case DataRef(owner):
            datas = ctx.builder.declarations.datas[owner].fields
            return _declared(ctx, node, obj, owner, dict(datas))
        case UnionType():
            ctx.fail(
                "AC014",
                node,
                f"{ast.unparse(node.value)} may be any of {obj.type}: which one has "
                f"{node.attr!r} is not known here",
                f"`match {ast.unparse(node.value)}:` with a case for each",
            )
    handler = FIELDS.get((type(obj.type), node.attr))
    if handler is None:
        ctx.fail("AC014", node, f"a {obj.type} has no field {node.attr!r}", _NO_FIELDS)
    return handler(ctx, node, obj, env)


def _declared(
    ctx: FunctionContext, node: ast.Attribute, obj: T.Atom, owner: str, fields: dict[str, Type]
) -> T.Var:
    """A field that a class of the author declares."""
    if node.attr not in fields:
        ctx.fail(
            "AC014",
            node,
            f"{owner} has no field {node.attr!r}",
            suggest(node.attr, fields) or f"its fields are {', '.join(fields) or 'none'}",
        )
    assert isinstance(obj, T.Var)
    of_params = isinstance(obj.type, ParamsRef)
    read = T.ParamRead(obj, node.attr) if of_params else T.GetField(obj, node.attr)
    var = ctx.let(read, fields[node.attr], node, node.attr)
    ctx.origins[var.number] = f"declared in {owner}"
    return var


@field(TensorType, "shape")
def shape(ctx: FunctionContext, node: ast.Attribute, obj: T.Atom, env: Env) -> T.Atom:
    """`x.shape` without an index."""
    ctx.fail("AC002", node, "a shape by itself", f"one of its sizes, `{ast.unparse(node)}[0]`")
