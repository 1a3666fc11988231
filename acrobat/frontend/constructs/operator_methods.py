"""Operators on values of plain classes, `a + b`, `-a`, `a < b`: calls of the methods that define
them. As in Python, the right operand's reflected method is called if the left one has none."""

from __future__ import annotations

import ast
import types

from ...ir import typed as T
from ...ir.types import BOOL
from ..conditions import condition
from ..context import FunctionContext
from ..plain_classes import is_plain_class
from ..scope import Env
from .arguments import temporary
from .field_changes import attribute_of
from .methods import call_method, classes_of
from .plain_records import class_of
from .special_methods import is_object

_BINARY: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv",
    ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.MatMult: "matmul", ast.Pow: "pow",
}  # fmt: skip
_UNARY: dict[type[ast.AST], str] = {ast.USub: "__neg__", ast.UAdd: "__pos__"}
# Each comparison, and the one that the right operand is asked for.
# How `functools.total_ordering` makes each comparison from the one that a class defines, a and b
# being the operands.
_FROM_ROOT: dict[str, str] = {
    "_gt_from_lt": "not a < b and a != b",
    "_le_from_lt": "a < b or a == b",
    "_ge_from_lt": "not a < b",
    "_ge_from_le": "not a <= b or a == b",
    "_lt_from_le": "a <= b and a != b",
    "_gt_from_le": "not a <= b",
    "_lt_from_gt": "not a > b and a != b",
    "_ge_from_gt": "a > b or a == b",
    "_le_from_gt": "not a > b",
    "_le_from_ge": "not a >= b or a == b",
    "_gt_from_ge": "a >= b and a != b",
    "_lt_from_ge": "not a >= b",
}
_COMPARED: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lt: ("__lt__", "__gt__"),
    ast.LtE: ("__le__", "__ge__"),
    ast.Gt: ("__gt__", "__lt__"),
    ast.GtE: ("__ge__", "__le__"),
    ast.Eq: ("__eq__", "__eq__"),
}


def of_binary(
    ctx: FunctionContext, node: ast.BinOp, a: T.Atom, b: T.Atom, env: Env
) -> T.Var | None:
    """`a + b` by a method of a or b; None if neither is such a value."""
    name = _BINARY.get(type(node.op))
    cls = _class(ctx, a)
    if cls is not None and attribute_of(cls, f"__i{name}__") is not None:
        return None  # `a += b` would change a under all of its names
    return (name and _by_method(ctx, node, (f"__{name}__", f"__r{name}__"), a, b, env)) or None


def of_unary(ctx: FunctionContext, node: ast.UnaryOp, a: T.Atom, env: Env) -> T.Var | None:
    """`-a` by a method of a; None if it is no such value."""
    name = _UNARY.get(type(node.op), "")
    if not _has(ctx, a, name):
        return None
    call = ast.copy_location(ast.Call(node, [], []), node)
    return call_method(ctx, call, a, name, env)


def of_comparison(
    ctx: FunctionContext, node: ast.AST, op: ast.cmpop, a: T.Atom, b: T.Atom, env: Env
) -> T.Var | None:
    """`a < b` by a method of a or b; None if neither is such a value."""
    if not isinstance(op, ast.NotEq):
        names = _COMPARED.get(type(op), ("", ""))
        made = _from_root(ctx, node, names[0], a, b, env)
        return made or _by_method(ctx, node, names, a, b, env)
    if _has(ctx, a, "__ne__"):
        return _by_method(ctx, node, ("__ne__", ""), a, b, env)
    if _has(ctx, b, "__ne__"):
        return None
    same = of_comparison(ctx, node, ast.Eq(), a, b, env)
    if same is None or same.type != BOOL:
        return None
    return ctx.let(T.Scalar("not", (same,)), BOOL, node, "b")


def check_not_equal(ctx: FunctionContext, node: ast.AST, a: T.Atom, b: T.Atom) -> None:
    """Refuse `a != b`, to be computed by `==`, of objects whose class has a `__ne__`."""
    for value in (a, b):
        classes = classes_of(ctx, value.type) if is_object(value.type) else []
        for cls in classes:
            if isinstance(attribute_of(cls, "__ne__"), types.FunctionType):
                ctx.fail(
                    "AC027",
                    node,
                    f"`!=` of a {value.type}: {cls.__name__} defines `__ne__`",
                    "`__eq__` alone, whose opposite `!=` is, or a method with another name",
                )


def _from_root(
    ctx: FunctionContext, node: ast.AST, name: str, a: T.Atom, b: T.Atom, env: Env
) -> T.Var | None:
    """A comparison that `functools.total_ordering` has made; None for any other."""
    cls = _class(ctx, a)
    found = None if cls is None else attribute_of(cls, name)
    if not isinstance(found, types.FunctionType) or found.__module__ != "functools":
        return None
    operands = {n: temporary(env, f"{n} of {name}", atom, node) for n, atom in (("a", a), ("b", b))}
    test = ast.parse(_FROM_ROOT[found.__code__.co_name], mode="eval").body
    for inner in ast.walk(test):
        ast.copy_location(inner, node)
        if isinstance(inner, ast.Name):
            inner.id = operands[inner.id].id
    made = condition(ctx, test, env)
    return made if isinstance(made, T.Var) else ctx.let(T.Scalar("bool", (made,)), BOOL, node, "b")


def _by_method(
    ctx: FunctionContext,
    node: ast.AST,
    names: tuple[str, str],
    a: T.Atom,
    b: T.Atom,
    env: Env,
) -> T.Var | None:
    one, other = _class(ctx, a), _class(ctx, b)
    if one is not other and one and other and issubclass(other, one):
        return None  # Python asks the subclass first, if it defines the method itself
    for receiver, argument, name in ((a, b, names[0]), (b, a, names[1])):
        if _has(ctx, receiver, name):
            given = temporary(env, f"operand of {name}", argument, node)
            call = ast.copy_location(ast.Call(given, [given], []), node)
            return call_method(ctx, call, receiver, name, env)
    return None


def _class(ctx: FunctionContext, value: T.Atom) -> type | None:
    cls = class_of(ctx, value.type)
    return cls if cls is not None and is_plain_class(cls) else None


def _has(ctx: FunctionContext, value: T.Atom, name: str) -> bool:
    """Whether the author defines a method for such values."""
    cls = _class(ctx, value)
    found = None if cls is None else attribute_of(cls, name)
    if not isinstance(found, types.FunctionType) or not isinstance(value, T.Var):
        return False
    return found.__code__.co_filename != "<string>" and found.__module__ != "functools"
