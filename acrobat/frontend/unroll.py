"""Loop unrolling, for loops over weights: every operation must know its own weight when the model
is compiled.

An early exit decides whether further iterations run: `break` and `continue` put the rest of the
loop into the branches that do not exit.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from ..ir import typed as T
from ..ir.types import BOOL, INT
from ..limits import MAX_UNROLLED
from .blocks import block, merge
from .context import Continuation, FunctionContext
from .iteration_space import IterationSpace
from .scope import Env
from .syntax import jumps
from .targets import assign

# How many copies there may be of the rest of a loop.
_MOST_COPIES = 8 * MAX_UNROLLED


@dataclass(slots=True)
class Unrolling:
    """One loop that is unrolled; `copies` counts its iterations in the code."""

    ctx: FunctionContext
    node: ast.For
    space: IterationSpace
    breaks: bool = field(init=False)
    copies: int = 0

    def __post_init__(self) -> None:
        self.breaks = any(jumps(s, ast.Break) for s in self.node.body)

    def run(self, env: Env) -> T.End | None:
        """Lower all iterations; returns what ends the enclosing region, if nothing after the loop
        is reached."""
        self.ctx.decided.add(self.node)
        count = self.space.unrolled
        assert count is not None
        nested = self.breaks or not isinstance(self.space.stop, T.Const)
        if nested:
            return self.iteration(0, count, env)
        for k in range(count):
            end = self.statements([self.binding(k), *spliced(self.node.body, [])], env)
            if end is not None:
                return end
        return None

    def iteration(self, k: int, count: int, env: Env) -> T.End | None:
        """Lower iteration k and all that follow, if there is an iteration k."""
        self.copies += 1
        if self.copies > _MOST_COPIES:
            self.ctx.fail(
                "AC002",
                self.node,
                "the rest of this loop over weights depends on too many paths through it",
                "a function with the body of the loop, which returns early",
            )
        if k == count:
            return None
        rest = [Continuation(lambda inner: self.iteration(k + 1, count, inner))]
        body = [self.binding(k), *spliced(self.node.body, list[ast.stmt](rest))]
        if isinstance(self.space.stop, T.Const):
            return self.statements(body, env)
        ctx, at = self.ctx, T.Const(k, INT)
        more = ctx.let(T.Scalar("<", (at, self.space.stop)), BOOL, self.node, "b")
        branches = [block(ctx, b, env.copy()) for b in (body, list[ast.stmt]())]
        outs, regions, ended = merge(ctx, self.node, branches, env)
        ctx.stmts.append(T.If(outs, more, regions[0], regions[1], ctx.span(self.node)))
        return T.Unreachable() if ended else None

    def binding(self, k: int) -> ast.stmt:
        """The statement that gives the target its value in iteration k."""

        def bind(env: Env) -> None:
            bind_target(self.ctx, self.node.target, self.space, k, env)

        return Continuation(bind)

    def statements(self, body: list[ast.stmt], env: Env) -> T.End | None:
        """Lower statements where the loop stands."""
        region, after = block(self.ctx, body, env)
        self.ctx.stmts.extend(region.stmts)
        return region.end if after is None else None


def spliced(body: list[ast.stmt], after: list[ast.stmt]) -> list[ast.stmt]:
    """`body`, and `after` wherever it ends without a `break`; no `break` or `continue` is left."""
    for i, stmt in enumerate(body):
        rest = body[i + 1 :]
        match stmt:
            case ast.Break():
                return body[:i]
            case ast.Continue():
                return [*body[:i], *after]
            case ast.If() if jumps(stmt, ast.Break, ast.Continue):
                then, orelse = (spliced([*b, *rest], after) for b in (stmt.body, stmt.orelse))
                branch = ast.If(stmt.test, then or [_nothing(stmt)], orelse)
                return [*body[:i], ast.copy_location(branch, stmt)]
            case ast.Match() if jumps(stmt, ast.Break, ast.Continue):
                cases = [
                    ast.match_case(
                        c.pattern, c.guard, spliced([*c.body, *rest], after) or [_nothing(stmt)]
                    )
                    for c in stmt.cases
                ]
                return [*body[:i], ast.copy_location(ast.Match(stmt.subject, cases), stmt)]
    return [*body, *after]


def _nothing(stmt: ast.stmt) -> ast.stmt:
    return ast.copy_location(ast.Pass(), stmt)


def bind_target(
    ctx: FunctionContext, target: ast.expr, space: IterationSpace, k: int, env: Env
) -> None:
    """Give the target its value in iteration k."""
    if space.functions and isinstance(target, ast.Name):
        env.names[target.id] = space.functions[k]
        env.escape(target.id)
        return
    assign(ctx, target, space.item(T.Const(k, INT)), env)
