"""Rewrites uses of a dict with defaults as uses of a plain one; `default_dicts` decides when."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from .syntax import MUTATING, names_in
from .templates import template


@dataclass(frozen=True, slots=True)
class Made:
    """`name = defaultdict(list)`. `default`: the value of a missing key, as source; `counts`: it is
    a Counter, which a lookup does not change."""

    name: str
    default: str
    counts: bool
    call: ast.Call
    inner: str | None = None  # the default of the dicts in it, if they have one


@dataclass(slots=True)
class Rewriting(ast.NodeTransformer):
    made: Made
    tells_keys: bool
    users: frozenset[str]  # the local functions if one uses it: they may change it where called
    # The names of the current keys of enclosing loops over the dict.
    keys: list[str] = field(default_factory=list)

    @property
    def inserts(self) -> bool:
        """Whether it matters that reading a missing key inserts it."""
        return self.tells_keys and not self.made.counts

    def rewrite(self, tree: ast.FunctionDef) -> None:
        """Rewrite the statements of a function."""
        tree.body = self._body(tree.body)

    def _body(self, stmts: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for stmt in stmts:
            new = self.visit(stmt)
            found += new if isinstance(new, list) else [new]
        return found

    def _is_item(self, node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Name)
            and node.value.id == self.made.name
        )

    def _is_inner(self, node: ast.AST) -> bool:
        """Whether `node` is an item of a dict in this one that has defaults, too."""
        inside = isinstance(node, ast.Subscript) and self._is_item(node.value)
        return inside and self.made.inner is not None

    def _of_inner(self, node: ast.Subscript, method: str, key: ast.expr, at: ast.expr) -> ast.expr:
        """`d.get(k, {}).get(j, 0)`, or another method of both."""
        assert self.made.inner is not None
        func = ast.Attribute(self._call(node, method, key), method, ast.Load())
        return _placed(ast.Call(func, [at, _source(self.made.inner)], []), node, key, at)

    def _call(self, node: ast.AST, method: str, key: ast.expr) -> ast.expr:
        """`d.get(k, 0)`, or another method of the dict."""
        func = ast.Attribute(ast.Name(self.made.name, ast.Load()), method, ast.Load())
        return _placed(ast.Call(func, [key, _source(self.made.default)], []), node, key)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        """`d = defaultdict(list)`."""
        return self._begun(node, node.value) or self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | list[ast.stmt]:
        """`d: dict[int, int] = defaultdict(int)`."""
        return self._begun(node, node.value) or self.generic_visit(node)

    def _begun(self, node: ast.Assign | ast.AnnAssign, value: ast.AST | None) -> list[ast.stmt]:
        target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
        if not isinstance(target, ast.Name) or target.id != self.made.name:
            return []
        assert isinstance(value, ast.Call)
        empty = _placed(ast.Dict([], []), value)
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation).startswith("dict"):
            node.value = empty
            stmts: list[ast.stmt] = [node]
        else:
            stmts = [_placed(ast.Assign([target], empty), node, target, empty)]
        if self.made.counts and value.args:
            source = self.visit(value.args[0])
            if isinstance(source, ast.GeneratorExp):
                items: ast.expr = ast.ListComp(source.elt, source.generators)
            else:  # of a dict this is an error: a Counter takes its values as counts
                items = ast.Subscript(source, ast.Slice(), ast.Load())
            items = _placed(items, source, *ast.iter_child_nodes(source), source)
            name = _name("an item", value)
            body = self._updated(value, ast.Name(name, ast.Load()), ast.Add(), ast.Constant(1))
            loop = ast.For(ast.Name(name, ast.Store()), items, body, [])
            stmts.append(_placed(loop, value, items))
        return stmts

    def _updated(
        self, node: ast.AST, key: ast.expr, op: ast.operator, value: ast.expr
    ) -> list[ast.stmt]:
        """`d[k] += x`, with a key that is computed once."""
        name = _name("a key", node)
        at = ast.Assign([ast.Name(name, ast.Store())], key)
        item = ast.Subscript(
            ast.Name(self.made.name, ast.Load()), ast.Name(name, ast.Load()), ast.Store()
        )
        # Python inserts the key before it computes the value.
        seen = self.inserts and bool((self.users | {self.made.name}) & names_in(value))
        before = self._call(node, "setdefault" if seen else "get", ast.Name(name, ast.Load()))
        stored = ast.Assign([item], ast.BinOp(before, op, value))
        return [_placed(stmt, node, key, value) for stmt in (at, stored)]

    def _updated_inside(
        self, node: ast.AugAssign, target: ast.Subscript, key: ast.expr, at: ast.expr
    ) -> list[ast.stmt]:
        """`d[k][j] += x`, where the dicts in this one have defaults, too."""
        names = [_name(what, node) for what in ("a key", "a key inside", "an item")]
        k, j, old = (ast.Name(n, ast.Load()) for n in names)
        values = self.visit(key), self.visit(at), self._of_inner(target, "setdefault", k, j)
        parts: list[ast.stmt] = [
            ast.Assign([ast.Name(n, ast.Store())], v) for n, v in zip(names, values, strict=True)
        ]
        parts.insert(1, ast.Expr(self._call(node, "setdefault", k)))
        value, row = self.visit(node.value), self._call(node, "setdefault", k)
        new = ast.BinOp(old, node.op, value)
        parts.append(ast.Assign([ast.Subscript(row, j, ast.Store())], new))
        return [_placed(p, node, key, at, value) for p in parts]

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        """`d[k] += x`."""
        match node.target:
            case ast.Subscript(ast.Subscript(_, key), at) if self._is_inner(node.target):
                return self._updated_inside(node, node.target, key, at)
        if not self._is_item(node.target):
            return self.generic_visit(node)
        assert isinstance(node.target, ast.Subscript)
        key, value = self.visit(node.target.slice), self.visit(node.value)
        if self.made.default == "[]":
            lists = self._call(node, "setdefault", key)
            call = ast.Call(ast.Attribute(lists, "extend", ast.Load()), [value], [])
            return [_placed(ast.Expr(call), node, key, value)]
        return self._updated(node, key, node.op, value)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`d[k].append(x)`."""
        match node.func:
            case ast.Attribute(ast.Subscript(slice=key) as item, attr) as func if (
                self._is_item(item)
                and attr in MUTATING
                and (self.made.default == "[]" or (self.made.default == "{}" and attr != "popitem"))
            ):
                item.slice = self.visit(key)
                if attr != "pop":  # which is an error for an empty list, too
                    func.value = self._call(item, "setdefault", item.slice)
                node.args = [self.visit(a) for a in node.args]
                return node
            case ast.Attribute(ast.Name(owner), "most_common" | "total") if owner == self.made.name:
                self.generic_visit(node)
                return _placed(_of_counts(node), node, *node.args)
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """`d[k]`, read."""
        inner = isinstance(node.value, ast.Subscript) and self._is_item(node.value)
        if inner and not isinstance(node.ctx, ast.Load):
            # `d[k][i] = x`: an error if the key is missing, too
            assert isinstance(node.value, ast.Subscript)
            node.slice, node.value.slice = self.visit(node.slice), self.visit(node.value.slice)
            if self.made.default == "{}" and isinstance(node.ctx, ast.Store):
                node.value = self._call(node.value, "setdefault", node.value.slice)
            return node
        if inner and self._is_inner(node):
            key, at = self.visit(node.value.slice), self.visit(node.slice)  # type: ignore
            return self._of_inner(node, "setdefault" if self.inserts else "get", key, at)
        if not self._is_item(node) or not isinstance(node.ctx, ast.Load):
            return self.generic_visit(node)
        if isinstance(node.slice, ast.Name) and node.slice.id in self.keys:
            return node
        method = "setdefault" if self.inserts else "get"
        return self._call(node, method, self.visit(node.slice))

    def visit_For(self, node: ast.For) -> ast.AST:
        """`for k in d:`, in which `d[k]` exists."""
        node.iter = self.visit(node.iter)
        key = self._key_of(node.iter, node.target)
        inside = [n for s in node.body for n in ast.walk(s)]
        changed = _stored(inside)
        removed = any(map(self._removes, inside)) or self._used_in(inside)
        known = not removed and not changed & {key, self.made.name}
        outside, self.keys = self.keys, [*self.keys, key] if known else self.keys
        node.body = self._body(node.body)
        self.keys = outside
        node.orelse = self._body(node.orelse)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """A local function, which may be called anywhere."""
        outside, self.keys = self.keys, []
        self.generic_visit(node)
        self.keys = outside
        return node

    def _used_in(self, nodes: Iterable[ast.AST]) -> bool:
        return any(isinstance(n, ast.Name) and n.id in self.users for n in nodes)

    def _removes(self, node: ast.AST) -> bool:
        """Whether a key that was there may not be there afterwards."""
        match node:
            case ast.Attribute(ast.Name(owner), "pop" | "clear"):
                return owner == self.made.name
            case ast.Subscript(ctx=ast.Del()):
                return self._is_item(node)
        return False

    def _key_of(self, node: ast.expr, target: ast.expr) -> str:
        match node, target:
            case ast.Call(ast.Attribute(ast.Name(owner), "items")), ast.Tuple([ast.Name(key), _]):
                return key if owner == self.made.name else ""
            case ast.Call(ast.Attribute(ast.Name(owner), "keys")), ast.Name(key):
                return key if owner == self.made.name else ""
            case ast.Call(ast.Name("sorted" | "list"), [ast.Name(owner)]), ast.Name(key):
                return key if owner == self.made.name else ""
            case ast.Name(owner), ast.Name(key):
                return key if owner == self.made.name else ""
        return ""

    def _comprehension(self, node: ast.AST) -> ast.AST:
        first, *more = getattr(node, "generators", [])
        key = self._key_of(first.iter, first.target)
        first.iter = self.visit(first.iter)  # in which no name of this comprehension is bound
        others = [n for g in more for n in ast.walk(g.target)]
        bound = _stored([*ast.walk(first.target), *others])
        outside, self.keys = self.keys, [k for k in self.keys if k not in bound]
        if not self._used_in(ast.walk(node)) and not any(_names(n, key) for n in others):
            self.keys.append(key)
        self.generic_visit(node)
        self.keys = outside
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        """`[f(d[k]) for k in d]`."""
        return self._comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:
        """`sum(f(d[k]) for k in d)`."""
        return self._comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        """`{k: f(d[k]) for k in d}`."""
        return self._comprehension(node)


def _of_counts(node: ast.Call) -> ast.expr:
    """`c.most_common(n)` and `c.total()` of a Counter, for a plain dict."""
    assert isinstance(node.func, ast.Attribute)
    counts = node.func.value
    if node.func.attr == "total":
        return template("sum(c.values())", c=counts)
    ordered = template("sorted(c.items(), key=lambda item: item[1], reverse=True)", c=counts)
    if not node.args:
        return ordered
    return template("ordered[: max(n, 0)]", ordered=ordered, n=node.args[0])


def _names(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _stored(nodes: Iterable[ast.AST]) -> set[str]:
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _name(what: str, node: ast.AST) -> str:
    """A name for `node` alone, which a model cannot have."""
    return f"{what} in {getattr(node, 'lineno', 0)}:{getattr(node, 'col_offset', 0)}"


def _source(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


_N = TypeVar("_N", bound=ast.AST)


def _placed(new: _N, node: ast.AST, *kept: ast.AST) -> _N:
    """`new` at the location of `node`, except for the parts `kept`, which have their own."""
    inside = {id(n) for k in kept for n in ast.walk(k)}
    for part in ast.walk(new):
        if id(part) not in inside:
            ast.copy_location(part, node)
    return new
