"""A function's own iterators, `it = iter(xs)`, `pairs = zip(xs, ys)`, `it = (f(x) for x in xs)`,
rewritten as lists of the items that are still to come.

This is done if the name stands for nothing else, and only `next`, loops and a last use that takes
all the rest read it. Items that Python computes late are computed at once: nothing that they depend
on may change before the last use.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

from .captures import captured, own_nodes
from .constructs.generators import changed_in_place
from .context import FunctionContext
from .given_away import CHANGES
from .plain_collections import IteratorAsList
from .scope import Env
from .syntax import named_values, names_assigned, names_in, names_read_late, parents_of

_MAKERS = (iter, map, filter, zip, enumerate, reversed)
# Of itertools, those that may have no end.
_ENDLESS = (itertools.count, itertools.cycle, itertools.repeat)
_TAKERS = (
    list, tuple, set, frozenset, dict, sum, min, max, any, all, sorted, zip, enumerate, map, filter,
    iter, next,
)  # fmt: skip
_TAKING_MODULES = ("itertools", "_functools", "functools", "_collections", "collections", "_heapq",
                   "heapq", "math", "acrobat")  # fmt: skip
_TAKING_METHODS = ("join", "extend", "extendleft", "update", "fromkeys", "union", "intersection",
                   "difference")  # fmt: skip
_LOOPS = (ast.For, ast.While)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def with_own_iterators(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite a function's iterators as lists; those that are passed on are left, and refused."""
    made: dict[str, list[ast.expr]] = {}
    lazy: list[ast.Call] = []
    for node in ast.walk(tree):
        for name, value in _given(ctx, node):
            made.setdefault(name, []).append(value)
        if isinstance(node, ast.Call) and ctx.static(node.func, Env()) in (map, filter):
            lazy.append(node)
    if not made and not lazy:
        return
    parents = parents_of(tree)
    named: set[int] = set()
    for name, values in made.items():
        uses = _Uses(ctx, tree, name, values, parents)
        refused = uses.not_allowed()
        if refused is None:
            IteratorAsList(name, frozenset(map(id, uses.last))).visit(tree)
            named |= set(map(id, values))
        else:
            ctx.given_away.update((id(v), refused) for v in values)
    for call in lazy:
        parent = parents[id(call)]
        iterated = isinstance(parent, (ast.For, ast.comprehension)) and parent.iter is call
        if not (iterated or id(call) in named or _takes_all(ctx, parent, call)):
            ctx.given_away.setdefault(id(call), parent)


