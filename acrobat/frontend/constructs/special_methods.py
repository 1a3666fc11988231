"""Python's syntax on values of the author's classes, `len(s)`, `s[i]`, `x in s`, `for x in s`,
`if s` and `str(s)`: calls of the methods that define them."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from typing import Any

from ...ir import typed as T
from ...ir.types import (
    BOOL,
    INT,
    TEXT,
    DataRef,
    ListType,
    RecordType,
    TupleType,
    Type,
    UnionType,
)
from ..context import FunctionContext
from ..iteration_space import IterationSpace
from ..pattern_tree import members
from ..raw_values import known_first
from ..registry import ITERATED, SUBSCRIPTS, iterated, subscript, truth_of
from ..scope import Env
from .arguments import temporary
from .by_member import all_raw, by_member
from .field_changes import attribute_of
from .methods import call_method, classes_of

# A NamedTuple is a tuple, whatever methods it has.
_KINDS = (RecordType, DataRef, UnionType)
_ENDLESS = "a `list[...]`, `range(n)`, or `enumerate`, `zip`, `reversed` of lists"


def has_special(ctx: FunctionContext, t: Type, name: str) -> bool:
    """Whether each class of the author's that a value of type `t` may have defines this method."""
    if not isinstance(t, _KINDS):
        return False
    found = [_special(cls, name) for cls in classes_of(ctx, t)]
    return bool(found) and all(isinstance(f, types.FunctionType) for f in found)


def _special(cls: type, name: str) -> Any:
    """The method that the author has written; None for one that is generated or inherited."""
    found = attribute_of(cls, name)
    code = getattr(found, "__code__", None)
    return None if code is None or code.co_filename == "<string>" else found


def call_special(
    ctx: FunctionContext, node: ast.expr, value: T.Atom, name: str, *args: T.Atom
) -> T.Var:
    """`value.name(*args)`, where the source has an operator or a call of a builtin."""
    env = Env()
    given: list[ast.expr] = [temporary(env, f"argument of {name}", a, node) for a in args]
    call = ast.copy_location(ast.Call(node, given, []), node)
    return call_method(ctx, call, value, name, env)


def length_by_method(ctx: FunctionContext, node: ast.expr, value: T.Atom) -> T.Atom:
    """`len(s)`, by the class's `__len__`."""
    if not has_special(ctx, value.type, "__len__"):
        ctx.fail("AC017", node, f"len of a {value.type}", "a list, or `x.shape[0]`")
    return _checked(ctx, node, call_special(ctx, node, value, "__len__"), INT, "__len__")


def text_by_method(
    ctx: FunctionContext, node: ast.expr, value: T.Atom, show: Callable[..., str]
) -> T.Atom | None:
    """`str(s)` or `repr(s)`, by the class's method; None if it has none."""
    names = ("__str__", "__repr__") if show is str else ("__repr__",)
    for name in names:
        if has_special(ctx, value.type, name):
            return _checked(ctx, node, call_special(ctx, node, value, name), TEXT, name)
    return None


def _checked(ctx: FunctionContext, node: ast.expr, value: T.Var, wanted: Type, name: str) -> T.Var:
    if value.type != wanted:
        kind = {INT: "an int", TEXT: "a string", BOOL: "a truth value"}[wanted]
        ctx.fail("AC017", node, f"{name} returns a {value.type}", f"{kind} as the result of {name}")
    return value


@truth_of(RecordType, DataRef, UnionType)
def truth_by_method(ctx: FunctionContext, node: ast.expr, value: T.Atom) -> T.Atom | None:
    """`if s`, by the class's `__bool__` or else `__len__`; None if it has neither."""
    if has_special(ctx, value.type, "__bool__"):
        made = call_special(ctx, node, value, "__bool__")
        return _checked(ctx, node, made, BOOL, "__bool__")
    if has_special(ctx, value.type, "__len__"):
        length = length_by_method(ctx, node, value)
        return ctx.let(T.Scalar("!=", (length, T.Const(0, INT))), BOOL, node, "b")
    return None


@subscript(RecordType)
@subscript(DataRef)
@subscript(UnionType)
def item_by_method(ctx: FunctionContext, node: ast.Subscript, obj: T.Atom, env: Env) -> T.Atom:
    """`s[i]`, by the class's `__getitem__`."""
    if isinstance(obj, T.Var) and all_raw(ctx, obj, TupleType, ListType):
        _check_lengths(ctx, node, obj)
        return by_member(ctx, node, obj, lambda v: SUBSCRIPTS[type(v.type)](ctx, node, v, env))
    if not has_special(ctx, obj.type, "__getitem__"):
        instead = known_first(
            ctx, obj.type, (tuple, list, dict, str), "a tuple, a list or a tensor"
        )
        ctx.fail("AC027", node, f"a {obj.type} has no items", instead)
    if isinstance(node.slice, ast.Slice):
        ctx.fail(
            "AC027",
            node,
            f"a slice as the argument of __getitem__ of a {obj.type}",
            "a method with two bounds",
        )
    return call_special(ctx, node, obj, "__getitem__", ctx.expression(node.slice, env))


def _check_lengths(ctx: FunctionContext, node: ast.Subscript, obj: T.Var) -> None:
    """An error if the index is beyond the end of some of the tuples that a value may be."""
    datas = ctx.builder.declarations.datas
    index = node.slice.value if isinstance(node.slice, ast.Constant) else 0
    for length in (datas[m].length for m in members(obj.type)):
        if length is not None and isinstance(index, int) and index >= length:
            ctx.fail(
                "AC027",
                node,
                f"an item {index} of a {obj.type}",
                f"`len(x) == {length}` first, or a `match` with a case for each",
            )


@iterated(RecordType)
@iterated(DataRef)
@iterated(UnionType)
def items_by_method(ctx: FunctionContext, node: ast.expr, value: T.Atom) -> IterationSpace:
    """`for x in s`, by the class's `__iter__`."""
    if has_special(ctx, value.type, "__iter__"):
        items = call_special(ctx, node, value, "__iter__")
        handler = ITERATED.get(type(items.type))
        if handler is not None and not isinstance(items.type, _KINDS):
            return handler(ctx, node, items)
    instead = known_first(ctx, value.type, (list, tuple, dict, set), _ENDLESS)
    ctx.fail("AC017", node, f"a loop runs over a list or a range, this is {value.type}", instead)
