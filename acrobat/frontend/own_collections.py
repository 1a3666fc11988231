"""`deque` and `set` of a function's own, as lists and dicts.

A deque is a list whose items also come and go at its front; a set is a dict whose values nobody
reads. This holds for a name that stands for nothing else and that no one else gets. Other uses are
left as they are, and refused: an order of a set's items, for there is none that could be the same.
"""

from __future__ import annotations

import ast
import collections
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from .context import FunctionContext
from .scope import Env

_N = TypeVar("_N", bound=ast.AST)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of collection: its classes, its displays, what may be done with it."""

    classes: tuple[type, ...]
    displays: tuple[type[ast.expr], ...]
    methods: tuple[str, ...]
    functions: tuple[Callable[..., object], ...]
    assigned: type[ast.operator]  # of `q += xs`
    iterated: bool
    rewriting: Callable[[str], ast.NodeTransformer]


def with_plain_collections(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite the function: what it says of such collections is said of lists and dicts."""
    for kind in KINDS:
        made: dict[str, list[ast.expr]] = {}
        for node in ast.walk(tree):
            found = _made(ctx, kind, node)
            if found is not None:
                made.setdefault(found[0], []).append(found[1])
        if not made:
            continue
        parents = {id(c): n for n in ast.walk(tree) for c in ast.iter_child_nodes(n)}
        for name, values in made.items():
            use = _Uses(ctx, tree, kind, name, values, parents).not_allowed()
            if use is None:
                kind.rewriting(name).visit(tree)
            else:
                ctx.given_away.update((id(v), use) for v in values)


def _made(ctx: FunctionContext, kind: Kind, node: ast.AST) -> tuple[str, ast.expr] | None:
    """The name of a collection, and what makes it."""
    match node:
        case ast.Assign([ast.Name(name)], value):
            pass
        case ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
            pass
        case _:
            return None
    if isinstance(value, kind.displays):
        return name, value
    match value:
        case ast.Call(func, [] | [_], []) if ctx.static(func, Env()) in kind.classes:
            return name, value
    return None


@dataclass(slots=True)
class _Uses:
    """Where a function uses such a collection."""

    ctx: FunctionContext
    tree: ast.FunctionDef
    kind: Kind
    name: str
    made: list[ast.expr]
    parents: dict[int, ast.AST]

    def not_allowed(self) -> ast.AST | None:
        """A use that cannot be said of a list or a dict."""
        arguments = self.tree.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            if argument.arg == self.name:
                return argument
        own = {id(n) for n in _own(self.tree)}
        for node in ast.walk(self.tree):
            if self.name not in (getattr(node, "id", None), getattr(node, "name", None)):
                continue
            if not isinstance(node, ast.Name):
                return node
            if id(node) not in own or not self._allows(node):
                return self.parents[id(node)]
        return None

    def _allows(self, node: ast.Name) -> bool:
        parent, kind = self.parents[id(node)], self.kind
        match parent:
            case ast.Assign(value=value) | ast.AnnAssign(value=value) if node is not value:
                return value in self.made
            case ast.AugAssign(target=target, op=op):
                return target is node and isinstance(op, kind.assigned)
            case ast.Attribute(attr=attr):
                called = self.parents[id(parent)]
                return attr in kind.methods and isinstance(called, ast.Call) and not called.keywords
            case ast.Compare(_, [ast.In() | ast.NotIn()], [right]):
                return right is node
            case ast.If(test=value) | ast.While(test=value) | ast.IfExp(test=value):
                return value is node
            case ast.UnaryOp(ast.Not()):
                return True
            case ast.BoolOp():
                whole = self.parents[id(parent)]
                return getattr(whole, "test", None) is parent
            case ast.Call(func, [argument]):
                return argument is node and self.ctx.static(func, Env()) in kind.functions
            case ast.For(iter=value) | ast.comprehension(iter=value):
                return kind.iterated and value is node
            case ast.Subscript(value=value, slice=at):
                return kind.iterated and value is node and not isinstance(at, ast.Slice)
        return False


