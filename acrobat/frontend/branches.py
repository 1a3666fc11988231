"""Branches: `if`, and what the names stand for behind statements with several paths."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.types import BOOL, ListType, TensorType, Type, join, run_time_value
from .expression import ExpressionLowerer
from .narrowing import has_none
from .scope import Binding, Conflict, Env, Poison, Recover, Size, Undefined


class BranchLowerer(ExpressionLowerer):
    """Adds branches."""

    def block(
        self, body: list[ast.stmt], env: Env, before: tuple[T.Stmt, ...] = ()
    ) -> tuple[T.Region, Env | None]:
        """The statements as a region that ends in an empty yield, and the bindings behind them;
        None for these if every path has left. `before` begins the region."""
        raise NotImplementedError

    def if_(self, node: ast.If, env: Env) -> T.Unreachable | None:
        """`if`, with what a test on None tells about the branches."""
        cond = self.condition(node.test, env)
        before = env.copy()
        branches = []
        for holds, body in ((True, node.body), (False, node.orelse)):
            inner = env.copy()
            branches.append(self.block(body, inner, self.narrow(node.test, holds, inner)))
        outs, regions, ended = self.merge(node, branches, env)
        self.stmts.append(T.If(outs, cond, regions[0], regions[1], self.span(node)))
        left = [e is None for _, e in branches]
        if left.count(True) == 1:
            # Behind `if x.next is None: return ...` x.next is not None; a name comes out of the
            # branch that is left at its narrower type.
            stmts = self.narrow(node.test, left[1], before)
            if before.narrowed != env.narrowed:
                env.narrowed = before.narrowed
                self.stmts.extend(stmts)
        return T.Unreachable() if ended else None

    def merge(
        self, node: ast.stmt, branches: list[tuple[T.Region, Env | None]], env: Env
    ) -> tuple[tuple[T.Var, ...], list[T.Region], bool]:
        """Join what the branches assigned: the variables that come out, the regions that yield
        them, and whether no branch falls through. `env` becomes the bindings behind."""
        falling = [e for _, e in branches if e is not None]
        outs: list[T.Var] = []
        yields: dict[int, list[T.Atom]] = {i: [] for i in range(len(branches))}
        if falling:
            env.owned = set.intersection(*(e.owned for e in falling))
        for name in dict.fromkeys(n for e in falling for n in e.names):
            found = [e.names.get(name, Undefined(self.span(node))) for e in falling]
            if all(f == found[0] for f in found) and (
                not isinstance(found[0], T.Var) or found[0] == env.names.get(name)
            ):
                env.names[name] = found[0]
                continue
            env.names[name] = self.merged(node, name, found)
            new = env.names[name]
            if isinstance(new, T.Var):
                outs.append(new)
                values = iter(found)
                for i, (_, e) in enumerate(branches):
                    if e is not None:
                        value = next(values)
                        assert isinstance(value, T.Atom)
                        yields[i].append(value)
        regions: list[T.Region] = []
        for i, (region, e) in enumerate(branches):
            end = T.Yield(tuple(yields[i])) if e is not None else region.end
            regions.append(T.Region(region.stmts, end))
        return tuple(outs), regions, not falling

    def merged(self, node: ast.stmt, name: str, found: list[Binding]) -> Binding:
        joined: Type | None = None
        for binding in found:
            if isinstance(binding, (Poison, Undefined, Conflict)):
                return binding
            if isinstance(binding, Size):
                return Conflict(self.span(node), "one size", "another size")
            if joined is None:
                joined = binding.type
                continue
            both = join(joined, binding.type)
            if both is None:
                return Conflict(self.span(node), str(joined), str(binding.type))
            if not run_time_value(both):
                return Conflict(self.span(node), f"one {both}", f"another {both}")
            joined = both
        assert joined is not None
        var = T.Var(name, joined)
        self.origins[var.number] = f"joined behind line {self.span(node).line}"
        return var

    def condition(self, test: ast.expr, env: Env) -> T.Atom:
        cond = self.expression(test, env)
        if cond.type != BOOL:
            tensor = isinstance(cond.type, TensorType)
            self.error(
                "AC018",
                test,
                f"the condition is a {cond.type}",
                "compare a number: `ops.item(x) > 0.5`"
                if tensor
                else "`is None`, or `match`"
                if has_none(cond.type)
                else f"`len({ast.unparse(test)}) > 0`"
                if isinstance(cond.type, ListType)
                else "compare it, such as `n > 0`",
            )
            raise Recover
        return cond
