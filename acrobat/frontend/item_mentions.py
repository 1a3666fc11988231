"""Whether the objects in a list are known through the list alone (objects_in_lists.py)."""

from __future__ import annotations

import ast

from .item_methods import only_reads_fields
from .listed_items import Items

_STRUCTURAL = {"insert", "pop", "sort", "clear", "reverse", "remove", "extend"}


class Mentions:
    """Where a function mentions a list and its items."""

    def __init__(self, items: Items) -> None:
        self.items = items
        self.attributes: set[str] = set()  # of the items

    def allowed(self) -> bool:
        """Whether the objects in the list are known through it alone."""
        items = self.items
        outer = {
            name
            for n in ast.walk(items.tree)
            if isinstance(n, (ast.Nonlocal, ast.Global))
            for name in n.names
        }
        outer |= {a.arg for a in ast.walk(items.tree.args) if isinstance(a, ast.arg)}
        if items.name in outer or outer & set(items.names):
            return False
        mentions = [n for n in ast.walk(items.tree) if isinstance(n, ast.Name)]
        return (
            all(
                self._list(n) if items.is_list(n) else self._item(n)
                for n in mentions
                if items.is_list(n) or items.is_item(n)
            )
            and all(map(self._steady, items.names.items()))
            and all(
                only_reads_fields(items.ctx, cls, name)
                for cls in items.classes
                for name in self.attributes
            )
        )

    def _parent(self, node: ast.AST, up: int = 1) -> ast.AST | None:
        found: ast.AST | None = node
        for _ in range(up):
            found = None if found is None else self.items.parents.get(id(found))
        return found

    def _list(self, node: ast.Name) -> bool:
        items, parent = self.items, self._parent(node)
        match parent:
            case ast.Assign([ast.Name()], value):
                return value is not node and self._makes_list(value)
            case ast.AnnAssign(value=ast.expr() as value):
                return value is not node and self._makes_list(value)
            case ast.Attribute(attr=method):
                return self._method(method, self._parent(node, 2), self._parent(node, 3))
            case ast.Subscript(slice=ast.Slice(), ctx=ast.Load()):
                return self._stays(parent)
            case ast.Subscript(slice=ast.Slice()):
                return isinstance(self._parent(node, 2), ast.Delete)
            case ast.Subscript(ctx=ast.Store()):
                whole = self._parent(node, 2)
                return isinstance(whole, ast.Assign) and items.makes(whole.value)
            case ast.Subscript():
                return self._item(parent)
            case ast.Call(ast.Name("len" | "bool")):
                return True
            case ast.Call(ast.Name("sorted")):
                return self._stays(parent)
            case ast.Call(ast.Name("enumerate")):
                return self._counted(self._parent(node, 2))
            case ast.Call(ast.Name("max" | "min")):
                return self._item(parent)
            case ast.For(ast.Name(), iterable):
                return iterable is node
            case ast.comprehension(ast.Name(target), iterable):
                whole = self._parent(node, 2)
                return iterable is node and (
                    self._fields_alone(whole, target) or self._filters(whole, target)
                )
            case ast.If(test) | ast.While(test) | ast.IfExp(test) if test is node:
                return True
            case ast.UnaryOp(ast.Not()):
                return True
            case ast.BoolOp(ast.Or()) | ast.IfExp():
                return self._is_tested(parent) or self._stays(node)
            case ast.BinOp() | ast.Starred():
                return self._stays(node)
            case ast.BoolOp():
                return self._is_tested(parent)
            case ast.Return():
                return self._outermost(parent)
        return False

    def _outermost(self, node: ast.AST) -> bool:
        """Whether `node` is in the function itself, not in one inside it."""
        found: ast.AST | None = node
        while found is not None and not isinstance(found, (ast.FunctionDef, ast.Lambda)):
            found = self._parent(found)
        return found is self.items.tree

    def _is_tested(self, node: ast.AST) -> bool:
        """Whether only the truth of the expression `node` counts."""
        match self._parent(node):
            case ast.If(test) | ast.While(test) | ast.IfExp(test):
                return test is node
            case ast.UnaryOp(ast.Not()):
                return True
            case ast.BoolOp() as whole:
                return self._is_tested(whole)
        return False

    def _stays(self, node: ast.AST | None) -> bool:
        """Whether the list `node`, of items of the list, becomes the list."""
        parent = self._parent(node) if node is not None else None
        match parent:
            case ast.Assign([ast.Name(name)], value):
                return name == self.items.name and value is node
            case ast.Subscript(slice=ast.Slice(), ctx=ast.Load()) | ast.BoolOp(ast.Or()):
                return self._stays(parent)
            case ast.BinOp(_, ast.Add(), _) | ast.Starred() | ast.List():
                return self._stays(parent)
            case ast.IfExp(test):
                return test is not node and self._stays(parent)
        return False

    def _filters(self, node: ast.AST | None, target: str) -> bool:
        """Whether `node` is `[x for x in xs if ...]`, which becomes the list."""
        match node:
            case ast.ListComp(ast.Name(name), [comprehension]) if name == target:
                tests = [self._fields_alone(test, target) for test in comprehension.ifs]
                return self._stays(node) and all(tests)
        return False

    def _counted(self, node: ast.AST | None) -> bool:
        match node:
            case ast.For():
                return self.items.bound(node) is not None
            case ast.comprehension(ast.Tuple([ast.Name(), ast.Name(target)])):
                return self._fields_alone(self._parent(node), target)
        return False

    def _makes_list(self, value: ast.expr) -> bool:
        """Whether `value` is a list of objects made there, or of those in this list, once each."""
        items = self.items
        if isinstance(value, (ast.List, ast.BinOp)):
            whole = [n for n in ast.walk(value) if items.is_list(n)]
            if len(whole) > 1:
                return False
        match value:
            case ast.BoolOp(ast.Or(), values):
                return all(items.is_list(v) or self._makes_list(v) for v in values)
            case ast.BinOp(left, ast.Add(), right):
                return all(items.is_list(v) or self._makes_list(v) for v in (left, right))
            case ast.IfExp(_, body, orelse):
                return all(items.is_list(v) or self._makes_list(v) for v in (body, orelse))
            case ast.List(elements):
                return all(
                    items.is_list(e.value) if isinstance(e, ast.Starred) else items.makes(e)
                    for e in elements
                )
            case ast.ListComp(element, [ast.comprehension(ast.Name(target), source)]):
                own = isinstance(element, ast.Name) and element.id == target
                return items.makes(element) or (own and items.is_list(source))
            case ast.Subscript(inner, ast.Slice()):
                return items.is_list(inner) or self._makes_list(inner)
            case ast.Call(ast.Name("sorted"), [source], keywords):
                return items.is_list(source) and all(self._is_key(k) for k in keywords)
        return False

    def _is_key(self, keyword: ast.keyword) -> bool:
        match keyword:
            case ast.keyword("reverse"):
                return True
            case ast.keyword("key", ast.Lambda(ast.arguments(args=[argument]), body)):
                return self._fields_alone(body, argument.arg)
        return False

    def _method(self, method: str, call: ast.AST | None, statement: ast.AST | None) -> bool:
        items = self.items
        match method, call:
            case "append", ast.Call(args=[value]):
                return isinstance(statement, ast.Expr) and (
                    items.makes(value) or self._is_given_up(value, statement)
                )
            case "insert", ast.Call(args=[_, value]):
                return isinstance(statement, ast.Expr) and items.makes(value)
            case "pop" | "clear" | "reverse", ast.Call():
                return isinstance(statement, ast.Expr)
            case "sort", ast.Call(args=[], keywords=keywords):
                return isinstance(statement, ast.Expr) and all(self._is_key(k) for k in keywords)
        return False

    def _is_given_up(self, value: ast.expr, statement: ast.stmt) -> bool:
        """Whether `value` is a name of an object that was made before, in the same block, and that
        has no use after this statement."""
        if not isinstance(value, ast.Name):
            return False
        uses = self.items.uses(value.id)
        stores = [n for n in uses if isinstance(n.ctx, ast.Store)]
        made = self._parent(stores[0]) if len(stores) == 1 else None
        if not isinstance(made, ast.Assign) or not self.items.makes(made.value):
            return False
        same = self._parent(made) is self._parent(statement)
        last = max((n.lineno, n.col_offset) for n in uses)
        fields = all(self._is_field(n) for n in uses if n not in (value, *stores))
        return same and fields and last == (value.lineno, value.col_offset)

    def _item(self, node: ast.AST) -> bool:
        """Whether only fields of the item are used, or it gets its name."""
        if self._is_field(node):
            return True
        parent = self._parent(node)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            binding = (self.items.bound(n) for n in (parent, self._parent(node, 2)) if n)
            return node.id in binding
        bound = isinstance(parent, ast.Assign) and parent in self.items.names.values()
        return bound and getattr(parent, "value", None) is node

    def _is_field(self, node: ast.AST) -> bool:
        """Whether only an attribute of `node` is used, which is noted."""
        parent = self._parent(node)
        if isinstance(parent, ast.Attribute):
            self.attributes.add(parent.attr)
        return isinstance(parent, ast.Attribute)

    def _fields_alone(self, node: ast.AST | None, name: str) -> bool:
        """Whether `node` uses only fields of `name`."""
        return node is not None and all(
            self._is_field(n)
            for n in ast.walk(node)
            if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
        )

    def _steady(self, bound: tuple[str, ast.AST]) -> bool:
        """Whether an item keeps its index while its name is used: its uses are in the loop's body,
        or behind the assignment in the same block, and the list's order does not change there."""
        name, node = bound
        uses = self.items.uses(name)
        if isinstance(node, ast.For):
            body: list[ast.stmt] = node.body
            loops = [n for n in ast.walk(self.items.tree) if isinstance(n, ast.For)]
            own = [n for loop in loops if self.items.bound(loop) == name for n in ast.walk(loop)]
            return all(u in own for u in uses) and not any(map(self._reorders, body))
        block = self._block(node)
        behind = [s for s in block if (s.lineno, s.col_offset) > self._at(node)]
        within = [n for s in behind for n in ast.walk(s)]
        loads = [u for u in uses if isinstance(u.ctx, ast.Load)]
        if not all(u in within for u in loads):
            return False
        last = max((self._at(u) for u in loads), default=self._at(node))
        return not any(self._reorders(s, grows=False) for s in behind if self._at(s) <= last)

    @staticmethod
    def _at(node: ast.AST) -> tuple[int, int]:
        return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)

    def _block(self, node: ast.AST) -> list[ast.stmt]:
        parent = self._parent(node)
        for part in ("body", "orelse"):
            block = getattr(parent, part, None)
            if isinstance(block, list) and node in block:
                return block
        return []

    def _reorders(self, stmt: ast.stmt, grows: bool = True) -> bool:
        """Whether a statement may change where the items of the list are, or, if `grows`, append
        others."""
        items = self.items
        for n in ast.walk(stmt):
            match n:
                case ast.Call(ast.Attribute(owner, method)) if items.is_list(owner):
                    if method in _STRUCTURAL or (grows and method == "append"):
                        return True
                case ast.Name(name, ast.Store() | ast.Del()) if name == items.name:
                    return True
                case ast.Subscript(owner, ast.Slice(), ast.Store() | ast.Del()):
                    if items.is_list(owner):
                        return True
                case ast.Subscript(owner, _, ast.Del()) if items.is_list(owner):
                    return True
        return False