def _given(ctx: FunctionContext, node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The name of an iterator, and the expression that makes it."""
    for name, value in named_values(node):
        if isinstance(value, ast.GeneratorExp):
            yield name, value
        if isinstance(value, ast.Call) and value.args:
            found = ctx.static(value.func, Env())
            of_itertools = getattr(found, "__module__", "") == itertools.__name__
            if found in _MAKERS or (of_itertools and found not in _ENDLESS):
                yield name, value


def _takes_all(ctx: FunctionContext, parent: ast.AST, node: ast.expr) -> bool:
    """Whether `parent` takes all items of the iterator `node` at once."""
    match parent:
        case ast.Starred() | ast.Assign([ast.Tuple()]):
            return True
        case ast.Compare(_, [ast.In() | ast.NotIn()], [right]):
            return right is node
        case ast.Call(ast.Attribute(attr=method)) if method in _TAKING_METHODS:
            return True
        case ast.Call(func, args) if node in args:
            found = ctx.static(func, Env())
            module = str(getattr(found, "__module__", ""))
            return found in _TAKERS or module.split(".")[0] in _TAKING_MODULES
        case ast.AugAssign(value=value):
            return value is node
    return False


@dataclass(slots=True)
class _Uses:
    """Where a function uses the iterator `name`; `last` are the uses behind which it is empty."""

    ctx: FunctionContext
    tree: ast.FunctionDef
    name: str
    made: list[ast.expr]
    parents: dict[int, ast.AST]
    last: list[ast.Name] = field(default_factory=list)

    def not_allowed(self) -> ast.AST | None:
        """A use, or a change, that a list of the items would not survive; None if there is none."""
        own = {id(n) for n in own_nodes(self.tree.body)}
        loads: list[ast.Name] = []
        for node in ast.walk(self.tree):
            if self.name in (getattr(node, "name", None), getattr(node, "arg", None)):
                return node
            if not isinstance(node, ast.Name) or node.id != self.name:
                continue
            parent = self.parents[id(node)]
            if id(node) not in own or self._in_lambda(node):
                return parent
            if isinstance(node.ctx, ast.Load):
                loads.append(node)
            elif getattr(parent, "value", None) not in self.made:
                return parent
        for node in loads:
            if not self._allows(node, loads):
                return self.parents[id(node)]
        return self._changed(loads)

    def _around(self, node: ast.AST) -> Iterator[ast.AST]:
        while node is not self.tree:
            node = self.parents[id(node)]
            yield node

    def _in_lambda(self, node: ast.AST) -> bool:
        return any(isinstance(n, ast.Lambda) for n in self._around(node))

    def _allows(self, node: ast.Name, loads: list[ast.Name]) -> bool:
        parent = self.parents[id(node)]
        if any(isinstance(n, _COMPREHENSIONS) for n in self._around(node)):
            whole = self.parents[id(parent)]
            first = isinstance(whole, _COMPREHENSIONS) and whole.generators[0] is parent
            rest = [n for n in self._around(node) if isinstance(n, _COMPREHENSIONS)]
            iterated = first and len(rest) == 1 and getattr(parent, "iter", None) is node
            return iterated and self._is_last(node, loads)
        match parent:
            case ast.Call(func, [it, *_], []) if self.ctx.static(func, Env()) is next:
                return it is node and len(parent.args) < 3
            case ast.For(iter=value) if value is node:
                self._is_last(node, loads)
                return True
        return _takes_all(self.ctx, parent, node) and self._is_last(node, loads)

    def _is_last(self, node: ast.Name, loads: list[ast.Name]) -> bool:
        """Whether nothing uses the iterator after `node`, which it notes."""
        later = any(_at(n) > _at(node) and not self._made_between(node, n) for n in loads)
        loops = [n for n in self._around(node) if isinstance(n, _LOOPS)]
        again = [n for n in loops if not (isinstance(n, ast.For) and n.iter is node)]
        made_in_each = all(any(m in ast.walk(n) for m in self.made) for n in again)
        if later or not made_in_each:
            return False
        self.last.append(node)
        return True

    def _made_between(self, node: ast.AST, later: ast.AST) -> bool:
        """Whether the name stands for another iterator wherever `later` is reached from `node`."""
        around = list(self._around(later))
        return any(
            _at(node) < _at(m) < _at(later) and self.parents[id(self.parents[id(m)])] in around
            for m in self.made
        )

    def _changed(self, loads: list[ast.Name]) -> ast.AST | None:
        """A statement between the making and the last use that may change what items depend on."""
        first = min(m.lineno for m in self.made)
        last = first
        for node in loads:
            last = max(last, node.lineno)
            for loop in self._around(node):
                if isinstance(loop, _LOOPS) and not any(m in ast.walk(loop) for m in self.made):
                    last = max(last, loop.end_lineno or 0)
        direct: set[str] = set()
        late: set[str] = set()
        for value in self.made:
            self._reads(value, direct, late)
        functions = [n for n in ast.walk(self.tree) if isinstance(n, ast.FunctionDef)]
        inside = [captured(f, lambda call: ()) for f in functions if f is not self.tree]
        of_functions = {n for found in inside for n in found.changes}
        if (direct | late) & of_functions:
            setattr(self.made[0], CHANGES, True)
            return self.made[0]
        inner_first = reversed([n for n in ast.walk(self.tree) if isinstance(n, ast.stmt)])
        for stmt in inner_first:
            if first <= stmt.lineno <= last and getattr(stmt, "value", None) not in self.made:
                changed = changed_in_place(self.ctx, [stmt])
                if (direct | late) & changed or late & names_assigned([stmt]):
                    setattr(stmt, CHANGES, True)
                    return stmt
        return None

    def _reads(self, value: ast.expr, direct: set[str], late: set[str]) -> None:
        """The names of what items are made of, and those that functions or a generator read."""
        if isinstance(value, ast.GeneratorExp):
            direct |= names_in(value.generators[0].iter)
            late |= names_read_late(value)
            self._captures(late)
            return
        for node in ast.walk(value):
            if isinstance(node, ast.Lambda):
                late |= names_in(node.body) - {a.arg for a in node.args.args}
            elif isinstance(node, ast.GeneratorExp):
                late |= names_read_late(node)
        assert isinstance(value, ast.Call)
        direct |= {n for a in value.args for n in names_in(a)}
        self._captures(direct, late)

    def _captures(self, names: set[str], found: set[str] | None = None) -> None:
        """Add what the local functions among `names` read."""
        late = names if found is None else found
        functions: dict[str, set[str]] = {}
        for node in ast.walk(self.tree):
            match node:
                case ast.FunctionDef(name) if node is not self.tree:
                    functions[name] = captured(node, lambda call: ()).reads
                case ast.Assign([ast.Name(name)], ast.Lambda(args, body)):
                    functions[name] = names_in(body) - {a.arg for a in args.args}
        rest = [n for n in (*names, *late) if n in functions]
        while rest:
            new = functions.pop(rest.pop(), set()) - late
            late |= new
            rest += [n for n in new if n in functions]


def _at(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
