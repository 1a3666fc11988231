"""Python's syntax on values of the author's classes, `len(s)`, `s[i]`, `x in s`, `for x in s`,
`if s` and `str(s)`: calls of the methods that define them."""

from __future__ import annotations

import ast
import dataclasses
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
    ParamsRef,
    RecordType,
    TupleType,
    Type,
    UnionType,
)
from ...lang.made_weights import COLLECTIONS
from ..context import FunctionContext
from ..iteration_space import IterationSpace
from ..narrowing import has_none
from ..pattern_tree import members
from ..raw_values import known_first
from ..registry import ITERATED, SUBSCRIPTS, iterated, subscript, truth_of
from ..scope import Env
from ..weight_parts import form_of_type
from .arguments import temporary
from .by_member import all_raw, by_member
from .field_changes import attribute_of
from .methods import call_method, classes_of

# A NamedTuple is a tuple, whatever methods it has.
_KINDS = (RecordType, DataRef, UnionType)
_ENDLESS = "a `list[...]`, `range(n)`, or `enumerate`, `zip`, `reversed` of lists"


def is_object(t: Type) -> bool:
    """Whether values of type `t` are objects of the author's classes."""
    return isinstance(t, _KINDS)


def _is_of_class(ctx: FunctionContext, t: Type) -> bool:
    """Whether values of type `t` are objects or weights of the author's classes."""
    if isinstance(t, ParamsRef):
        return form_of_type(ctx.builder.declarations, t) not in COLLECTIONS
    return isinstance(t, _KINDS)


def has_special(ctx: FunctionContext, t: Type, name: str) -> bool:
    """Whether each class of the author's that a value of type `t` may have defines this method."""
    if not _is_of_class(ctx, t):
        return False
    found = [_special(cls, name) for cls in classes_of(ctx, t)]
    return bool(found) and all(isinstance(f, types.FunctionType) for f in found)


def first_special(ctx: FunctionContext, node: ast.AST, t: Type, *names: str) -> str | None:
    """The first of the methods `names` that the class of a value of type `t` defines, as Python
    looks for them; None if it has none of them. Refused if classes that it may be of differ."""
    if not _is_of_class(ctx, t) or has_none(t):
        return None
    first = {cls: _first(cls, names) for cls in classes_of(ctx, t)}
    found = set(first.values())
    if len(found) > 1 or any(_is_no_function(cls, name) for cls, name in first.items()):
        each = ", ".join(f"{c.__name__}: {name or 'no method'}" for c, name in first.items())
        ctx.fail(
            "AC017",
            node,
            f"which method of a {t} is called here depends on its class ({each})",
            f"`def {names[0]}(self, ...)` in each of these classes",
        )
    return found.pop() if found else None


def _first(cls: type, names: tuple[str, ...]) -> str | None:
    return next((n for n in names if _special(cls, n) or _is_no_function(cls, n)), None)


def _is_no_function(cls: type, name: str | None) -> bool:
    """Whether a class has something else under the name of a method, `__contains__ = None`."""
    owner = next((c for c in cls.__mro__ if name in vars(c)), object)
    return owner.__module__ != "builtins" and not isinstance(
        vars(owner)[name or ""], types.FunctionType
    )


def _special(cls: type, name: str) -> Any:
    """The method that the author has written; None for one that is generated or inherited."""
    found = attribute_of(cls, name)
    # A generated `__repr__` is inside of a function that ends a recursion.
    code = getattr(getattr(found, "__wrapped__", found), "__code__", None)
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
    name = first_special(ctx, node, value.type, *names)
    if name is None:
        return None
    return _checked(ctx, node, call_special(ctx, node, value, name), TEXT, name)


def formatted_by_method(
    ctx: FunctionContext, node: ast.expr, value: T.Atom, form: T.Atom
) -> T.Atom:
    """`format(s, form)`, as in an f-string, by the class's `__format__`."""
    made = call_special(ctx, node, value, "__format__", form)
    return _checked(ctx, node, made, TEXT, "__format__")


def _checked(ctx: FunctionContext, node: ast.expr, value: T.Var, wanted: Type, name: str) -> T.Var:
    if value.type != wanted:
        kind = {INT: "an int", TEXT: "a string", BOOL: "a truth value"}[wanted]
        ctx.fail("AC017", node, f"{name} returns a {value.type}", f"{kind} as the result of {name}")
    return value


@truth_of(RecordType, DataRef, UnionType)
def truth_by_method(ctx: FunctionContext, node: ast.expr, value: T.Atom) -> T.Atom | None:
    """`if s`, by the class's `__bool__` or else `__len__`; None if it has neither."""
    name = first_special(ctx, node, value.type, "__bool__", "__len__")
    if name == "__bool__":
        return _checked(ctx, node, call_special(ctx, node, value, name), BOOL, name)
    if name == "__len__":
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
            return dataclasses.replace(handler(ctx, node, items), of_object=True)
    instead = known_first(ctx, value.type, (list, tuple, dict, set), _ENDLESS)
    ctx.fail("AC017", node, f"a loop runs over a list or a range, this is {value.type}", instead)
