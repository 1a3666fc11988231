"""Errors where the order of computations can be seen: Python computes the items of a generator, or
of `map(f, xs)`, when they are asked for; compiled, all items come before the first one is used.

That is the same unless what computes the items changes something that its user sees before the
last item, or reads something that the user changes meanwhile, or is not asked for all items and
changes something or does not end. What an item that is not asked for would raise is not looked for.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..captures import own_nodes
from ..context import FunctionContext
from ..effect_paths import Path, overlap
from ..effects import EffectFinder, Effects
from ..endless import may_be_endless
from ..syntax import names_bound, names_in

# Where the function of `map` and the like is among its arguments.
_FUNCTION = {"map": 0, "filter": 0, "takewhile": 0, "dropwhile": 0, "starmap": 0, "filterfalse": 0}
# Iterators that ask others for items; those of `_MAY_END` may ask for only some of them.
_PASSING = {*_FUNCTION, "enumerate", "iter", "chain", "islice", "zip", "zip_longest", "pairwise"}
_MAY_END = ("zip", "islice", "takewhile")
_SHORT = ("any", "all", "next")


@dataclass(frozen=True, slots=True)
class _Lazy:
    """A call or generator whose items are computed one by one, and what computing one does."""

    call: ast.Call | ast.GeneratorExp
    says: str
    effects: Effects
    partly: bool  # whether an iterator around it may leave items
    endless: bool = False  # perhaps


def check_lazy_effects(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Raise Recover if the order in which items are computed matters in the function `tree`."""
    check = _Check(ctx, EffectFinder(tree, ctx.scope))
    asked_briefly: set[int] = set()
    for node in (n for s in tree.body for n in ast.walk(s)):
        match node:
            case ast.Call(ast.Name(name), [first, *_]) if name in _SHORT:
                asked_briefly.add(id(first))
                # A generator as their argument is lowered as a loop that ends where they do.
                if not isinstance(first, ast.GeneratorExp):
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
            case ast.Call():
                check.turns(node)


@dataclass(slots=True)
class _Check:
    ctx: FunctionContext
    finder: EffectFinder

    def comprehension(
        self, generators: Sequence[ast.comprehension], items: list[ast.expr], may_end: bool
    ) -> None:
        for n, g in enumerate(generators):
            later = [part for o in generators[n + 1 :] for part in (o.iter, *o.ifs)]
            self.consumer(g.iter, [*g.ifs, *later, *items], may_end)

    def consumer(self, items: ast.expr, body: Sequence[ast.AST], may_end: bool) -> None:
        """An error if `body`, which runs for each of `items`, sees when they are computed.
        `may_end`: before all have been asked for."""
        used: Effects | None = None
        for lazy in self._lazies(items):
            used = self.finder.of(body) if used is None else used
            call, says, effects = lazy.call, lazy.says, lazy.effects
            if seen := overlap(effects.changes, used.reads | used.changes):
                self._fail(call, f"{says}, and {_named(seen)}, which it changes, is used meanwhile")
            args = call.args if isinstance(call, ast.Call) else []
            given = {a.id for a in args if isinstance(a, ast.Name)}
            # Of an argument that changes, `check_loop` and `check_lazy_calls` say more.
            reads = {p for p in effects.reads if p[0] not in given}
            if seen := overlap(reads, used.changes):
                self._fail(call, f"{says}, and {_named(seen)}, which it reads, changes meanwhile")
            if effects.changes and (may_end or lazy.partly):
                changed = _named(sorted(effects.changes))
                self._fail(call, f"{says}, may not be asked for all, and changes {changed}")
            if lazy.endless and (may_end or lazy.partly):
                message = f"{says}, may not be asked for all, and its `while` may not end"
                self._fail(call, message, "a bound: `for _ in range(n):` in place of the `while`")

    def turns(self, call: ast.Call) -> None:
        """An error if two arguments of `zip` and the like compute items in turn, and one changes
        what the other uses."""
        every = [list(self._lazies(a)) for a in call.args] if _name(call) in _PASSING else []
        for n, some in enumerate(every):
            for one, other in ((a, b) for a in some for rest in every[n + 1 :] for b in rest):
                both = overlap(one.effects.changes, other.effects.reads | other.effects.changes)
                both = both or overlap(other.effects.changes, one.effects.reads)
                if both:
                    name = _name(other.call)
                    self._fail(
                        one.call, f"{one.says}, in turn with {name}, and {_named(both)} changes"
                    )

    def _fail(self, call: ast.Call | ast.GeneratorExp, message: str, remedy: str = "") -> None:
        whole = f"list({ast.unparse(call)})"
        if isinstance(call, ast.GeneratorExp):
            whole = ast.unparse(ast.ListComp(call.elt, call.generators))
        first = f"`{whole}`: all items before the first is used"
        self.ctx.fail("AC030", call, message, remedy or first)

    def _lazies(self, items: ast.expr, partly: bool = False) -> Iterator[_Lazy]:
        if isinstance(items, ast.GeneratorExp):
            says = "this generator computes its items one by one"
            yield _Lazy(items, says, self._of_generator(items), partly)
        if not isinstance(items, ast.Call):
            return
        generators = self.finder.generators(items.func)
        if generators:
            says = f"{ast.unparse(items.func)} yields items one by one"
            endless = any(may_be_endless(f.tree) for f in generators)
            yield _Lazy(items, says, self.finder.of_call(items, generators), partly, endless)
            return
        name = _name(items)
        if name not in _PASSING:
            return
        arguments = list(items.args)
        if name in _FUNCTION and arguments:
            function = arguments.pop(_FUNCTION[name])
            says = f"{name} calls {ast.unparse(function)} for one item at a time"
            effects = self.finder.of_function(function, arguments)
            if not isinstance(function, ast.Attribute):
                effects.reads.clear()  # `check_lazy_calls` looks at what local functions read
            yield _Lazy(items, says, effects, partly)
        for argument in arguments:
            yield from self._lazies(argument, partly or name in _MAY_END)

    def _of_generator(self, node: ast.GeneratorExp) -> Effects:
        """What computing the items of a generator expression does, but for its first iterable,
        which is computed where the generator is."""
        first, *more = node.generators
        parts = [node.elt, *first.ifs, *(p for g in more for p in (g.iter, *g.ifs))]
        own = {n for g in node.generators for n in names_in(g.target)}
        found = self.finder.of(parts)
        changes = found.changes | {(name, "") for name in names_bound(node)}
        return Effects(
            {p for p in found.reads if p[0] not in own}, {p for p in changes if p[0] not in own}
        )


def _name(call: ast.expr) -> str:
    if not isinstance(call, ast.Call):
        return "a generator"
    func = call.func
    if isinstance(func, ast.Attribute):
        return func.attr
    return func.id if isinstance(func, ast.Name) else ""


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
