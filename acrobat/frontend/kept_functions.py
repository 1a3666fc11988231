"""Functions in fields of objects: `self.act = np.tanh` in `__init__`, `self.act(x)` in a method.

A field has a value, which a function is not. In its place the object has the member of an
enumeration that has no other member, so that the type of the object says which function the field
is: objects with different functions have different types. A function that uses variables of the
function around it has no such member.
"""

from __future__ import annotations

import ast
import enum

from ..ir import typed as T
from ..ir.types import ListType, MemberType, NamedTupleType, Type
from .captures import captured
from .context import FunctionContext
from .function_values import Closure, FunctionValue, Import, Named, Partial, identity
from .scope import Env


def as_member(ctx: FunctionContext, value: FunctionValue) -> T.Const | None:
    """The value that an object has in a field for a function; None if there is none."""
    variables = Import()
    variables.binding(value)
    if variables.given or not _is_closed(ctx, value):
        return None
    builder = ctx.builder
    key = identity(value)
    if key not in builder.function_members:
        name = _name(value)
        cls = enum.Enum(name, ["FUNCTION"])  # type: ignore[misc]
        builder.function_members[key] = t = MemberType(name, cls)
        builder.member_functions[t] = value
    return T.Const(0, builder.function_members[key])


def function_in(ctx: FunctionContext, node: ast.expr, env: Env) -> FunctionValue | None:
    """The function that a field of an object is, if `node` is that field; emits nothing."""
    t = _type_of(node, env)
    return ctx.builder.member_functions.get(t) if isinstance(t, MemberType) else None


def has_functions(ctx: FunctionContext, t: Type) -> bool:
    """Whether an object of type `t` has a function in a field."""
    if isinstance(t, MemberType):
        return t in ctx.builder.member_functions
    inner = getattr(t, "items", None) or [i for i in (getattr(t, "item", None),) if i is not None]
    return any(has_functions(ctx, i) for i in inner)


def _type_of(node: ast.expr, env: Env) -> Type | None:
    match node:
        case ast.Name(name):
            found = env.names.get(name)
            return found.type if isinstance(found, (T.Var, T.Const)) else None
        case ast.Attribute(owner, attr):
            t = _type_of(owner, env)
            if isinstance(t, NamedTupleType) and attr in t.fields:
                return t.items[t.fields.index(attr)]
        case ast.Subscript(items):
            t = _type_of(items, env)
            return t.item if isinstance(t, ListType) else None
    return None


def _is_closed(ctx: FunctionContext, value: FunctionValue) -> bool:
    match value:
        case Closure(tree, complete=False):
            return not captured(tree, lambda call: ()).reads & ctx.locals
        case Partial(of):
            return _is_closed(ctx, of)
    return True


def _name(value: FunctionValue) -> str:
    match value:
        case Closure(tree):
            return tree.name
        case Named(found):
            return str(getattr(found, "__name__", "function"))
    return "function"
