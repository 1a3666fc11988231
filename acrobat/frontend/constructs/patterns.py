"""Patterns: `case Leaf(word)`, `case None`, `case _`, `case Leaf() as leaf`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import UnionType
from ..context import FunctionContext
from ..declarations import suggest
from ..registry import PATTERNS, pattern
from ..scope import POISON, Env


def members_taken(
    ctx: FunctionContext, node: ast.pattern, subject: T.Var, still_open: list[str], env: Env
) -> list[str]:
    """The members of the subject's type that a case with this pattern takes."""
    handler = PATTERNS.get(type(node))
    if handler is None:
        return _refuse(ctx, node)
    return handler.members(ctx, node, subject, still_open, env)


def bind_pattern(
    ctx: FunctionContext, node: ast.pattern, subject: T.Var, member: str, env: Env
) -> tuple[T.Var, ...]:
    """One variable per field of `member`, and the pattern's names bound in `env`."""
    declared = ctx.builder.declarations.datas[member].fields
    fields = {name: T.Var(name, t) for name, t in declared}
    for var in fields.values():
        ctx.origins[var.number] = f"a field of {member}"
    env.narrowed[subject] = fields
    PATTERNS[type(node)].bind(ctx, node, subject, member, fields, env)
    return tuple(fields.values())


@pattern(ast.MatchAs)
class NamePattern:
    """`_`, `x`, `Leaf() as x`."""

    def members(
        self,
        ctx: FunctionContext,
        node: ast.MatchAs,
        subject: T.Var,
        still_open: list[str],
        env: Env,
    ) -> list[str]:
        if node.pattern is not None:
            return members_taken(ctx, node.pattern, subject, still_open, env)
        if not still_open:
            ctx.error("AC006", node, "this case is never reached", "delete it")
        return list(still_open)

    def bind(
        self,
        ctx: FunctionContext,
        node: ast.MatchAs,
        subject: T.Var,
        member: str,
        fields: dict[str, T.Var],
        env: Env,
    ) -> None:
        if node.name:
            env.names[node.name] = subject
        if node.pattern is not None:
            PATTERNS[type(node.pattern)].bind(ctx, node.pattern, subject, member, fields, env)


@pattern(ast.MatchSingleton)
class NonePattern:
    """`None`."""

    def members(
        self,
        ctx: FunctionContext,
        node: ast.MatchSingleton,
        subject: T.Var,
        still_open: list[str],
        env: Env,
    ) -> list[str]:
        if node.value is not None:  # `case True:`
            return _refuse(ctx, node)
        return _one_member(ctx, node, ast.Constant(None), type(None), subject, still_open)

    def bind(
        self,
        ctx: FunctionContext,
        node: ast.MatchSingleton,
        subject: T.Var,
        member: str,
        fields: dict[str, T.Var],
        env: Env,
    ) -> None:
        """None has no fields."""


@pattern(ast.MatchClass)
class ClassPattern:
    """`Node(left, right)`, `Node(left=x)`."""

    def members(
        self,
        ctx: FunctionContext,
        node: ast.MatchClass,
        subject: T.Var,
        still_open: list[str],
        env: Env,
    ) -> list[str]:
        found = ctx.static(node.cls, env)
        return _one_member(ctx, node, node.cls, found, subject, still_open)

    def bind(
        self,
        ctx: FunctionContext,
        node: ast.MatchClass,
        subject: T.Var,
        member: str,
        fields: dict[str, T.Var],
        env: Env,
    ) -> None:
        if len(node.patterns) > len(fields):
            wants = ", ".join(fields) or "no fields"
            ctx.error(
                "AC016",
                node,
                f"{member} has {len(fields)} fields, the pattern names {len(node.patterns)}",
                f"`case {member}({wants}):`" if fields else f"`case {member}():`",
            )
        pairs = list(zip(fields, node.patterns, strict=False))
        pairs += list(zip(node.kwd_attrs, node.kwd_patterns, strict=True))
        seen: set[str] = set()
        for name, inner in pairs:
            if name in seen:
                ctx.error("AC007", inner, f"the field {name!r} occurs twice", "one name for it")
            seen.add(name)
            if name not in fields:
                ctx.error(
                    "AC014",
                    inner,
                    f"{member} has no field {name!r}",
                    suggest(name, fields) or f"its fields are {', '.join(fields)}",
                )
            elif not isinstance(inner, ast.MatchAs) or inner.pattern is not None:
                _refuse_nested(ctx, inner, env)
            elif inner.name:
                env.names[inner.name] = fields[name]


def _one_member(
    ctx: FunctionContext,
    node: ast.pattern,
    source: ast.expr,
    cls: object,
    subject: T.Var,
    still_open: list[str],
) -> list[str]:
    """The member that the class `cls`, written as `source`, stands for, if it is still open."""
    name = ctx.builder.declarations.names.get(cls) if isinstance(cls, type) else None
    members: tuple[str, ...] = (str(subject.type),)
    if isinstance(subject.type, UnionType):
        members = subject.type.members
    if name is None or name not in members:
        ctx.error(
            "AC006",
            node,
            f"{ast.unparse(source)} is no member of {subject.type}: this case is never reached",
            suggest(ast.unparse(source), members) or f"a member of {subject.type}",
        )
        return []
    if name not in still_open:
        ctx.error("AC006", node, f"{name} is already covered by a case above", "delete it")
        return []
    return [name]


def _refuse(ctx: FunctionContext, node: ast.pattern) -> list[str]:
    ctx.error(
        "AC007",
        node,
        "a case is a class pattern with names, or `_`",
        "`case Node(left, right):`; match inner values in their own `match`",
    )
    return []


def _refuse_nested(ctx: FunctionContext, node: ast.pattern, env: Env) -> None:
    ctx.error(
        "AC007",
        node,
        "a pattern inside a pattern is not supported yet",
        "give the field a name and `match` it in the case",
    )
    for inner in ast.walk(node):
        if isinstance(inner, ast.MatchAs) and inner.name:
            env.names[inner.name] = POISON
