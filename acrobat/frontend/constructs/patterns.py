"""Patterns: `Leaf(word)`, `Node(Leaf(a), right)`, `3`, `A() | B()`, `(a, b)`, `[a, *rest]`, `_`."""

from __future__ import annotations

import ast
import enum
from dataclasses import replace

from ...ir import typed as T
from ...ir.types import (
    BOOL,
    FLOAT,
    INT,
    NO_TUPLES,
    TEXT,
    ListType,
    MemberType,
    NothingType,
    OptionalType,
    TupleType,
    Type,
)
from ..context import MISSING, FunctionContext
from ..pattern_tree import Anything, Items, Member, OneOf, Parts, Pattern, Value, members
from ..registry import PATTERNS, pattern
from ..scope import Env, Recover
from ..suggestions import suggest
from ..targets import EMPTY
from .literals import is_member, member_constant, number

# The Python classes of values that are not data.
_CLASSES: dict[Type, type] = {INT: int, FLOAT: float, BOOL: bool, TEXT: str}


def resolve(ctx: FunctionContext, node: ast.pattern, t: Type, env: Env) -> Pattern:
    """Resolve a pattern for values of type `t`. Raises Recover, after reporting an error, if it can
    match none of them."""
    handler = PATTERNS.get(type(node))
    if handler is None:
        ctx.fail(
            "AC007",
            node,
            "this kind of pattern is not part of the language",
            "`case Node(left, right):`, `case (a, b):`, `case [a, *rest]:`, `case 3:`, `case _:`",
        )
    if isinstance(t, OptionalType) and not isinstance(node, (ast.MatchAs, ast.MatchOr)):
        # An optional value is a pair: whether it is present, and its content.
        if isinstance(node, ast.MatchSingleton) and node.value is None:
            return Parts(node, (_known(node, False), Anything(node)))
        return Parts(node, (_known(node, True), handler(ctx, node, t.item, env)))
    return handler(ctx, node, t, env)


def _known(node: ast.pattern, value: bool) -> Value:
    return Value(node, T.Const(value, BOOL))


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
        return _member(ctx, node, ast.Constant(None), type(None), t)
    if t != BOOL:
        ctx.fail("AC007", node, f"`{node.value}` is no {t}", _instead_of_value(t))
    return Value(node, T.Const(node.value, BOOL))


@pattern(ast.MatchValue)
def value_pattern(ctx: FunctionContext, node: ast.MatchValue, t: Type, env: Env) -> Pattern:
    """`3`, `-1`, `0.5`, `"NP"`, `Color.RED`."""
    value = _value(ctx, node.value, env)
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


def _value(ctx: FunctionContext, node: ast.expr, env: Env) -> object:
    """The Python value that a pattern names; `MISSING` if it names none."""
    match node:
        case ast.Constant(value):
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as value)):
            return -value
    value = ctx.static(node, env)
    return value if is_member(value) or not isinstance(value, enum.Enum) else value.value


def _instead_of_value(t: Type) -> str:
    names = members(t)
    return f"`case {names[0]}(...):`" if names else f"a value of type {t}, or `case _:`"


@pattern(ast.MatchOr)
def alternatives(ctx: FunctionContext, node: ast.MatchOr, t: Type, env: Env) -> Pattern:
    """`Leaf() | Node()`; Python itself checks that all bind the same names."""
    return OneOf(node, tuple(resolve(ctx, p, t, env) for p in node.patterns))


@pattern(ast.MatchSequence)
def tuple_pattern(ctx: FunctionContext, node: ast.MatchSequence, t: Type, env: Env) -> Pattern:
    """`(a, Leaf())` of a tuple (also `(a, *rest)`), `[first, *rest]` of a list."""
    if isinstance(t, ListType):
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


@pattern(ast.MatchClass)
def class_pattern(ctx: FunctionContext, node: ast.MatchClass, t: Type, env: Env) -> Pattern:
    """`Node(left, right)`, `Node(left=Leaf())`."""
    # Matches values of the class and of its subclasses.
    cls = ctx.static(node.cls, env)
    if cls is _CLASSES.get(t) and len(node.patterns) < 2 and not node.kwd_patterns:
        return resolve(ctx, node.patterns[0], t, env) if node.patterns else Anything(node)
    datas, subclasses = ctx.builder.declarations.datas, members(t)
    if isinstance(cls, type):
        subclasses = tuple(
            m for m in subclasses if datas[m].cls is not cls and issubclass(datas[m].cls, cls)
        )
        if subclasses:
            kept = [m for m in members(t) if datas[m].cls is cls]
            patterns = tuple(
                _fields(ctx, node, Member(node, m, ()), env) for m in (*kept, *subclasses)
            )
            return patterns[0] if len(patterns) == 1 else OneOf(node, patterns)
    return _fields(ctx, node, _member(ctx, node, node.cls, cls, t), env)


def _fields(ctx: FunctionContext, node: ast.MatchClass, found: Member, env: Env) -> Pattern:
    """The pattern `found` with the patterns of its fields."""
    declared = dict(ctx.builder.declarations.datas[found.data].fields)
    if len(node.patterns) > len(declared):
        wants = ", ".join(declared) or "no fields"
        ctx.fail(
            "AC016",
            node,
            f"{found.data} has {len(declared)} fields, the pattern names {len(node.patterns)}",
            f"`case {found.data}({wants}):`" if declared else f"`case {found.data}():`",
        )
    by_place = getattr(ctx.builder.declarations.datas[found.data].cls, "__match_args__", ())
    if tuple(declared)[: len(node.patterns)] != by_place[: len(node.patterns)]:
        ctx.fail(
            "AC016",
            node,
            f"{found.data} has fields that patterns give by name alone",
            f"`case {found.data}({next(iter(declared))}=...):`",
        )
    pairs = list(zip(declared, node.patterns, strict=False))
    pairs += list(zip(node.kwd_attrs, node.kwd_patterns, strict=True))
    given: dict[str, Pattern] = {}
    for name, inner in pairs:
        if name in given:
            ctx.fail("AC007", inner, f"the field {name!r} occurs twice", "one name for it")
        if name not in declared:
            ctx.fail(
                "AC014",
                inner,
                f"{found.data} has no field {name!r}",
                suggest(name, declared) or f"its fields are {', '.join(declared)}",
            )
        given[name] = resolve(ctx, inner, declared[name], env)
    return replace(found, fields=tuple((n, given.get(n, Anything(node))) for n in declared))


def _member(
    ctx: FunctionContext, node: ast.pattern, source: ast.expr, cls: object, t: Type
) -> Member:
    """The member of `t` that the class `cls`, written as `source`, stands for."""
    name = ctx.builder.declarations.names.get(cls) if isinstance(cls, type) else None
    among = members(t)
    if name is None or name not in among:
        ctx.fail(
            "AC006",
            node,
            f"{ast.unparse(source)} is no member of {t}: this case is never reached",
            suggest(ast.unparse(source), among)
            or (f"a member of {t}" if among else f"a value of type {t}, or `case _:`"),
        )
    return Member(node, name, ())
