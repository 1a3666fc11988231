"""Whether the objects in a list are known through the list alone (objects_in_lists.py)."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable

from .item_calls import ItemCall, callee, check_apart, check_order
from .item_making import Making
from .item_methods import Use, Uses
from .item_order import check_steady
from .item_refusals import Refused, short
from .item_scopes import bound_otherwise, lazy_calls
from .listed_items import Items
from .lists_given import only_reads_list
from .scope import Env


class Mentions:
    """Where a function mentions a list and its items."""

    def __init__(self, items: Items) -> None:
        self.items = items
        self.making = Making(items, self._only_reads, self._is_field)
        self.parent = self.making.parent
        # The attributes of items that are used, and the calls that get items as arguments.
        self.attributes: list[ast.Attribute] = []
        self.given: list[tuple[ast.Call, ast.expr]] = []
        self.lists_given: list[tuple[ast.Call, ast.Name]] = []  # those that get the list
        # The calls that change an item, by identity, and everything that does.
        self.calls: dict[int, ItemCall] = {}
        self.changes: list[ast.AST] = [*items.stores()]

    def check(self) -> None:
        """Refuse what gives the objects in the list another name, or does anything unknown."""
        items = self.items
        mentions = [n for n in ast.walk(items.tree) if isinstance(n, ast.Name)]
        # All of them: they say which classes the objects have, and what changes them.
        unknown = [n for n in mentions if items.is_list(n) and not self._list(n)]
        unknown += [n for n in mentions if items.is_item(n) and not self._item(n)]
        refused = [self._refused(n) for n in unknown]
        for attribute in self.attributes:
            refused += _refusals(self._attribute, attribute)
        for call, given in self.given:
            refused += _refusals(self._argument, call, given)
        for call, node in self.lists_given:
            if not all(only_reads_list(items.ctx, call, node, cls) for cls in items.classes):
                refused.append(self._refused(node))
        if refused:
            raise min(refused, key=lambda r: items.at[id(r.node)])
        for name in bound_otherwise(items.tree) & {items.name, *items.names}:
            what = f"{name}, a name of objects whose fields change, also means something else"
            raise Refused(items.tree, what, "another name for one of them")
        for name in items.names:
            check_steady(items, name)
        if any(items.is_list(n) for n in mentions if id(n) in items.later):
            for call in lazy_calls(items.ctx, items.tree):
                what = f"`{short(call)}` calls a function that may read {items.name} only later"
                raise Refused(call, what, "a list comprehension, `[... for ... in ...]`")
        for one in self.calls.values():
            check_order(items, one, set(self.calls))
            check_apart(items, one, [v for call, v in self.given if call is one.call])

    def _refused(self, node: ast.Name) -> Refused:
        items, parent = self.items, self.parent(node)
        around: ast.AST = node
        while not isinstance(around, (ast.stmt, ast.Call, ast.Lambda)):
            around = items.parents[id(around)]
        text = short(around).removesuffix(":")
        if isinstance(parent, ast.Attribute) and parent.attr in ("append", "insert"):
            what = f"`{text}` puts an object into {items.name} that has another name"
            return Refused(node, what, "the object itself there, where it is made")
        if items.is_list(node) and isinstance(node.ctx, ast.Store):
            what = f"`{text}`, of objects that may have other names, and whose fields change"
            return Refused(
                node, what, "a list of objects that are made there, `[C(x) for x in xs]`"
            )
        if items.is_list(node) and not (parent is not None and items.is_item(parent)):
            what = (
                f"`{text}` may give the objects in {items.name}, whose fields change, other names"
            )
            return Refused(node, what, f"a copy, `copy.deepcopy({items.name})`")
        item = ast.unparse(node if items.is_item(node) or parent is None else parent)
        what = f"`{text}` may give an object in {items.name}, whose fields change, another name"
        return Refused(node, what, f"a copy, `copy.deepcopy({item})`, or its fields one by one")

    # -- what is done with the objects ---------------------------------------------------------

    def _attribute(self, node: ast.Attribute) -> None:
        """A field is read, or a method called, that gives the object no other name."""
        items, item = self.items, node.value
        for cls in items.classes:
            its = Uses(items.ctx, cls)
            use = its.attribute(node.attr)
            if use is Use.READS:
                continue
            is_name = isinstance(item, ast.Name) and item.id not in items.names
            if use is Use.CHANGES and is_name and id(item) not in items.inner:
                continue  # an object that is not in the list yet
            self.changes += [node] if its.changed else []
            call = self.parent(node)
            if not isinstance(call, ast.Call) or call.func is not node:
                raise self._unknown(node, item)
            self._change(call, item, its, use)

    def _argument(self, call: ast.Call, given: ast.expr) -> None:
        """A function gives an item that it gets no other name."""
        items = self.items
        if items.ctx.static(call.func, Env()) is copy.deepcopy:
            return
        for cls in items.classes:
            its = Uses(items.ctx, cls)
            use = its.argument(call, given, *callee(items, call, cls))
            if use is not Use.READS:
                self.changes += [call] if its.changed else []
                if use is Use.CHANGES and not isinstance(call.func, ast.Name):
                    what = f"`{short(call)}` changes an object in {items.name} that it gets"
                    raise Refused(call, what, "a function of both objects, or a method of this")
                self._change(call, given, its, use)

    def _change(self, call: ast.Call, item: ast.expr, its: Uses, use: Use) -> None:
        items, text = self.items, short(call)
        if use is Use.UNKNOWN:
            raise self._unknown(call, item)
        if its.in_place:
            field = min(its.in_place)
            what = f"`{text}` changes the list or dict {field} of an object in {items.name}"
            raise Refused(call, what, f"a new one in its place, `x.{field} = [*x.{field}, y]`")
        if len(items.classes) > 1:
            names = " or ".join(sorted(c.__name__ for c in items.classes))
            what = f"`{text}` changes an object in {items.name}, a {names}"
            raise Refused(call, what, "a list for each class")
        if id(call) in self.calls:
            what = f"`{text}` changes two objects in {items.name}, which may be the same one"
            raise Refused(call, what, "a call for each of them, which gets the other's fields")
        if not items.is_item(item):
            what = f"`{text}` changes an object that is not known by its index in {items.name}"
            instead = f"a `for` over {items.name}, or a name for the object in a statement before"
            raise Refused(call, what, instead)
        self.calls[id(call)] = ItemCall(call, item, its)

    def _unknown(self, node: ast.Attribute | ast.Call, item: ast.expr) -> Refused:
        name = f"{ast.unparse(item)}, an object in {self.items.name} whose fields change"
        what = f"`{short(node)}` may give {name}, another name"
        if isinstance(node, ast.Attribute) or getattr(node.func, "value", None) is item:
            return Refused(node, what, "a method that only reads or assigns fields of its object")
        instead = f"a copy, `copy.deepcopy({ast.unparse(item)})`"
        return Refused(
            node, what, f"{instead}, or a function that only reads or assigns its fields"
        )

    # -- mentions ------------------------------------------------------------------------------

    def _list(self, node: ast.Name) -> bool:
        items, making, parent = self.items, self.making, self.parent(node)
        if id(node) in items.sources.lists:
            return True
        match parent:
            case ast.Assign([ast.Name()], value) | ast.AnnAssign(value=ast.expr() as value):
                return value is not node and making.makes_list(value)
            case ast.Attribute(attr=method):
                return self._method(method, self.parent(node, 2), self.parent(node, 3))
            case ast.Subscript(slice=ast.Slice(), ctx=ast.Load()):
                return making.stays(parent) or self._iterated(node)
            case ast.Subscript(slice=ast.Slice()):
                return isinstance(self.parent(node, 2), ast.Delete)
            case ast.Subscript(ctx=ast.Store()):
                whole = self.parent(node, 2)
                return isinstance(whole, ast.Assign) and items.makes(whole.value)
            case ast.Subscript():
                return parent.value is node and self._item(parent)
            case ast.Call(func) if self._calls(func, len, bool, copy.deepcopy):
                return True
            case ast.Call(func) if self._calls(func, sorted):
                return making.stays(parent) and all(map(making.is_key, parent.keywords))
            case ast.Call(func) if self._calls(func, max, min):
                return items.index_of(parent) is not None and self._item(parent)
            case ast.Call(func):
                if self._iterated(node):
                    return True
                if node not in parent.args or not self._outermost(node):
                    return False
                self.lists_given.append((parent, node))
                return True
            case ast.comprehension(iter=iterable) if iterable is node:
                return self._iterated(node)
            case ast.If(test) | ast.While(test) if test is node:
                return True
            case ast.UnaryOp(ast.Not()):
                return True
            case ast.BoolOp(ast.Or()) | ast.IfExp():
                return self._is_tested(node) or making.stays(node)
            case ast.BinOp() | ast.Starred():
                return making.stays(node)
            case ast.BoolOp():
                return self._is_tested(node)
            case ast.Return():
                return self._outermost(parent)
        return False

    def _calls(self, func: ast.expr, *functions: object) -> bool:
        found = self.items.ctx.static(func, Env())
        return any(found is f for f in functions)

    def _outermost(self, node: ast.AST) -> bool:
        """Whether `node` is in the function itself, not in one inside it."""
        return id(node) not in self.items.later

    def _is_tested(self, node: ast.AST) -> bool:
        """Whether only the truth of `node` counts."""
        parent = self.parent(node)
        match parent:
            case ast.If(test) | ast.While(test) | ast.IfExp(test) if test is node:
                return True
            case ast.UnaryOp(ast.Not()):
                return True
            case ast.BoolOp() | ast.IfExp():
                return self._is_tested(parent)
        return False

    def _iterated(self, node: ast.Name) -> bool:
        """Whether a comprehension runs over items of the list, and only reads them, or filters
        the list."""
        items, inner = self.items, self.parent(node)
        while isinstance(inner, ast.expr):
            inner = self.parent(inner)
        whole = self.parent(inner)
        if not isinstance(inner, ast.comprehension) or node not in ast.walk(inner.iter):
            return False
        names, lists = items.sources.found(inner.iter, inner.target)
        if id(node) not in lists:
            return False
        return all(self._only_reads(whole, name) for name in names) or (
            isinstance(inner.target, ast.Name) and self.making.filters(whole, inner.target.id)
        )

    def _method(self, method: str, call: ast.AST | None, statement: ast.AST | None) -> bool:
        items = self.items
        if not isinstance(call, ast.Call) or not isinstance(statement, ast.Expr):
            return False
        match method, call.args:
            case "append", [value]:
                return items.makes(value) or self.making.is_given_up(value, statement)
            case "insert", [_, value]:
                return items.makes(value)
            case (("pop" | "clear" | "reverse"), _):
                return True
            case "sort", []:
                return all(map(self.making.is_key, call.keywords))
        return False

    def _item(self, node: ast.AST) -> bool:
        """Whether only fields of the item are used, or it gets its name, or is returned."""
        if self._is_field(node) or self._is_given(node):
            return True
        parent = self.parent(node)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            while isinstance(parent, ast.Tuple):
                parent = self.parent(parent)
            return parent is not None and node.id in self.items.bound(parent)
        if isinstance(parent, ast.Assign):
            return bool(self.items.bound(parent)) and parent.value is node
        while isinstance(parent, (ast.Tuple, ast.List)):
            parent = self.parent(parent)
        return isinstance(parent, ast.Return) and self._outermost(parent)

    def _is_field(self, node: ast.AST) -> bool:
        """Whether only an attribute of `node` is used, which is noted."""
        parent = self.parent(node)
        if isinstance(parent, ast.Attribute):
            self.attributes.append(parent)
        return isinstance(parent, ast.Attribute)

    def _is_given(self, node: ast.AST) -> bool:
        """Whether `node` is an argument of a call, which is noted."""
        parent = self.parent(node)
        call = self.parent(parent) if isinstance(parent, ast.keyword) else parent
        if not isinstance(call, ast.Call) or not isinstance(node, ast.expr) or node is call.func:
            return False
        self.given.append((call, node))
        return True

    def _only_reads(self, node: ast.AST | None, name: str) -> bool:
        """Whether `node` uses only fields of `name`, at once, or gives it to functions."""
        return node is not None and all(
            (self._is_field(n) or self._is_given(n)) and id(n) not in self.items.later
            for n in ast.walk(node)
            if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
        )


def _refusals(check: Callable[..., None], *nodes: ast.AST) -> list[Refused]:
    try:
        check(*nodes)
    except Refused as refused:
        return [refused]
    return []
