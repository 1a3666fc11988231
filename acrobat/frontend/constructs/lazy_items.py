"""Iterators by their syntax: calls whose items Python computes when they are asked for, and what
computing one does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ..effects import EffectFinder, Effects
from ..endless import may_be_endless

# Where the function of `map` and the like is among its arguments.
_FUNCTION = {"map": 0, "filter": 0, "takewhile": 0, "dropwhile": 0, "starmap": 0, "filterfalse": 0}
# Iterators that ask others for items; those of `_MAY_END` may ask for only some of them.
PASSING = {*_FUNCTION, "enumerate", "iter", "chain", "islice", "zip", "zip_longest", "pairwise"}
_MAY_END = ("zip", "islice", "takewhile")
# Functions that ask for an item, and then call another function with it.
_KEYED = ("max", "min", "nlargest", "nsmallest", "groupby")


@dataclass(frozen=True, slots=True)
class Lazy:
    """An expression whose items are computed one by one, and what computing one does."""

    node: ast.Call | ast.GeneratorExp
    says: str
    effects: Effects
    partly: bool  # whether an iterator around it may leave items
    endless: bool = False  # perhaps

    @property
    def is_generator(self) -> bool:
        """Whether it is a call of a function of the author's that yields."""
        return isinstance(self.node, ast.Call) and name_of(self.node) not in PASSING


def lazies(finder: EffectFinder, items: ast.expr, partly: bool = False) -> Iterator[Lazy]:
    """The expressions in `items` that compute items when these are asked for."""
    match items:
        case ast.IfExp(_, body, orelse):
            yield from lazies(finder, body, partly)
            yield from lazies(finder, orelse, partly)
            return
        case ast.GeneratorExp():
            effects = finder.of([items])
            yield Lazy(items, "this generator computes one item at a time", effects, partly)
            return
        case ast.Call():
            pass
        case _:
            return
    generators = finder.generators(items.func)
    if generators:
        says = f"{ast.unparse(items.func)} yields items one by one"
        endless = any(may_be_endless(f.tree) for f in generators)
        yield Lazy(items, says, finder.of_call(items, generators), partly, endless)
        return
    name = name_of(items)
    if name not in PASSING:
        return
    arguments = list(items.args)
    if name in _FUNCTION and arguments:
        function = arguments.pop(_FUNCTION[name])
        says = f"{name} calls {ast.unparse(function)} for one item at a time"
        yield Lazy(items, says, finder.of_function(function, arguments), partly)
    for argument in arguments:
        yield from lazies(finder, argument, partly or name in _MAY_END)


def search_of(stmt: ast.AST) -> ast.Call | None:
    """The search in `return next((x for x in xs if c), default)` or `y = next(...)`, which
    `short_forms` writes as a loop that ends at the first item."""
    match stmt:
        case ast.Return(ast.Call(_, [ast.GeneratorExp(), _], []) as search):
            return search
        case ast.Assign(_, ast.Call(_, [ast.GeneratorExp(_, [_]), _], []) as search):
            return search
    return None


def function_of(call: ast.Call) -> tuple[ast.expr, list[ast.expr]] | None:
    """The function that a call has for each item that it asks for, and where these are from; None
    if it has none."""
    name, args = name_of(call), list(call.args)
    if name in _FUNCTION and len(args) > 1:
        return args.pop(_FUNCTION[name]), args
    if name == "reduce" and len(args) > 1:
        return args[0], args[1:]
    if name == "accumulate" and len(args) > 1:
        return args[1], args[:1]
    keys = [k.value for k in call.keywords if k.arg in ("key", "func")]
    if name in (*_KEYED, "accumulate") and keys and args:
        return keys[0], args[-1:]
    return None


def name_of(call: ast.Call) -> str:
    """The name of the function or method that is called."""
    func = call.func
    if isinstance(func, ast.Attribute):
        return func.attr
    return func.id if isinstance(func, ast.Name) else ""