def _own(tree: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of a function, without those of local functions."""
    work: list[ast.AST] = list(tree.body)
    while work:
        node = work.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            work += ast.iter_child_nodes(node)


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
        """`q: deque[int] = deque()`: the items have the hint's types, or the compiler says so."""
        self.generic_visit(node)
        if not self._is(node.target) or node.value is None:
            return node
        return ast.copy_location(ast.Assign([node.target], self.made(node.value)), node)

    def _is(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == self.name

    def made(self, value: ast.expr) -> ast.expr:
        """What makes the list or dict, in place of `value`."""
        raise NotImplementedError

    def method(self, node: ast.AST) -> tuple[str, list[ast.expr]] | None:
        """The method of the collection that `node` calls, and its arguments."""
        match node:
            case ast.Call(ast.Attribute(owner, method), args) if self._is(owner):
                return method, args
        return None


class _Queue(_Rewriting):
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


class _Set(_Rewriting):
    def made(self, value: ast.expr) -> ast.expr:
        true = ast.Constant(True)
        match value:
            case ast.Set(items) if not any(isinstance(i, ast.Starred) for i in items):
                return _placed(ast.Dict([*items], [true] * len(items)), value)
            case ast.SetComp(item, generators):
                return _placed(ast.DictComp(item, true, generators), value)
            case ast.Call(_, [source]):
                pass
            case ast.Set(items):
                source = ast.List(items, ast.Load())
            case _:
                return _placed(ast.Dict([], []), value)
        name = f"an item in {value.lineno}:{value.col_offset}"  # which no model may have
        each = ast.comprehension(ast.Name(name, ast.Store()), source, [], 0)
        return _placed(ast.DictComp(ast.Name(name, ast.Load()), true, [each]), value)

    def _stored(self, node: ast.AST, item: ast.expr) -> ast.stmt:
        place = ast.Subscript(ast.Name(self.name, ast.Load()), item, ast.Store())
        return _placed(ast.Assign([place], ast.Constant(True)), node)

    def _all_stored(self, node: ast.stmt, items: ast.expr) -> ast.stmt:
        name = f"an item in {node.lineno}:{node.col_offset}"
        body = self._stored(node, ast.Name(name, ast.Load()))
        if isinstance(items, ast.Set):
            items = ast.List(items.elts, ast.Load())
        return _placed(ast.For(ast.Name(name, ast.Store()), items, [body], []), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`max(s)` and the like: of the keys."""
        self.generic_visit(node)
        if len(node.args) == 1 and self._is(node.args[0]):
            keys = ast.Call(ast.Attribute(node.args[0], "keys", ast.Load()), [], [])
            node.args = [_placed(keys, node.args[0])]
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """`s |= xs`."""
        self.generic_visit(node)
        return self._all_stored(node, node.value) if self._is(node.target) else node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        """`s.add(x)` and the like."""
        self.generic_visit(node)
        match self.method(node.value):
            case "add", [item]:
                return self._stored(node, item)
            case "update", [items]:
                return self._all_stored(node, items)
            case "remove" | "discard" as method, [item]:
                # Computed once, whether it is there or not.
                name = f"an item in {node.lineno}:{node.col_offset}"
                key = _placed(ast.Assign([ast.Name(name, ast.Store())], item), node)
                owner = ast.Name(self.name, ast.Load())
                place = ast.Subscript(owner, ast.Name(name, ast.Load()), ast.Del())
                removed: ast.stmt = ast.Delete([place])
                if method == "discard":
                    there = ast.Compare(ast.Name(name, ast.Load()), [ast.In()], [owner])
                    removed = ast.If(there, [removed], [])
                return [key, _placed(removed, node)]
        return node


def _placed(new: _N, node: ast.AST) -> _N:
    """`new` where `node` stands, but for the parts that the author wrote."""
    for part in ast.walk(new):
        if not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    return new


KINDS = (
    Kind(
        (collections.deque,),
        (),
        ("append", "appendleft", "extend", "pop", "popleft", "insert", "clear", "reverse", "index",
         "count"),
        (len, list, sum, min, max, any, all, sorted, enumerate, reversed),
        ast.Add,
        True,
        _Queue,
    ),
    Kind(
        (set,),
        (ast.Set, ast.SetComp),
        ("add", "update", "remove", "discard", "clear"),
        (len, sum, min, max, sorted, set),
        ast.BitOr,
        False,
        _Set,
    ),
)  # fmt: skip
