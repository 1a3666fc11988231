"""Which pattern a node of the syntax tree is, for values of a given type."""

from __future__ import annotations

import ast
import enum

from ...ir import typed as T
from ...ir.types import BOOL, FLOAT, NO_TUPLES, ListType, OptionalType, TupleType, Type
from ...lang.diagnostics import Diagnostic
from ..context import MISSING, FunctionContext
from ..pattern_tree import Anything, Member, OneOf, Parts, Pattern, Value, members
from ..registry import PATTERNS
from ..scope import Env, Recover
from .literals import is_member


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
    raw = _of_raw_members(ctx, node, t, env)
    if raw is not None:
        return raw
    if isinstance(t, OptionalType) and not isinstance(node, (ast.MatchAs, ast.MatchOr)):
        # An optional value is a pair: whether it is present, and its content.
        if isinstance(node, ast.MatchSingleton) and node.value is None:
            return Parts(node, (_known(node, False), Anything(node)))
        return Parts(node, (_known(node, True), handler(ctx, node, t.item, env)))
    return handler(ctx, node, t, env)


def _known(node: ast.pattern, value: bool) -> Value:
    return Value(node, T.Const(value, BOOL))


def _of_raw_members(ctx: FunctionContext, node: ast.pattern, t: Type, env: Env) -> Pattern | None:
    """The pattern for members of the union `t` that are no data types, say `case str():` or
    `case (left, right):`; None if it can match none of them."""
    datas, errors = ctx.builder.declarations.datas, ctx.reporter.errors
    found: list[Pattern] = []
    wrong: list[list[Diagnostic]] = []
    for m in members(t):
        if not datas[m].raw or not _may_match(ctx, node, datas[m], env):
            continue
        before = len(errors)
        try:
            inner = resolve(ctx, node, datas[m].fields[0][1], env)
        except Recover:  # it may match others: `case (None, x):`, a tuple with None
            wrong.append(errors[before:])
            del errors[before:]
        else:
            found.append(Member(node, m, ((T.RAW_VALUE, inner),)))
    if wrong and not found:
        errors += wrong[0]
        raise Recover
    if len(found) < 2:
        return found[0] if found else None
    return OneOf(node, tuple(found))


def _may_match(ctx: FunctionContext, node: ast.pattern, data: T.DataDef, env: Env) -> bool:
    """Whether a pattern matches some values of a member that is no data type."""
    t = data.fields[0][1]
    match node:
        case ast.MatchSequence():
            if isinstance(t, TupleType) and not isinstance(t, NO_TUPLES):
                return _may_have_length(node, len(t.items))
            return isinstance(t, ListType)
        case ast.MatchSingleton():
            return t == BOOL and node.value is not None
        case ast.MatchValue():
            value = value_in(ctx, node.value, env)
            if t == FLOAT and type(value) is int:
                return True
            return value is not MISSING and type(value) is data.cls
        case ast.MatchClass():
            cls = ctx.static(node.cls, env)
            return isinstance(cls, type) and issubclass(data.cls, cls)
    return False


def _may_have_length(node: ast.MatchSequence, length: int) -> bool:
    starred = any(isinstance(p, ast.MatchStar) for p in node.patterns)
    return length >= len(node.patterns) - 1 if starred else length == len(node.patterns)


def value_in(ctx: FunctionContext, node: ast.expr, env: Env) -> object:
    """The Python value that a pattern names; `MISSING` if it names none."""
    match node:
        case ast.Constant(value):
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as value)):
            return -value
    value = ctx.static(node, env)
    return value if is_member(value) or not isinstance(value, enum.Enum) else value.value
