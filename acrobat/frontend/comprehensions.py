"""Comprehensions: every turn by itself."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.types import INT, ListType, run_time_value
from .iteration import IterationLowerer
from .lists import ZERO
from .narrowing import names_read
from .scope import Env


class ComprehensionLowerer(IterationLowerer):
    """Adds comprehensions."""

    def comprehension(self, node: ast.ListComp, env: Env) -> T.Var:
        """`[f(x) for x in xs if c]`: every turn by itself."""
        if len(node.generators) != 1:
            self.fail(
                "AC002",
                node,
                "a comprehension with two `for`",
                "a comprehension inside a comprehension, or loops",
            )
        (generator,) = node.generators
        if generator.is_async:
            self.fail("AC002", node, "`async` is not part of the language", "a plain `for`")
        turns = self.counted(generator.iter, env)
        index = T.Var("i", INT)
        inner = env.copy()
        outer, self.stmts = self.stmts, []
        try:
            self.assign(generator.target, turns.item(index), inner)
            keep: T.Atom | None = None
            if generator.ifs:
                test = generator.ifs[0]
                if len(generator.ifs) > 1:
                    test = ast.copy_location(ast.BoolOp(ast.And(), list(generator.ifs)), node)
                keep = self.condition(test, inner)
                value, end = self._kept(node, test, keep, inner)
            else:
                value = self.expression(node.elt, inner)
                end = T.Yield((value,))
            body = T.Region(tuple(self.stmts), end)
        finally:
            self.stmts = outer
        env.owned &= inner.owned
        if not run_time_value(value.type):
            self.fail("AC002", node.elt, f"a list of weights ({value.type})", "a name for each")
        if keep is not None:
            return self._filtered(node, index, turns.stop, body, value)
        out = T.Var("items", ListType(value.type))
        self.stmts.append(T.Map((out,), index, turns.stop, body, False, self.span(node)))
        return out

    def _kept(
        self, node: ast.ListComp, test: ast.expr, keep: T.Atom, env: Env
    ) -> tuple[T.Atom, T.Yield]:
        """The element where the filter holds, in a list of one item; else an empty list: an element
        must not be computed where the filter says that it cannot be."""
        outer, self.stmts = self.stmts, []
        try:
            self.stmts += self.narrow(test, True, env, names_read(node.elt))
            value = self.expression(node.elt, env)
            one = self.list_op("make", (value,), ListType(value.type), node)
            then = T.Region(tuple(self.stmts), T.Yield((one,)))
            self.stmts = []
            none = self.list_op("make", (), ListType(value.type), node)
            orelse = T.Region(tuple(self.stmts), T.Yield((none,)))
        finally:
            self.stmts = outer
        out = T.Var("kept", ListType(value.type))
        self.stmts.append(T.If((out,), keep, then, orelse, self.span(node)))
        return out, T.Yield((keep, out))

    def _filtered(
        self, node: ast.ListComp, index: T.Var, count: T.Atom, body: T.Region, kept: T.Atom
    ) -> T.Var:
        """The items that were kept, out of their lists of one."""
        lists = T.Var("kept", ListType(kept.type))
        self.stmts.append(T.Map((lists,), index, count, body, True, self.span(node)))
        assert isinstance(kept.type, ListType)
        again, i = T.Var("items", kept.type), T.Var("i", INT)
        outer, self.stmts = self.stmts, []
        one = self.list_op("get", (lists, i), kept.type, node)
        item = self.list_op("get", (one, ZERO), kept.type.item, node)
        region = T.Region(tuple(self.stmts), T.Yield((item,)))
        self.stmts = outer
        length = self.length(lists, node)
        self.stmts.append(T.Map((again,), i, length, region, False, self.span(node)))
        return again

    def assign(self, target: ast.expr, atom: T.Atom, env: Env, made: bool = False) -> None:
        """Bind the names of `target` to `atom`."""
        raise NotImplementedError
