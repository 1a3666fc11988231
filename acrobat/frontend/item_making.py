"""Expressions that make a list of objects, or leave those of a list in it (item_mentions.py)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from .listed_items import Items


@dataclass(frozen=True, slots=True)
class Making:
    """What becomes of the list and its objects in expressions. `only_reads` says whether an
    expression gives the objects that a name in it stands for no other name, `is_field` whether
    only an attribute of one is used; both note what is used."""

    items: Items
    only_reads: Callable[[ast.AST | None, str], bool]
    is_field: Callable[[ast.AST], bool]

    def parent(self, node: ast.AST | None, up: int = 1) -> ast.AST | None:
        """What `node` is part of, `up` steps above it."""
        for _ in range(up):
            node = None if node is None else self.items.parents.get(id(node))
        return node

    def stays(self, node: ast.AST | None) -> bool:
        """Whether the list `node`, of items of the list, becomes the list."""
        parent = self.parent(node) if node is not None else None
        match parent:
            case ast.Assign([ast.Name(name)], value):
                return name == self.items.name and value is node
            case ast.Subscript(slice=ast.Slice(), ctx=ast.Load()) | ast.BoolOp(ast.Or()):
                return self.stays(parent)
            case ast.BinOp(_, ast.Add(), _) | ast.Starred() | ast.List():
                return self.stays(parent)
            case ast.IfExp(test):
                return test is not node and self.stays(parent)
        return False

    def filters(self, node: ast.AST | None, target: str) -> bool:
        """Whether `node` is `[x for x in xs if ...]`, which becomes the list."""
        match node:
            case ast.ListComp(ast.Name(name), [comprehension]) if name == target:
                tests = [self.only_reads(test, target) for test in comprehension.ifs]
                return self.stays(node) and all(tests)
        return False

    def makes_list(self, value: ast.expr) -> bool:
        """Whether `value` is a list of objects made there, or of those in this list, once each."""
        items = self.items
        if isinstance(value, (ast.List, ast.BinOp)):
            whole = [n for n in ast.walk(value) if items.is_list(n)]
            if len(whole) > 1:
                return False
        match value:
            case ast.BoolOp(ast.Or(), values):
                return all(items.is_list(v) or self.makes_list(v) for v in values)
            case ast.BinOp(left, ast.Add(), right):
                return all(items.is_list(v) or self.makes_list(v) for v in (left, right))
            case ast.IfExp(_, body, orelse):
                return all(items.is_list(v) or self.makes_list(v) for v in (body, orelse))
            case ast.List(elements):
                return all(
                    items.is_list(e.value) if isinstance(e, ast.Starred) else items.makes(e)
                    for e in elements
                )
            case ast.ListComp(ast.Name(name), [ast.comprehension(ast.Name(target), source)]):
                return name == target and items.is_list(source)
            case ast.ListComp(element):
                return items.makes(element)
            case ast.Subscript(inner, ast.Slice()):
                return items.is_list(inner) or self.makes_list(inner)
            case ast.Call(ast.Name("sorted"), [source], keywords):
                return items.is_list(source) and all(self.is_key(k) for k in keywords)
        return False

    def is_key(self, keyword: ast.keyword) -> bool:
        """Whether a keyword of `sorted` or `sort` gives the objects no other name."""
        match keyword:
            case ast.keyword("reverse"):
                return True
            case ast.keyword("key", ast.Lambda(ast.arguments(args=[argument]), body)):
                return self.only_reads(body, argument.arg)
        return False

    def is_given_up(self, value: ast.expr, statement: ast.stmt) -> bool:
        """Whether `value` is a name of an object that was made before, in the same block, and that
        has no use after this statement."""
        items = self.items
        if not isinstance(value, ast.Name) or value.id in items.names:
            return False
        uses = items.uses(value.id)
        stores = [n for n in uses if isinstance(n.ctx, ast.Store)]
        made = self.parent(stores[0]) if len(stores) == 1 else None
        if not isinstance(made, ast.Assign) or not items.makes(made.value):
            return False
        others = [n for n in uses if n is not stores[0]]
        behind = all(items.at[id(n)][0] > items.at[id(made)][1] for n in others)
        same = self.parent(made) is self.parent(statement) and behind
        fields = [self.is_field(n) and id(n) not in items.later for n in others if n is not value]
        return same and all(fields) and uses[-1] is value
