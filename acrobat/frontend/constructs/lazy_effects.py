"""Errors where the order of computations can be seen: Python computes the items of a generator, or
of `map(f, xs)`, when they are asked for; compiled, all items come before the first one is used.

That is the same unless what computes the items changes something that its user sees before the
last item, or reads something that the user changes meanwhile, or is not asked for all items and
changes something or does not end. What an item that is not asked for would raise is not looked for.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..captures import own_nodes
from ..context import FunctionContext
from ..effect_paths import Path, overlap, path_of
from ..effects import EffectFinder, Effects
from .lazy_items import PASSING, Lazy, function_of, lazies, name_of, search_of

_SHORT = ("any", "all", "next")
# Methods that take an item, and change their object, before they ask for the next one.
_ADDING = ("extend", "extendleft", "update")
# Methods of dicts, which a class of the author's may have, too.
_VIEWS = ("items", "keys", "values")


def check_lazy_effects(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Raise Recover if the order in which items are computed matters in the function `tree`."""
    check = _Check(ctx, EffectFinder(tree, ctx.scope, ctx.builder.read))
    asked_briefly: set[int] = set()
    searches = {id(call) for stmt in ast.walk(tree) if (call := search_of(stmt)) is not None}
    for node in (n for s in tree.body for n in ast.walk(s)):
        match node:
            case ast.Call(ast.Name(name), [first, *_]) if name in _SHORT:
                asked_briefly.add(id(first))
                if isinstance(first, ast.GeneratorExp):
                    if name != "next" or id(node) in searches:
                        continue  # it becomes a loop
                    check.instead[id(first)] = "a statement of its own, `x = next(..., None)`"
                check.consumer(first, [], may_end=True)
            case ast.Compare(_, [ast.In() | ast.NotIn()], [items]):
                asked_briefly.add(id(items))
                check.consumer(items, [], may_end=True)
    for node in (n for s in tree.body for n in ast.walk(s)):
        match node:
            case ast.For(_, items, body):
                check.consumer(items, body, _may_leave(body))
            case ast.ListComp(item) | ast.SetComp(item) | ast.GeneratorExp(item):
                check.comprehension(node.generators, [item], id(node) in asked_briefly)
            case ast.DictComp(key, item):
                check.comprehension(node.generators, [key, item], False)
            case ast.AugAssign(target, ast.Add(), items):
                check.added(target, items)
            case ast.Call():
                check.turns(node)
                check.function(node)
            case ast.Assign(targets, value) if not any(map(_takes_apart, targets)):
                check.kept(value)
            case ast.AnnAssign(_, _, ast.expr() as value) | ast.NamedExpr(_, value):
                check.kept(value)
            case ast.List(values) | ast.Tuple(values) | ast.Dict(_, values):
                for value in values:
                    check.kept(value)


