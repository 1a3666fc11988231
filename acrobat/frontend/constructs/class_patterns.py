"""Patterns of classes: `Leaf(word)`, `Node(Leaf(a), right)`, `str()`, `Point(x=0)`."""

from __future__ import annotations

import ast
from dataclasses import replace

from ...ir.types import FLOAT, NamedTupleType, Type
from ..context import FunctionContext
from ..pattern_tree import Anything, Member, OneOf, Parts, Pattern, members
from ..raw_values import known_class
from ..registry import pattern
from ..scope import Env
from ..suggestions import suggest
from .pattern_types import resolve


@pattern(ast.MatchClass)
def class_pattern(ctx: FunctionContext, node: ast.MatchClass, t: Type, env: Env) -> Pattern:
    """`Node(left, right)`, `Node(left=Leaf())`."""
    # Matches values of the class and of its subclasses.
    cls = ctx.static(node.cls, env)
    if isinstance(t, NamedTupleType) and cls is t.cls:
        return _parts(ctx, node, t, env)
    known = float if t == FLOAT else known_class(t)
    fits = isinstance(cls, type) and known is not None and issubclass(known, cls)
    if fits and len(node.patterns) < 2 and not node.kwd_patterns:
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
    return _fields(ctx, node, member(ctx, node, node.cls, cls, t), env)


def _parts(ctx: FunctionContext, node: ast.MatchClass, t: NamedTupleType, env: Env) -> Pattern:
    """`Point(x, y=0)` of a named tuple."""
    given = dict(zip(t.fields, node.patterns, strict=False))
    given |= dict(zip(node.kwd_attrs, node.kwd_patterns, strict=True))
    if len(node.patterns) > len(t.fields) or not given.keys() <= {*t.fields}:
        ctx.fail(
            "AC016",
            node,
            f"{t} has the parts {', '.join(t.fields)}, and the pattern names others",
            f"`case {t}({', '.join(t.fields)}):`",
        )
    parts = zip(t.fields, t.items, strict=True)
    return Parts(
        node,
        tuple(
            resolve(ctx, given[name], of, env) if name in given else Anything(node)
            for name, of in parts
        ),
    )


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


def member(
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
