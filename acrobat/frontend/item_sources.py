"""What a `for` runs over to get items of a list: `slots[1:]`, `zip(slots, xs)`,
`itertools.combinations(slots, 2)`. The same over the indices finds the items at these."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

from .context import FunctionContext
from .scope import Env
from .written import call, placed

_GROUPS = (itertools.combinations, itertools.permutations, itertools.pairwise, itertools.product)


@dataclass(slots=True)
class Sources:
    """The iterables of a function that give items of one list; `lists` are the mentions of the list
    in them."""

    ctx: FunctionContext
    is_list: Callable[[ast.AST], bool]
    lists: set[int] = field(default_factory=set)  # by identity

    def names(self, iterable: ast.expr, target: ast.expr) -> set[str]:
        """The names in the target of a `for` that are names of items. A list that gives an item no
        name of its own is not one of `lists`."""
        names, lists = self.found(iterable, target)
        self.lists |= lists
        return names

    def found(self, iterable: ast.expr, target: ast.expr) -> tuple[set[str], set[int]]:
        """The names in the target of a loop that are names of items, and the mentions of the list,
        by identity, whose items they are."""
        found: list[tuple[str, ast.Name]] = []
        if not self._match(iterable, target, found) or len({n for n, _ in found}) < len(found):
            return set(), set()
        return {name for name, _ in found}, {id(source) for _, source in found}

    def _match(
        self, iterable: ast.expr, target: ast.expr, found: list[tuple[str, ast.Name]]
    ) -> bool:
        """Find (name, mention of the list); False if an item gets no name."""
        source = self.source(iterable)
        match iterable, target:
            case _, ast.Name(name) if source is not None:
                found.append((name, source))
                return True
            case ast.Call(_, [inner, *_], _), ast.Tuple([_, each]) if self._calls(
                iterable, enumerate
            ):
                return self._match(inner, each, found)
            case ast.Call(_, args), ast.Tuple(targets) if self._calls(iterable, zip):
                if len(args) != len(targets):
                    return False
                pairs = list(zip(args, targets, strict=True))
                return all(self._match(a, t, found) for a, t in pairs)
            case ast.Call(_, [first, *_]), ast.Tuple(targets) if self._calls(iterable, *_GROUPS):
                source = self.source(first)
                names = [t.id for t in targets if isinstance(t, ast.Name)]
                if source is not None and len(names) == len(targets):
                    found += [(name, source) for name in names]
                    return self._one_source(iterable, source)
        return not any(map(self.is_list, ast.walk(iterable))) or source is None

    def _one_source(self, iterable: ast.Call, source: ast.Name) -> bool:
        """Whether the groups are of items of one mention of the list."""
        return all(n is source for n in ast.walk(iterable) if self.is_list(n))

    def _calls(self, node: ast.expr, *functions: object) -> bool:
        known = self.ctx.static(node.func, Env()) if isinstance(node, ast.Call) else None
        return any(known is f for f in functions)

    def source(self, node: ast.expr) -> ast.Name | None:
        """The mention of the list if `node` gives its items: `xs`, `xs[a:b]`, `reversed(xs)`."""
        match node:
            case ast.Name():
                return node if self.is_list(node) else None
            case ast.Subscript(owner, ast.Slice()):
                return self.source(owner)
            case ast.Call(_, [owner], []) if self._calls(node, reversed, list, tuple):
                return self.source(owner)
        return None

    def is_live(self, iterable: ast.expr) -> bool:
        """Whether a loop over `iterable` finds each item in the list only when it gets there."""
        match iterable:
            case ast.Name():
                return True
            case ast.Call(_, args, _) if self._calls(iterable, enumerate, zip, reversed):
                return all(map(self.is_live, args))
        return not any(map(self.is_list, ast.walk(iterable)))


@dataclass(slots=True)
class AsIndices(ast.NodeTransformer):
    """Replaces the mentions `lists` of a list, `name`, by the indices of its items."""

    name: str
    lists: set[int]

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """The list."""
        if id(node) not in self.lists:
            return node
        count = call(len, ast.Name(self.name, ast.Load()))
        return placed(call(range, count), node)