@dataclass(slots=True)
class _Check:
    ctx: FunctionContext
    finder: EffectFinder
    instead: dict[int, str] = field(default_factory=dict)  # what to write, by the node's `id`

    def comprehension(
        self, generators: Sequence[ast.comprehension], items: list[ast.expr], may_end: bool
    ) -> None:
        for n, g in enumerate(generators):
            later = [part for o in generators[n + 1 :] for part in (o.iter, *o.ifs)]
            self.consumer(g.iter, [*g.ifs, *later, *items], may_end)

    def consumer(self, items: ast.expr, body: Sequence[ast.AST], may_end: bool) -> None:
        """An error if `body`, which runs for each of `items`, sees when they are computed.
        `may_end`: before all have been asked for."""
        self._consumed(items, lambda: self.finder.of(body), may_end)

    def function(self, call: ast.Call) -> None:
        """An error if a function that a call has for each item sees when the items are computed,
        or what it adds items to is seen meanwhile."""
        if self.finder.reaches(call.func):
            for argument in (*call.args, *(k.value for k in call.keywords)):
                self._passed(call, argument)
        applied = function_of(call)
        if applied is not None:
            function, items = applied
            for each in items:
                self._consumed(each, lambda: self.finder.of_function(function, items), False)
        elif name_of(call) not in (*PASSING, *_SHORT):  # it asks for all items, and does no more
            for argument in call.args:
                self.consumer(argument, [], may_end=False)
        match call:
            case ast.Call(ast.Attribute(owner, method), [added]) if method in _ADDING:
                self.added(owner, added)

    def added(self, owner: ast.expr, items: ast.expr) -> None:
        """An error if computing an item sees that those before it have been added to `owner`."""
        place = path_of(owner)
        for lazy in lazies(self.finder, items):
            if place is not None and overlap([place], lazy.effects.reads | lazy.effects.written):
                name = ast.unparse(owner)
                self._fail(lazy.node, f"{lazy.says}, and {name}, which it reads, grows meanwhile")

    def kept(self, value: ast.expr) -> None:
        """An error if a generator gets a name, or is part of something: when its items are asked
        for is not known."""
        for lazy in lazies(self.finder, value):
            if lazy.is_generator and name_of(lazy.node) not in _VIEWS:  # type: ignore[arg-type]
                text = ast.unparse(lazy.node)
                self.ctx.fail(
                    "AC012",
                    lazy.node,
                    f"{ast.unparse(lazy.node.func)} is a generator, which gets a name",  # type: ignore[union-attr]
                    f"`list({text})`, or a loop over the call",
                )

    def _passed(self, call: ast.Call, items: ast.expr) -> None:
        """An error if a function of the author's gets an iterator, and when its items are computed
        matters."""
        name = ast.unparse(call.func)
        for lazy in lazies(self.finder, items):
            if seen := sorted(lazy.effects.written):
                message = f"{name} gets an iterator, whose items change {_named(seen)} when they "
                self._fail(lazy.node, message + "are asked for")
            if lazy.is_generator:  # `passed_iterators` looks at what others read
                used = self.finder.of([call]).changes
                if seen := overlap(lazy.effects.reads, used):
                    message = f"{lazy.says}, and {_named(seen)}, which it reads, changes in {name}"
                    self._fail(lazy.node, message)

    def _consumed(self, items: ast.expr, using: Callable[[], Effects], may_end: bool) -> None:
        used: Effects | None = None
        for lazy in lazies(self.finder, items):
            used = using() if used is None else used
            node, says, effects = lazy.node, lazy.says, lazy.effects
            if seen := overlap(effects.written, used.reads | used.written):
                self._fail(node, f"{says}, and {_named(seen)}, which it changes, is used meanwhile")
            if seen := overlap(_reads(lazy), used.changes):
                self._fail(node, f"{says}, and {_named(seen)}, which it reads, changes meanwhile")
            if effects.written and (may_end or lazy.partly):
                changed = _named(sorted(effects.written))
                message = f"{says}, may not be asked for all, and changes {changed}"
                self._fail(node, message, self.instead.get(id(node), ""))
            if lazy.endless and (may_end or lazy.partly):
                message = f"{says}, may not be asked for all, and its `while` may not end"
                self._fail(node, message, "a bound: `for _ in range(n):` in place of the `while`")

    def turns(self, call: ast.Call) -> None:
        """An error if two arguments of `zip` and the like compute items in turn, and one changes
        what the other uses."""
        every = [list(lazies(self.finder, a)) for a in call.args if name_of(call) in PASSING]
        for n, some in enumerate(every):
            for one, other in ((a, b) for a in some for rest in every[n + 1 :] for b in rest):
                both = overlap(one.effects.written, other.effects.reads | other.effects.written)
                both = both or overlap(other.effects.written, one.effects.reads)
                if both:
                    name = ast.unparse(getattr(other.node, "func", other.node))
                    self._fail(
                        one.node, f"{one.says}, in turn with {name}, and {_named(both)} changes"
                    )

    def _fail(self, node: ast.expr, message: str, remedy: str = "") -> None:
        first = f"`list({ast.unparse(node)})`: all items before the first is used"
        self.ctx.fail("AC030", node, message, remedy or first)


def _reads(lazy: Lazy) -> set[Path]:
    """What an iterator reads, as far as nothing else says more of it: `check_loop` of an argument
    of a generator, `check_lazy_calls` of what lambdas, generators and local functions read."""
    match lazy.node:
        case ast.Call(_, args) if lazy.is_generator:
            given = {a.id for a in args if isinstance(a, ast.Name)}
            return {p for p in lazy.effects.reads if p[0] not in given}
        case ast.Call(_, args) if any(isinstance(a, ast.Attribute) for a in args):
            return lazy.effects.reads
    return set()


def _takes_apart(target: ast.expr) -> bool:
    return isinstance(target, (ast.Tuple, ast.List))


def _named(paths: Sequence[Path]) -> str:
    name, attr = paths[0]
    return f"{name}.{attr}" if attr else name


def _may_leave(body: list[ast.stmt]) -> bool:
    """Whether a loop may end before its iterable does."""
    if any(isinstance(n, ast.Return) for n in own_nodes(body)):
        return True
    work: list[ast.AST] = list(body)
    while work:
        node = work.pop()
        if isinstance(node, ast.Break):
            return True
        if isinstance(node, (ast.For, ast.While)):
            work += node.orelse
        elif not isinstance(node, ast.FunctionDef):
            work += ast.iter_child_nodes(node)
    return False
