"""Patterns: `3`, `A() | B()`, `(a, b)`, `[a, *rest]`, `_`."""

from __future__ import annotations

import ast
from dataclasses import replace

from ...ir import typed as T
from ...ir.types import (
    BOOL,
    FLOAT,
    INT,
    NO_TUPLES,
    TEXT,
    IntArrayType,
    ListType,
    MemberType,
    NothingType,
    TupleType,
    Type,
)
from ..context import MISSING, FunctionContext
from ..empty_lists import EMPTY
from ..pattern_tree import Anything, Items, OneOf, Parts, Pattern, Value, members
from ..registry import pattern
from ..scope import Env, Recover
from .class_patterns import member
from .literals import member_constant, number
from .pattern_types import resolve, value_in


def if_there(pattern: Pattern) -> Pattern | None:
    """The part of a pattern for an optional value that applies to a value that is present; None if
    the pattern matches no such value."""
    match pattern:
        case Parts(items=(Value(constant=T.Const(value=there)), inner)):
            return replace(inner, names=(*inner.names, *pattern.names)) if there else None
        case OneOf(alternatives=alternatives):
            left = [p for p in map(if_there, alternatives) if p is not None]
            if len(left) > 1:
                return replace(pattern, alternatives=tuple(left))
            return replace(left[0], names=(*left[0].names, *pattern.names)) if left else None
    return pattern


@pattern(ast.MatchAs)
def name_pattern(ctx: FunctionContext, node: ast.MatchAs, t: Type, env: Env) -> Pattern:
    """`_`, `x`, `Leaf() as x`."""
    names = (node.name,) if node.name else ()
    if node.pattern is None:
        return Anything(node, names)
    inner = resolve(ctx, node.pattern, t, env)
    return replace(inner, names=(*inner.names, *names))


@pattern(ast.MatchSingleton)
def singleton_pattern(ctx: FunctionContext, node: ast.MatchSingleton, t: Type, env: Env) -> Pattern:
    """`None`, `True`, `False`."""
    if node.value is None:
        return member(ctx, node, ast.Constant(None), type(None), t)
    if t != BOOL:
        ctx.fail("AC007", node, f"`{node.value}` is no {t}", _instead_of_value(t))
    return Value(node, T.Const(node.value, BOOL))


@pattern(ast.MatchValue)
def value_pattern(ctx: FunctionContext, node: ast.MatchValue, t: Type, env: Env) -> Pattern:
    """`3`, `-1`, `0.5`, `"NP"`, `Color.RED`."""
    value = value_in(ctx, node.value, env)
    if value is MISSING:
        ctx.fail(
            "AC007",
            node,
            f"`{ast.unparse(node)}` is not known when the model is compiled",
            "a number, or one that a module or a class defines: `Color.RED`",
        )
    if isinstance(t, MemberType) and type(value) is t.cls:
        return Value(node, member_constant(ctx, node, value))
    if t == TEXT and isinstance(value, str):
        return Value(node, ctx.builder.text(value))
    fits = (t == INT and isinstance(value, int)) or t == FLOAT
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not fits:
        ctx.fail("AC007", node, f"`{ast.unparse(node)}` is no {t}", _instead_of_value(t))
    constant = number(ctx, node, value, ast.unparse(node))
    if t == FLOAT:
        constant = T.Const(float(constant.value), FLOAT)
    return Value(node, constant)


def _instead_of_value(t: Type) -> str:
    names = members(t)
    if isinstance(t, IntArrayType):
        return "a list, `match list(o):` of the array `o`"
    return f"`case {names[0]}(...):`" if names else f"a value of type {t}, or `case _:`"


@pattern(ast.MatchOr)
def alternatives(ctx: FunctionContext, node: ast.MatchOr, t: Type, env: Env) -> Pattern:
    """`Leaf() | Node()`; Python itself checks that all bind the same names."""
    return OneOf(node, tuple(resolve(ctx, p, t, env) for p in node.patterns))


@pattern(ast.MatchSequence)
def tuple_pattern(ctx: FunctionContext, node: ast.MatchSequence, t: Type, env: Env) -> Pattern:
    """`(a, Leaf())` of a tuple (also `(a, *rest)`), `[first, *rest]` of a list."""
    if isinstance(t, ListType) and not isinstance(t, IntArrayType):
        return _list_pattern(ctx, node, t, env)
    if not isinstance(t, TupleType) or isinstance(t, NO_TUPLES):
        ctx.fail(
            "AC007",
            node,
            f"a pattern for a tuple or a list, matched with a {t}",
            _instead_of_value(t),
        )
    patterns = node.patterns
    starred = [i for i, p in enumerate(patterns) if isinstance(p, ast.MatchStar)]
    rest = None
    if starred:
        (at,) = starred
        left = len(t.items) - len(patterns) + 1
        name = getattr(patterns[at], "name", None)
        if name is not None and left >= 0:
            rest = (name, at, at + left)
            if len(set(t.items[at : at + left])) > 1:
                ctx.fail(
                    "AC007",
                    patterns[at],
                    f"the parts that `*{name}` leaves of {t} are of several types",
                    "`*_`, or a pattern for each part",
                )
        anything = ast.copy_location(ast.MatchAs(), patterns[at])
        patterns = [*patterns[:at], *[anything] * left, *patterns[at + 1 :]]
    if len(patterns) != len(t.items):
        ctx.fail(
            "AC016",
            node,
            f"a pattern of {len(node.patterns)} parts for the {len(t.items)} parts of {t}",
            f"`case ({', '.join(['_'] * len(t.items))}):`",
        )
    items = zip(patterns, t.items, strict=True)
    return Parts(node, tuple(resolve(ctx, p, i, env) for p, i in items), rest)


class NothingToMatch(Recover):
    """A pattern has items, but the item type of the list is not known yet."""


def _list_pattern(ctx: FunctionContext, node: ast.MatchSequence, t: ListType, env: Env) -> Items:
    starred = [i for i, p in enumerate(node.patterns) if isinstance(p, ast.MatchStar)]
    if isinstance(t.item, NothingType) and len(node.patterns) > len(starred):
        ctx.no_item("AC027", node, "an item of an empty list", EMPTY)
        raise NothingToMatch
    at = starred[0] if starred else len(node.patterns)
    front = tuple(resolve(ctx, p, t.item, env) for p in node.patterns[:at])
    back = tuple(resolve(ctx, p, t.item, env) for p in node.patterns[at + 1 :])
    rest = (getattr(node.patterns[at], "name", None) or "") if starred else None
    return Items(node, front, rest, back)
