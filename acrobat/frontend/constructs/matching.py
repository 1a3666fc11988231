"""`match` on members of a union and their fields, numbers, tuples and lists."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial

from ...ir import typed as T
from ...ir.types import (
    BOOL,
    FLOAT,
    INT,
    TEXT,
    DataRef,
    DictType,
    KeyedType,
    ListType,
    MemberType,
    OptionalType,
    TupleType,
    Type,
    UnionType,
)
from ..blocks import Branch, block, branch, merge, run
from ..cases import Case, check_coverage
from ..conditions import condition
from ..context import FunctionContext
from ..narrowing import narrow
from ..optional import content
from ..pattern_tree import Member, OneOf, always, members
from ..registry import statement
from ..scope import Env
from ..syntax import has_effect, names_used_whole
from .match_cases import cases_of
from .missed_fields import narrow_missed
from .pattern_bindings import bind, narrowed, taken_by
from .pattern_tests import FALSE, left_by, matches
from .pattern_types import resolve
from .patterns import if_there
from .scalar_members import case_of_no_member


@statement(ast.Match)
def match(ctx: FunctionContext, node: ast.Match, env: Env) -> T.End | None:
    """`match x:`; values without a case go on behind it, if anything follows."""
    subject = _subject(ctx, node, env)
    t = subject.type
    data = isinstance(t, (DataRef, UnionType, TupleType, ListType)) and not isinstance(
        t, (DictType, KeyedType)
    )
    if not data and t not in (INT, FLOAT, BOOL, TEXT) and not isinstance(t, MemberType):
        ctx.fail(
            "AC017",
            node.subject,
            f"match needs data, a number, a string, a tuple or a list, this is {t}",
            "`if`, with what is to be known about it",
        )
    cases, omitted = cases_of(ctx, node, t, env)
    last = case_of_no_member(ctx, node, t, env)
    if last is not None:
        cases.append(Case(resolve(ctx, last.pattern, t, env), last))
    known = isinstance(subject, T.Const)  # then no other value needs a case
    if known or (not omitted and not check_coverage(ctx, node, cases, t)):
        rest = ast.match_case(ast.copy_location(ast.MatchAs(), node), None, [ast.Pass()])
        cases.append(Case(resolve(ctx, rest.pattern, t, env), rest, goes_on=True))
    match ctx.stmts[-1] if isinstance(node.subject, ast.Tuple) else None:
        case T.Let((out,), T.MakeTuple(items)) if out is subject:
            # Names in `match a, b:` are narrowed by the cases, too.
            env.narrowed[out] = {str(i): v for i, v in enumerate(items) if isinstance(v, T.Var)}
    return _choose(ctx, node, subject, cases, env)


def _subject(ctx: FunctionContext, node: ast.Match, env: Env) -> T.Atom:
    """The value that is matched. A list is still owned by its name, unless a case may give another
    name to it or to a list in it."""
    match node.subject:
        case ast.Name(name) if env.is_list(name) and not any(map(_keeps, node.cases)):
            value = ctx.peek(node.subject, env)
            if isinstance(value.type, ListType) and not _holds_lists(value.type.item):
                return value
    return ctx.expression(node.subject, env)


def _keeps(case: ast.match_case) -> bool:
    """Whether a case binds a name to the subject itself, or may change the subject in its guard."""
    patterns = [case.pattern]
    while patterns:
        match patterns.pop():
            case ast.MatchAs(inner, name):
                if name:
                    return True
                patterns += [inner] if inner else []
            case ast.MatchOr(alternatives):
                patterns += alternatives
    return case.guard is not None and has_effect(case.guard)


def _holds_lists(t: Type) -> bool:
    return isinstance(t, (ListType, TupleType))


def _choose(
    ctx: FunctionContext, node: ast.Match, value: T.Atom, cases: Sequence[Case], env: Env
) -> T.End | None:
    """Run the first case that `value` matches; at least one does."""
    cases = [_reached(c, value) for c in cases]
    first, *rest = cases
    is_known = len(members(value.type)) == 1 and value in env.narrowed
    if members(value.type) and not is_known and all(c.plain for c in cases):
        assert isinstance(value, T.Var)
        return _by_member(ctx, node, value, cases, env)
    if not rest or (first.node.guard is None and always(first.pattern, value.type)):
        bind(ctx, first.pattern, value, env, node.subject)
        return run(ctx, first.node.body, env)
    if isinstance(value, T.Var) and len(members(value.type)) > 1 and _apart(value, cases):
        return _by_member(ctx, node, value, cases, env)
    cond = _taken(ctx, first, node, value, env)

    def taken(inner: Env) -> T.End | None:
        bind(ctx, first.pattern, value, inner, node.subject)
        if first.node.guard is not None:
            ctx.stmts += narrow(ctx, first.node.guard, True, inner)
        return run(ctx, first.node.body, inner)

    def others(inner: Env) -> T.End | None:
        left, cases = value, rest
        if _takes_none(first, value):
            # In the remaining cases the value is not None.
            assert isinstance(value, T.Var)
            left = content(ctx, value, first.pattern.node)
            there = [(if_there(c.pattern), c.node) for c in rest]
            cases = [Case(p, body) for p, body in there if p is not None]
            _rename(node, value, left, inner)
        if isinstance(value, T.Var) and members(value.type) and first.node.guard is None:
            left = narrowed(ctx, first.pattern.node, value, left_by(first.pattern, value))
            _rename(node, value, left, inner)
        if isinstance(left, T.Var):
            narrow_missed(ctx, first, cases, left, inner)
        return _choose(ctx, node, left, cases, inner)

    if isinstance(cond, T.Const):  # the other branch may read weights that are missing
        ctx.decided.add(node)
        return taken(env) if cond.value else others(env)
    branches = [branch(ctx, env.copy(), lower) for lower in (taken, others)]
    outs, regions, ended = merge(ctx, node, branches, env)
    ctx.stmts.append(T.If(outs, cond, regions[0], regions[1], ctx.span(first.pattern.node)))
    return T.Unreachable() if ended else None


def _takes_none(case: Case, value: T.Atom) -> bool:
    """Whether the case matches None and nothing else."""
    if not isinstance(value.type, OptionalType) or case.node.guard is not None:
        return False
    return if_there(case.pattern) is None


def _reached(case: Case, value: T.Atom) -> Case:
    """`case` without its alternatives for union members that `value` is known not to be."""
    among, pattern = members(value.type), case.pattern
    if not among or not isinstance(pattern, OneOf):
        return case
    kept = [p for p in pattern.alternatives if not isinstance(p, Member) or p.data in among]
    if not 0 < len(kept) < len(pattern.alternatives):
        return case
    if len(kept) > 1:
        return Case(replace(pattern, alternatives=tuple(kept)), case.node)
    return Case(replace(kept[0], names=(*kept[0].names, *pattern.names)), case.node)


def _rename(node: ast.Match, value: T.Atom, out: T.Var, env: Env) -> None:
    if isinstance(node.subject, ast.Name) and env.names.get(node.subject.id) == value:
        env.names[node.subject.id] = out


def _taken(ctx: FunctionContext, case: Case, node: ast.Match, value: T.Atom, env: Env) -> T.Atom:
    """Whether the case is taken: its pattern matches, and then its guard holds."""
    test = matches(ctx, case.pattern, value)
    guard = case.node.guard
    if guard is None:
        return test
    inner = env.copy()
    with ctx.region() as stmts:
        bind(ctx, case.pattern, value, inner, node.subject)
        holds = condition(ctx, guard, inner)
    env.owned &= inner.owned
    if isinstance(test, T.Const) and test.value:
        ctx.stmts += stmts
        return holds
    out = ctx.computed("b", BOOL, guard)
    then, orelse = T.Region(tuple(stmts), T.Yield((holds,))), T.Region((), T.Yield((FALSE,)))
    ctx.stmts.append(T.If((out,), test, then, orelse, ctx.span(guard)))
    return out


def _apart(value: T.Var, cases: Sequence[Case]) -> bool:
    """Whether each case takes at most one of the members that reach it. Dividing a case by member
    would duplicate its body, and the copies would not batch with each other."""
    still_open = set(members(value.type))
    for case in cases:
        among = still_open & set(taken_by(case.pattern) or still_open)
        if len(among) > 1 and not case.computes_nothing:
            return False
        still_open -= among & case.whole
    return True


def _by_member(
    ctx: FunctionContext, node: ast.Match, value: T.Var, cases: Sequence[Case], env: Env
) -> T.End | None:
    """Branch on the union member that `value` is, and lower the cases for each member."""
    still_open = list(members(value.type))
    reached: dict[str, list[Case]] = {}
    for case in cases:
        taken = taken_by(case.pattern)
        for member in [m for m in still_open if taken is None or m in taken]:
            reached.setdefault(member, []).append(case)
            if (taken is None and case.plain) or member in case.whole:
                still_open.remove(member)
    arms: list[tuple[str, tuple[T.Var, ...]]] = []
    branches: list[Branch] = []
    for member, of_member in reached.items():
        declared = ctx.builder.declarations.datas[member].fields
        fields = {name: T.Var(name, t) for name, t in declared}
        for var in fields.values():
            ctx.origins[var.number] = f"a field of {member}"
        inner = env.copy()
        inner.narrowed[value] = fields
        if of_member[0].plain:
            branches.append(_plain_arm(ctx, node, of_member[0], value, member, inner))
        else:
            lower = partial(_arm, ctx, node, value, member, of_member)
            branches.append(branch(ctx, inner, lower))
        arms.append((member, tuple(fields.values())))
    outs, regions, ended = merge(ctx, node, branches, env)
    built = [T.Arm(m, b, r) for (m, b), r in zip(arms, regions, strict=True)]
    # In the order of the tags: the cases do not overlap, so their own order is irrelevant.
    built.sort(key=lambda a: ctx.builder.declarations.datas[a.data].tag)
    ctx.stmts.append(T.Match(outs, value, tuple(built), ctx.span(node)))
    return T.Unreachable() if ended else None


def _arm(
    ctx: FunctionContext,
    node: ast.Match,
    value: T.Var,
    member: str,
    cases: Sequence[Case],
    env: Env,
) -> T.End | None:
    """Lower the cases for one member."""
    known = narrowed(ctx, node.subject, value, (member,))
    env.narrowed[known] = env.narrowed[value]
    _rename(node, value, known, env)
    return _choose(ctx, node, known, cases, env)


def _owners(body: list[ast.stmt], fields: Collection[str]) -> set[str | None]:
    """The names on which `body` reads an attribute that is not a field: a method or a property."""
    return {
        n.value.id
        for stmt in body
        for n in ast.walk(stmt)
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.attr not in fields
    }


def _plain_arm(
    ctx: FunctionContext, node: ast.Match, case: Case, value: T.Var, member: str, env: Env
) -> Branch:
    """A case that takes a member regardless of its fields. Inside the case, the subject is known to
    be of that type, and so are the names for it that are used for more than their fields."""
    fields = env.narrowed[value]
    for name in case.pattern.names:
        env.names[name] = value
        env.escape(name)
    if isinstance(case.pattern, Member):
        for field, inner in case.pattern.fields:
            for name in inner.names:
                env.names[name] = fields[field]
                env.escape(name)
    names = set(case.pattern.names)
    if isinstance(node.subject, ast.Name):
        names.add(node.subject.id)
    if not case.goes_on:
        names &= names_used_whole(case.node.body) | _owners(case.node.body, fields)
    before: tuple[T.Stmt, ...] = ()
    if names and isinstance(value.type, UnionType):
        out = T.Var(value.name, DataRef(member))
        ctx.origins[out.number] = ctx.origins.get(value.number, "")
        env.narrowed[out] = fields
        env.names.update((n, out) for n in names)
        before = (T.Let((out,), T.Narrow(value), ctx.span(case.pattern.node)),)
    return block(ctx, case.node.body, env, before)
