"""`match` on data."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.types import DataRef, UnionType
from ..blocks import Branch, block, merge
from ..context import FunctionContext
from ..registry import statement
from ..scope import Env, Recover
from ..syntax import names_used_whole
from .patterns import bind_pattern, members_taken


@statement(ast.Match)
def match(ctx: FunctionContext, node: ast.Match, env: Env) -> T.Unreachable | None:
    """`match x:`, which covers every member of the type of `x`."""
    subject = ctx.expression(node.subject, env)
    if not isinstance(subject, T.Var) or not isinstance(subject.type, (DataRef, UnionType)):
        ctx.fail(
            "AC017",
            node.subject,
            f"match needs a value of an @ab.data type, this is {subject.type}",
            "compare numbers with `if`",
        )
    still_open = (
        list(subject.type.members) if isinstance(subject.type, UnionType) else [subject.type.name]
    )
    arms: list[tuple[str, tuple[T.Var, ...]]] = []
    errors = len(ctx.reporter.errors)
    branches: list[Branch] = []
    for case in node.cases:
        if case.guard is not None:
            ctx.error("AC007", case.guard, "a guard is not supported yet", "`if` inside the case")
        for member in members_taken(ctx, case.pattern, subject, still_open, env):
            inner = env.copy()
            arms.append((member, bind_pattern(ctx, case.pattern, subject, member, inner)))
            known = _known(ctx, node.subject, case, subject, member, inner)
            branches.append(block(ctx, case.body, inner, known))
            still_open.remove(member)
    if still_open and len(ctx.reporter.errors) > errors:
        raise Recover  # with a case that is wrong, the missing ones are unknown
    if still_open:
        ctx.fail(
            "AC005",
            node.subject,
            f"match over {subject.type} does not cover {', '.join(still_open)}",
            " and ".join(f"`case {m}(...):`" for m in still_open) + ", or `case _:`",
        )
    outs, regions, ended = merge(ctx, node, branches, env)
    built = [T.Arm(m, b, r) for (m, b), r in zip(arms, regions, strict=True)]
    # In the order of the tags: the cases do not overlap, so theirs has no meaning.
    built.sort(key=lambda a: ctx.builder.declarations.datas[a.data].tag)
    ctx.stmts.append(T.Match(outs, subject, tuple(built), ctx.span(node)))
    return T.Unreachable() if ended else None


def _known(
    ctx: FunctionContext,
    node: ast.expr,
    case: ast.match_case,
    subject: T.Var,
    member: str,
    env: Env,
) -> tuple[T.Stmt, ...]:
    """Inside the case the subject is known to be a `member`: so are the names that stand for it, if
    the case uses them for more than their fields."""
    names = {case.pattern.name} if isinstance(case.pattern, ast.MatchAs) else set()
    if isinstance(node, ast.Name):
        names.add(node.id)
    names &= names_used_whole(case.body)
    if not names or not isinstance(subject.type, UnionType):
        return ()
    out = T.Var(subject.name, DataRef(member))
    ctx.origins[out.number] = ctx.origins.get(subject.number, "")
    env.narrowed[out] = env.narrowed[subject]
    env.names.update((n, out) for n in names if n is not None)
    return (T.Let((out,), T.Narrow(subject), ctx.span(case.pattern)),)
