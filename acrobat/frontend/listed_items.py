"""The items of one list in a function, and the names that the function gives them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from .context import FunctionContext
from .plain_classes import is_plain_class
from .scope import Env


@dataclass(slots=True)
class Items:
    """The list `name` of a function. `names` are the names of items, by the statement or
    comprehension that binds each."""

    ctx: FunctionContext
    tree: ast.FunctionDef
    name: str
    parents: dict[int, ast.AST] = field(default_factory=dict)
    names: dict[str, ast.AST] = field(default_factory=dict)
    # The names that a lambda or a comprehension binds, by identity.
    inner: set[int] = field(default_factory=set)
    # The classes of the objects that the function makes.
    classes: set[type] = field(default_factory=set)

    def find(self) -> bool:
        """Find the names of items; return whether a field of an item changes."""
        self.parents = {id(c): n for n in ast.walk(self.tree) for c in ast.iter_child_nodes(n)}
        self.inner = set(map(id, _bound_inside(self.tree)))
        for node in ast.walk(self.tree):
            bound = self.bound(node)
            if bound is None:
                continue
            if self.names.get(bound, node) is not node and not isinstance(node, ast.For):
                return False  # one name for items that are found in different ways
            self.names[bound] = node
        stored = (
            n.value
            for n in ast.walk(self.tree)
            if isinstance(n, ast.Attribute) and not isinstance(n.ctx, ast.Load)
        )
        return any(self.is_item(v) for v in stored)

    def bound(self, node: ast.AST) -> str | None:
        match node:
            case ast.For(ast.Name(name), iterable) if self.is_list(iterable):
                return name
            case ast.For(ast.Tuple([ast.Name(), ast.Name(name)]), iterable) if self.counted(
                iterable
            ):
                return name
            case ast.Assign([ast.Name(name)], value) if self.index_of(value) is not None:
                return name
        return None

    def is_list(self, node: ast.AST) -> bool:
        """Whether `node` is the list."""
        return isinstance(node, ast.Name) and node.id == self.name

    def counted(self, node: ast.AST) -> bool:
        """Whether `node` is `enumerate(xs)`."""
        match node:
            case ast.Call(ast.Name("enumerate"), [source], []):
                return self.is_list(source)
        return False

    def is_item(self, node: ast.AST) -> bool:
        """Whether `node` is an item: `xs[i]`, or a name of one."""
        match node:
            case ast.Subscript(owner, index):
                return self.is_list(owner) and not isinstance(index, ast.Slice)
            case ast.Name(name):
                return name in self.names and id(node) not in self.inner
        return False

    def uses(self, name: str) -> list[ast.Name]:
        """The mentions of a local name, in order."""
        found = [
            n
            for n in ast.walk(self.tree)
            if isinstance(n, ast.Name) and n.id == name and id(n) not in self.inner
        ]
        return sorted(found, key=lambda n: (n.lineno, n.col_offset))

    def index_of(self, value: ast.expr) -> ast.expr | None:
        """The index of the item that `value` finds: `xs[i]`, `max(xs, key=f)`."""
        match value:
            case ast.Subscript(owner, index) if self.is_list(owner):
                return None if isinstance(index, ast.Slice) else index
            case ast.Call(
                ast.Name("max" | "min"),
                [owner],
                [ast.keyword("key", ast.Lambda(ast.arguments(args=[_]), _))],
            ) if self.is_list(owner):
                return value
        return None

    def makes(self, node: ast.AST) -> bool:
        """Whether `node` makes an object of one of the author's plain classes."""
        cls = self.ctx.static(node.func, Env()) if isinstance(node, ast.Call) else None
        if not isinstance(cls, type) or not is_plain_class(cls):
            return False
        self.classes.add(cls)
        return True


def _bound_inside(tree: ast.AST) -> Iterator[ast.Name]:
    """The mentions of names that lambdas and comprehensions in `tree` bind."""
    for node in ast.walk(tree):
        match node:
            case ast.Lambda(args):
                names = {a.arg for a in ast.walk(args) if isinstance(a, ast.arg)}
                parts: list[ast.AST] = [node.body]
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                names = {
                    n.id
                    for g in node.generators
                    for n in ast.walk(g.target)
                    if isinstance(n, ast.Name)
                }
                first = node.generators[0]
                parts = [n for n in ast.iter_child_nodes(node) if n is not first]
                parts += [first.target, *first.ifs]
            case _:
                continue
        for part in parts:
            yield from (n for n in ast.walk(part) if isinstance(n, ast.Name) and n.id in names)
