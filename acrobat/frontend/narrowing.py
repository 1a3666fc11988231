"""What a test on None tells about a value, where the test holds and where it does not."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.types import NONE, DataRef, Type, UnionType
from .base import Lowerer
from .scope import Env


def has_none(t: Type) -> bool:
    """Whether None is a value of `t`."""
    return t == NONE or (isinstance(t, UnionType) and "None" in t.members)


def names_read(node: ast.AST) -> set[str]:
    """The names that occur in `node`."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


class NarrowingLowerer(Lowerer):
    """Adds narrowing."""

    def narrow(
        self, test: ast.expr, holds: bool, env: Env, among: set[str] | None = None
    ) -> tuple[T.Stmt, ...]:
        """What is known where `test` holds (or does not): a test on None binds a name, or a field
        of a name, to the same value at a narrower type. `among`: only of these names."""
        match test:
            case ast.UnaryOp(ast.Not(), operand):
                return self.narrow(operand, not holds, env, among)
            case ast.BoolOp(op, values) if isinstance(op, ast.And) == holds:
                return tuple(s for v in values for s in self.narrow(v, holds, env, among))
            case ast.Compare(
                ast.Name() | ast.Attribute() as left,
                [ast.Is() | ast.IsNot() as op],
                [ast.Constant(None)],
            ) if among is None or names_read(left) & among:
                return self._narrowed(test, left, isinstance(op, ast.Is) == holds, env)
        return ()

    def _narrowed(
        self, test: ast.AST, left: ast.Name | ast.Attribute, none: bool, env: Env
    ) -> tuple[T.Stmt, ...]:
        """`left` is None, or is not."""
        owner: T.Atom | None = None
        outer, self.stmts = self.stmts, []
        try:
            if isinstance(left, ast.Attribute):
                owner = self.expression(left.value, env)
            value = self.expression(left, env)
            if not isinstance(value, T.Var) or not isinstance(value.type, UnionType):
                return ()
            rest = tuple(m for m in value.type.members if m != "None")
            if "None" not in value.type.members or not rest:
                return ()
            members = ("None",) if none else rest
            t: Type = DataRef(members[0]) if len(members) == 1 else UnionType(members)
            out = T.Var(value.name, t)
            self.origins[out.number] = self.origins.get(value.number, "")
            self.stmts.append(T.Let((out,), T.Narrow(value), self.span(test)))
            found = tuple(self.stmts)
        finally:
            self.stmts = outer
        if isinstance(left, ast.Name):
            env.names[left.id] = out
        elif isinstance(owner, T.Var):
            # Data do not change: what is known of a field stays known.
            env.narrowed[owner] = {**env.narrowed.get(owner, {}), left.attr: out}
        return found
