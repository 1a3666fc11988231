"""Rewrites uses of a queue or an iterator as uses of a list, and uses of a set as uses of a dict.
`own_collections` and `own_iterators` decide when."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from .set_values import in_any_order
from .written import call, copied, placed


@dataclass(slots=True)
class _Rewriting(ast.NodeTransformer):
    name: str

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """`q = deque()`."""
        self.generic_visit(node)
        if self._is(node.targets[0]):
            node.value = self.made(node.value)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """`q: deque[int] = deque()`: without the hint, for the items determine the type."""
        self.generic_visit(node)
        if not self._is(node.target) or node.value is None:
            return node
        return ast.copy_location(ast.Assign([node.target], self.made(node.value)), node)

    def _is(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == self.name

    def made(self, value: ast.expr) -> ast.expr:
        """The expression that makes the list or dict, in place of `value`."""
        raise NotImplementedError

    def method(self, node: ast.AST) -> tuple[str, list[ast.expr]] | None:
        """The method of the collection that `node` calls, and its arguments."""
        match node:
            case ast.Call(ast.Attribute(owner, method), args) if self._is(owner):
                return method, args
        return None


class QueueAsList(_Rewriting):
    def made(self, value: ast.expr) -> ast.expr:
        assert isinstance(value, ast.Call)
        value.func = ast.copy_location(ast.Name("list", ast.Load()), value.func)
        empty = ast.copy_location(ast.List([], ast.Load()), value)
        return value if value.args else empty

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`q.popleft()`, `q.appendleft(x)`."""
        self.generic_visit(node)
        found = self.method(node)
        if found is not None and found[0] in ("popleft", "appendleft"):
            assert isinstance(node.func, ast.Attribute)
            node.func.attr = "pop" if found[0] == "popleft" else "insert"
            node.args = [ast.copy_location(ast.Constant(0), node), *node.args]
        return node


@dataclass(slots=True)
class IteratorAsList(_Rewriting):
    """An iterator, as a list of the items that are still to come. Its uses `last`, by identity, may
    leave the list as it is."""

    last: frozenset[int]

    def made(self, value: ast.expr) -> ast.expr:
        match value:
            case ast.GeneratorExp(item, generators):
                return placed(ast.ListComp(item, generators), value)
            case ast.Call(ast.Name("iter"), [source], []):
                value = source
        return placed(ast.Call(ast.Name("list", ast.Load()), [value], []), value)

    def _next(self, node: ast.AST) -> ast.expr:
        pop = ast.Attribute(ast.Name(self.name, ast.Load()), "pop", ast.Load())
        return placed(ast.Call(pop, [ast.Constant(0)], []), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`next(it)`, `next(it, default)`."""
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name("next"), [owner]) if self._is(owner):
                return self._next(node)
            case ast.Call(ast.Name("next"), [owner, default]) if self._is(owner):
                some = ast.Name(self.name, ast.Load())
                return placed(ast.IfExp(some, self._next(node), default), node)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        """`for x in it:`, whose body may call `next(it)`."""
        self.generic_visit(node)
        if not self._is(node.iter) or id(node.iter) in self.last:
            return node
        item = placed(ast.Assign([node.target], self._next(node.iter)), node.iter)
        return ast.copy_location(ast.While(node.iter, [item, *node.body], node.orelse), node)


class SetAsDict(_Rewriting):
    def made(self, value: ast.expr) -> ast.expr:
        true = ast.Constant(True)
        match value:
            case ast.Set(items) if not any(isinstance(i, ast.Starred) for i in items):
                return placed(ast.Dict([*items], [true] * len(items)), value)
            case ast.SetComp(item, generators) | ast.Call(_, [ast.GeneratorExp(item, generators)]):
                for each in generators:
                    in_any_order(each.iter)
                return placed(ast.DictComp(item, true, generators), value)
            case ast.Call(_, [source]):
                in_any_order(source)
            case ast.Set(items):
                source = ast.List([_listed(i) for i in items], ast.Load())
            case _:
                return placed(ast.Dict([], []), value)
        name = f"an item in {value.lineno}:{value.col_offset}"  # not a name that a model can have
        each = ast.comprehension(ast.Name(name, ast.Store()), source, [], 0)
        return placed(ast.DictComp(ast.Name(name, ast.Load()), true, [each]), value)

    def inserted(self, owner: ast.expr) -> Iterator[ast.stmt]:
        """What makes sure that the set is there, if it is an item of a dict."""
        yield from ()

    def _stored(self, node: ast.AST, owner: ast.expr, item: ast.expr) -> ast.stmt:
        place = ast.Subscript(_read(owner), item, ast.Store())
        return placed(ast.Assign([place], ast.Constant(True)), node)

    def _all_stored(self, node: ast.stmt, owner: ast.expr, items: ast.expr) -> list[ast.stmt]:
        name = f"an item in {node.lineno}:{node.col_offset}"
        body = self._stored(node, owner, ast.Name(name, ast.Load()))
        if isinstance(items, ast.Set):
            items = ast.List(items.elts, ast.Load())
        in_any_order(items)
        loop = placed(ast.For(ast.Name(name, ast.Store()), items, [body], []), node)
        return [*(placed(s, node) for s in self.inserted(_read(owner))), loop]

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`max(s)` and the like: applied to the keys."""
        self.generic_visit(node)
        if len(node.args) == 1 and self._is(node.args[0]):
            keys = ast.Call(ast.Attribute(node.args[0], "keys", ast.Load()), [], [])
            node.args = [placed(keys, node.args[0])]
        return node

    def visit_Starred(self, node: ast.Starred) -> ast.AST:
        """`{*s, *t}`: the keys."""
        self.generic_visit(node)
        if self._is(node.value):
            keys = ast.Call(ast.Attribute(node.value, "keys", ast.Load()), [], [])
            node.value = placed(keys, node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        """`s |= xs`."""
        self.generic_visit(node)
        return self._all_stored(node, node.target, node.value) if self._is(node.target) else node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        """`s.add(x)` and the like."""
        self.generic_visit(node)
        match node.value:
            case ast.Call(ast.Attribute(owner)) if self._is(owner):
                pass
            case _:
                return node
        match self.method(node.value):
            case "add", [item]:
                return self._stored(node, owner, item)
            case "update", [items]:
                return self._all_stored(node, owner, items)
            case "remove" | "discard" as method, [item]:
                # Computed once, whether it is there or not.
                name = f"an item in {node.lineno}:{node.col_offset}"
                key = placed(ast.Assign([ast.Name(name, ast.Store())], item), node)
                place = ast.Subscript(_read(owner), ast.Name(name, ast.Load()), ast.Del())
                removed: ast.stmt = ast.Delete([place])
                if method == "discard":
                    there = ast.Compare(ast.Name(name, ast.Load()), [ast.In()], [_read(owner)])
                    removed = ast.If(there, [removed], [])
                return [key, placed(removed, node)]
        return node


def _listed(item: ast.expr) -> ast.expr:
    """An item of a set that is written out; `*s` of a set as that of a list."""
    if not isinstance(item, ast.Starred):
        return item
    items = call(list, in_any_order(item.value))
    return placed(ast.Starred(items, ast.Load()), item)


def _read(owner: ast.expr) -> ast.expr:
    """A copy of the expression of a set, for each place that reads it."""
    new = copied(owner)
    if isinstance(new, (ast.Name, ast.Subscript)):
        new.ctx = ast.Load()
    return new
