"""The functions that `operator` makes, as lambdas:

    operator.itemgetter(1, 0)          ->    lambda x: (x[1], x[0])
    operator.itemgetter(i)             ->    lambda x, i=i: x[i]
    operator.attrgetter("a.b")         ->    lambda x: x.a.b
    operator.methodcaller("get", k)    ->    lambda x, k=k: x.get(k)

What the compiler does not know becomes a default: Python, too, evaluates it where the function is
made.
"""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .context import MISSING
from .syntax import has_effect
from .written import call, known, placed

MAKERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)
_PURE = (len, min, max, abs, int)  # what may be called once for each item instead of once


def made_function(
    node: ast.Call, maker: type, static: Callable[[ast.expr], Any]
) -> ast.Lambda | None:
    """The lambda for a call of one of `MAKERS`, None if there is none. `static` finds the object
    that a name stands for outside of the model."""
    words = [k.value for k in node.keywords]
    given = [*node.args, *words]
    if any(isinstance(a, ast.Starred) for a in given) or any(k.arg is None for k in node.keywords):
        return None
    if any(has_effect(a) or not _is_pure(a, static) for a in given):
        return None
    made = _Made(static, f"the item in {node.lineno}:{node.col_offset}")
    item = ast.Name(made.item, ast.Load())
    body: list[ast.expr | None]
    if maker is operator.methodcaller:
        name = made.text(node.args[0]) if node.args else ""
        args = [made.early(a) for a in node.args[1:]]
        named = [ast.keyword(k.arg, made.early(k.value)) for k in node.keywords]
        called = ast.Call(ast.Attribute(item, name or "", ast.Load()), args, named)
        body = [called if name else None]
    elif words:
        return None
    elif maker is operator.attrgetter:
        body = [made.attribute(item, a) for a in node.args]
    else:
        body = [ast.Subscript(item, made.index(a), ast.Load()) for a in node.args]
    parts = [b for b in body if b is not None]
    if not parts or len(parts) < len(body):
        return None
    return made.function(parts[0] if len(parts) == 1 else ast.Tuple([*parts], ast.Load()), node)


def definition_of(found: Any, node: ast.AST) -> ast.FunctionDef | None:
    """The function, placed at `node`, that means the same as `found`, which one of `MAKERS` has
    made outside of the model; None if there is none."""
    made, args, *_ = found.__reduce__()
    words = {}
    if isinstance(made, functools.partial):  # a `methodcaller` with keywords
        args, words = (*made.args, *args), made.keywords
    of_constants = call(type(found), *map(known, args), **{n: known(v) for n, v in words.items()})
    written = made_function(placed(of_constants, node), type(found), lambda _: MISSING)
    if written is None:
        return None
    tree = ast.FunctionDef("lambda", written.args, [ast.Return(written.body)], [], None)
    return placed(tree, node)


def one_argument(name: str, body: ast.expr, node: ast.expr) -> ast.Lambda:
    """`lambda name: body` in the place of `node`."""
    return placed(ast.Lambda(_parameters([ast.arg(name)], []), body), node)


def _parameters(names: list[ast.arg], defaults: list[ast.expr]) -> ast.arguments:
    return ast.arguments([], names, None, [], [], None, defaults)


def _is_pure(node: ast.expr, static: Callable[[ast.expr], Any]) -> bool:
    calls = [static(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)]
    return all(any(found is f for f in (*_PURE, slice)) for found in calls)


@dataclass(slots=True)
class _Made:
    """A lambda: the name of its parameter, and the defaults of others."""

    static: Callable[[ast.expr], Any]
    item: str
    defaults: dict[str, ast.expr] = field(default_factory=dict)

    def function(self, body: ast.expr, node: ast.expr) -> ast.Lambda:
        """It, in the place of `node`."""
        names = [ast.arg(n) for n in (self.item, *self.defaults)]
        return placed(ast.Lambda(_parameters(names, [*self.defaults.values()]), body), node)

    def early(self, node: ast.expr) -> ast.expr:
        """What stands in the lambda for a value from where it is made."""
        match node:
            case ast.Constant() | ast.UnaryOp(_, ast.Constant()):
                return node
        if self.static(node) is not MISSING:
            return node
        name = f"{self.item}, argument {len(self.defaults) + 1}"
        self.defaults[name] = node
        return ast.Name(name, ast.Load())

    def index(self, node: ast.expr) -> ast.expr:
        """As `early`, of an index or a slice."""
        match node:
            case ast.Call(func, [*parts], []) if self.static(func) is slice and 0 < len(parts) < 4:
                bounds = [None, *parts] if len(parts) == 1 else parts
                return ast.Slice(*(b and self._bound(b) for b in bounds))
        return self.early(node)

    def _bound(self, node: ast.expr) -> ast.expr | None:
        is_none = isinstance(node, ast.Constant) and node.value is None
        return None if is_none else self.early(node)

    def text(self, node: ast.expr) -> str | None:
        """The string that an expression is known to be."""
        found = node.value if isinstance(node, ast.Constant) else self.static(node)
        return found if isinstance(found, str) else None

    def attribute(self, item: ast.expr, path: ast.expr) -> ast.expr | None:
        """`item.a.b` for the path "a.b"."""
        names = (self.text(path) or "").split(".")
        if not all(n.isidentifier() for n in names):
            return None
        for name in names:
            item = ast.Attribute(item, name, ast.Load())
        return item
