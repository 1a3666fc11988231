"""Rewrites changes of objects in a list as changes of the list (objects_in_lists.py)."""

from __future__ import annotations

import ast
import dataclasses
from dataclasses import dataclass

from .constructs.evaluation_order import Renamed
from .item_sources import AsIndices
from .listed_items import Items
from .written import call, copied, placed


class ItemChanges(ast.NodeTransformer):
    """Uses the index of each item in place of its name, and changes the list."""

    def __init__(self, items: Items) -> None:
        self.items = items

    def _index(self, name: str) -> str:
        return f"the index of {name} in {self.items.name}"  # a name that no model can have

    def _get(self, index: ast.expr) -> ast.Subscript:
        return ast.Subscript(ast.Name(self.items.name, ast.Load()), index, ast.Load())

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """`s`, an item."""
        if not self.items.is_item(node) or not isinstance(node.ctx, ast.Load):
            return node
        return placed(self._get(ast.Name(self._index(node.id), ast.Load())), node)

    def visit_For(self, node: ast.For) -> ast.AST:
        """`for s in slots:`, `for i, s in enumerate(slots):`."""
        names = self.items.bound(node)
        if not names:
            return self.generic_visit(node)
        body = [s for part in map(self._one, node.body) for s in part]
        orelse = [s for part in map(self._one, node.orelse) for s in part]
        items = self.items
        over = AsIndices(items.name, items.sources.lists).visit(self.visit(node.iter))
        target = Renamed({n: self._index(n) for n in names}).visit(node.target)
        return placed(ast.For(target, over, body, orelse), node)

    def _one(self, stmt: ast.stmt) -> list[ast.stmt]:
        new = self.visit(stmt)
        return new if isinstance(new, list) else [new]

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        """`best = slots[i]`, `slots[i].age = 0`."""
        match node:
            case ast.Assign([ast.Name(name)], value) if self.items.bound(node):
                return self._named(node, name, value)
            case ast.Assign([ast.Attribute(item, attr) as target], value) if self.items.is_item(
                item
            ):
                return self._set(node, target, attr, self.visit(value))
            case ast.Assign([ast.Tuple(targets)], value) if self._are_fields(targets):
                return self._set_each(node, targets, self.visit(value))
        return self.generic_visit(node)

    def _are_fields(self, targets: list[ast.expr]) -> bool:
        fields = [
            t for t in targets if isinstance(t, ast.Attribute) and self.items.is_item(t.value)
        ]
        return bool(fields) and not any(isinstance(t, (ast.Starred, ast.Tuple)) for t in targets)

    def _set_each(
        self, node: ast.Assign, targets: list[ast.expr], value: ast.expr
    ) -> list[ast.stmt]:
        """`a.x, b.x = b.x, a.x`: the values first, then one after the other."""
        at = f"in {node.lineno}:{node.col_offset}"
        names = [f"value {i} {at}" for i in range(len(targets))]
        stored: list[ast.expr] = [ast.Name(n, ast.Store()) for n in names]
        new = [placed(ast.Assign([ast.Tuple(stored, ast.Store())], value), node)]
        each: list[ast.stmt] = []
        for target, name in zip(targets, names, strict=True):
            one = placed(ast.Assign([target], ast.Name(name, ast.Load())), node)
            if isinstance(target, ast.Attribute) and self.items.is_item(target.value):
                each += self._set(one, target, target.attr, one.value)
            else:
                self.generic_visit(one)
                each.append(one)
        return [*new, *each]

    def _named(self, node: ast.Assign, name: str, value: ast.expr) -> list[ast.stmt]:
        """The index of an item that gets a name, counted from the start: others may be appended."""
        index = self._index(name)
        if isinstance(value, ast.Name):
            of = ast.Name(self._index(value.id), ast.Load())
            return [placed(ast.Assign([ast.Name(index, ast.Store())], of), node)]
        if not isinstance(value, ast.Subscript):
            target = ast.Name(index, ast.Store())
            return [placed(ast.Assign([target], self._found(value)), node)]
        given = f"{index}, as given"
        first = ast.Assign([ast.Name(given, ast.Store())], self.visit(value.slice))
        at, zero = ast.Name(given, ast.Load()), ast.Constant(0)
        count = call(len, ast.Name(self.items.name, ast.Load()))
        counted: ast.expr = ast.BinOp(at, ast.Add(), count)
        if name in self.items.grown:  # an index out of range might be in range later
            counted = ast.Subscript(call(range, count), at, ast.Load())
        else:
            # one that is too small stays so
            negative = ast.Compare(at, [ast.Lt()], [zero])
            within = ast.Compare(counted, [ast.GtE()], [zero])
            both = ast.BoolOp(ast.And(), [negative, within])
            counted = ast.IfExp(both, counted, at)
        second = ast.Assign([ast.Name(index, ast.Store())], counted)
        return [placed(first, node), placed(second, node)]

    def _found(self, value: ast.expr) -> ast.expr:
        """The index of the item that `max(xs, key=f)` finds."""
        assert isinstance(value, ast.Call)
        (keyword,) = value.keywords
        assert isinstance(keyword.value, ast.Lambda)
        key = keyword.value
        (argument,) = key.args.args
        at = "an index"  # not a name that the key can use
        body = _Replaced(argument.arg, self._get(ast.Name(at, ast.Load()))).visit(
            self.visit(key.body)
        )
        args = ast.arguments([], [ast.arg(at)], None, [], [], None, [])
        count = call(len, ast.Name(self.items.name, ast.Load()))
        over = call(range, count)
        by = [ast.keyword("key", ast.Lambda(args, body))]
        return placed(ast.Call(value.func, [over], by), value)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        """`slots[i].age += 1`. What changes in place becomes an error of `in_place`."""
        match node.target:
            case ast.Attribute(item, attr) as target if self.items.is_item(item):
                pass
            case _:
                return self.generic_visit(node)
        at, before = self._at_once(item, node)
        name = f"{ast.unparse(target)} in {node.lineno}:{node.col_offset}"
        old = ast.Assign([ast.Name(name, ast.Store())], ast.Attribute(at, attr, ast.Load()))
        new = ast.AugAssign(ast.Name(name, ast.Store()), node.op, self.visit(node.value))
        stored = self._stored(at, attr, ast.Name(name, ast.Load()))
        return [*before, *(placed(s, node) for s in (old, new, stored))]

    def _set(
        self, node: ast.Assign, target: ast.Attribute, attr: str, value: ast.expr
    ) -> list[ast.stmt]:
        name = f"{ast.unparse(target)} in {node.lineno}:{node.col_offset}"
        first = placed(ast.Assign([ast.Name(name, ast.Store())], value), node)
        at, before = self._at_once(target.value, node)
        return [first, *before, placed(self._stored(at, attr, ast.Name(name, ast.Load())), node)]

    def _at_once(self, item: ast.expr, node: ast.stmt) -> tuple[ast.expr, list[ast.stmt]]:
        """The item at an index that is computed once, and the statement that computes it."""
        if isinstance(item, ast.Name):
            return self.visit(item), []
        assert isinstance(item, ast.Subscript)
        index = self.visit(item.slice)
        if isinstance(index, ast.Constant):
            return placed(self._get(index), item), []
        name = f"{ast.unparse(item.slice)} in {node.lineno}:{node.col_offset}"
        known = placed(ast.Assign([ast.Name(name, ast.Store())], index), node)
        return placed(self._get(ast.Name(name, ast.Load())), item), [known]

    def _stored(self, at: ast.expr, attr: str, value: ast.expr) -> ast.stmt:
        assert isinstance(at, ast.Subscript)
        new = call(dataclasses.replace, at, **{attr: value})
        return ast.Assign([ast.Subscript(at.value, at.slice, ast.Store())], new)


@dataclass(slots=True)
class _Replaced(ast.NodeTransformer):
    name: str
    by: ast.expr

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """The name itself."""
        return copied(self.by) if node.id == self.name else node
