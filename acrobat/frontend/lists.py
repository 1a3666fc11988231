"""Lists: literals, items, slices."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.types import INT, NOTHING, ListType, NothingType, Type, join
from .calls import CallLowerer
from .scope import Env

ZERO, ONE = T.Const(0, INT), T.Const(1, INT)


class ListLowerer(CallLowerer):
    """Adds lists."""

    def list_op(self, op: str, args: tuple[T.Atom, ...], t: Type, node: ast.AST) -> T.Var:
        """One operation on lists."""
        return self.let(T.ListOp(op, args), t, node, "n" if t == INT else "items")

    def list_literal(self, node: ast.List, env: Env) -> T.Var:
        """`[a, b]`, `[*xs, b]`."""
        if any(isinstance(e, ast.Starred) for e in node.elts):
            return self._joined(node, env)
        items = tuple(self.expression(e, env) for e in node.elts)
        t: Type = NOTHING
        for element, item in zip(node.elts, items, strict=True):
            both = join(t, item.type)
            if both is None:
                self.fail(
                    "AC008",
                    element,
                    f"an item of type {item.type} in a list of {t}",
                    "items of one type, or of members of one union",
                )
            t = both
        return self.list_op("make", items, ListType(t), node)

    def _joined(self, node: ast.List, env: Env) -> T.Var:
        """A literal with lists in it: its parts, one behind the other."""
        parts: list[ast.expr] = []
        single: list[ast.expr] = []
        for element in [*node.elts, None]:
            if isinstance(element, ast.expr) and not isinstance(element, ast.Starred):
                single.append(element)
                continue
            if single:
                parts.append(ast.copy_location(ast.List(single, ast.Load()), node))
                single = []
            if element is not None:
                parts.append(element.value)
        whole = parts[0]
        for part in parts[1:]:
            whole = ast.copy_location(ast.BinOp(whole, ast.Add(), part), node)
        if len(parts) == 1:
            empty = ast.copy_location(ast.List([], ast.Load()), node)
            whole = ast.copy_location(ast.BinOp(whole, ast.Add(), empty), node)
        items = self.expression(whole, env)
        if not isinstance(items, T.Var) or not isinstance(items.type, ListType):
            self.fail("AC017", node, f"`*` of a {items.type} in a list", "a list")
        return items

    def length(self, items: T.Atom, node: ast.AST) -> T.Var:
        """len(items)."""
        return self.list_op("len", (items,), INT, node)

    def list_item(self, node: ast.Subscript, items: T.Atom, index: ast.expr, env: Env) -> T.Var:
        """`xs[i]` or `xs[a:b]`."""
        assert isinstance(items.type, ListType)
        if isinstance(index, ast.Slice):
            return self.list_slice(node, items, index, env)
        at = self.expression(index, env)
        if at.type != INT:
            self.fail("AC017", index, f"an item of a list is chosen by an int, this is {at.type}")
        if isinstance(items.type.item, NothingType):
            self.fail("AC027", node, "an item of an empty list")
        return self.list_op("get", (items, at), items.type.item, node)

    def list_slice(self, node: ast.Subscript, items: T.Atom, index: ast.Slice, env: Env) -> T.Var:
        step = 1 if index.step is None else self.literal(index.step)
        if step == -1 and index.lower is None and index.upper is None:
            return self.list_op("reverse", (items,), items.type, node)
        if step != 1:
            self.fail("AC002", index, "a slice of a list with a step", "`xs[a:b]`, or `xs[::-1]`")
        start = ZERO if index.lower is None else self._bound(index.lower, env)
        stop = self.length(items, node) if index.upper is None else self._bound(index.upper, env)
        return self.list_op("slice", (items, start, stop), items.type, node)

    def _bound(self, part: ast.expr, env: Env) -> T.Atom:
        bound = self.expression(part, env)
        if bound.type != INT:
            self.fail("AC017", part, f"a bound of a slice is an int, this is {bound.type}")
        return bound
