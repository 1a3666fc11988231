"""The items of one list in a function, and the names that the function gives them."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from .context import FunctionContext
from .item_scopes import bound_inside, run_later
from .item_sources import Sources
from .plain_classes import is_plain_class
from .scope import Env
from .syntax import parents_of


@dataclass(slots=True)
class Items:
    """The list `name` of a function. `names` are the names of items, each with the statements that
    give it to an item."""

    ctx: FunctionContext
    tree: ast.FunctionDef
    name: str
    parents: dict[int, ast.AST] = field(default_factory=dict)
    names: dict[str, list[ast.stmt]] = field(default_factory=dict)
    # Mentions, by identity, of what a lambda or a comprehension binds, or another loop.
    inner: set[int] = field(default_factory=set)
    # The nodes, by identity, that may run after their statements.
    later: set[int] = field(default_factory=set)
    # Where each node is: the numbers of itself and of its last part, in the order of the text.
    at: dict[int, tuple[int, int]] = field(default_factory=dict)
    # The names of items for which others may be appended while they stand for these.
    grown: set[str] = field(default_factory=set)
    # The classes of the objects that the function makes.
    classes: set[type] = field(default_factory=set)
    sources: Sources = field(init=False)

    def __post_init__(self) -> None:
        self.sources = Sources(self.ctx, self.is_list)

    def find(self) -> None:
        """Find the names of items."""
        self.parents = parents_of(self.tree)
        self.inner = set(map(id, bound_inside(self.tree)))
        self.later = run_later(self.ctx, self.tree)
        self._number(self.tree)
        found: dict[str, list[ast.stmt]] = {}
        more = True
        while more:  # an item may be known by a name through another one
            self.names, found = found, {}
            for node in ast.walk(self.tree):
                for bound in self.bound(node):
                    assert isinstance(node, ast.stmt)
                    found.setdefault(bound, []).append(node)
            more = found != self.names
        for node in ast.walk(self.tree):
            if isinstance(node, ast.For):
                self._other_loop(node)

    def _number(self, node: ast.AST) -> None:
        """Number the parts of `node`; the compiler's statements have no positions of their own."""
        first = len(self.at)
        self.at[id(node)] = first, first
        for part in ast.iter_child_nodes(node):
            if not isinstance(part, ast.expr_context):
                self._number(part)
        self.at[id(node)] = first, len(self.at) - 1

    def _other_loop(self, loop: ast.For) -> None:
        """Note the mentions of a name in a loop over something else, unless it is also the name of
        an item there or behind it."""
        targets = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
        for name in targets & self.names.keys():
            ours = self.names[name]
            inside = {id(n) for n in ast.walk(loop)}
            alone = all(isinstance(s, ast.For) and id(s) not in inside for s in ours)
            if alone and not any(loop in ast.walk(s) for s in ours):
                parts = [loop.target, *loop.body]
                found = (n for part in parts for n in ast.walk(part))
                self.inner |= {id(n) for n in found if isinstance(n, ast.Name) and n.id == name}

    def stores(self) -> list[ast.Attribute]:
        """Where the function assigns a field of an item."""
        return [
            n
            for n in ast.walk(self.tree)
            if isinstance(n, ast.Attribute)
            and not isinstance(n.ctx, ast.Load)
            and self.is_item(n.value)
        ]

    def bound(self, node: ast.AST) -> set[str]:
        """The names of items that a statement gives."""
        match node:
            case ast.For(target, iterable):
                return self.sources.names(iterable, target)
            case ast.Assign([ast.Name(name)], value) if self.index_of(value) is not None:
                return {name}
        return set()

    def is_list(self, node: ast.AST) -> bool:
        """Whether `node` is the list."""
        is_named = isinstance(node, ast.Name) and node.id == self.name
        return is_named and id(node) not in self.inner

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
        return sorted(found, key=lambda n: self.at[id(n)])

    def index_of(self, value: ast.expr) -> ast.expr | None:
        """The index of the item that `value` finds: `xs[i]`, `max(xs, key=f)`, a name of it."""
        match value:
            case ast.Name() if self.is_item(value):
                return value
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
