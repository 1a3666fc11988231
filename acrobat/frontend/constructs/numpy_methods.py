"""Methods that numpy's arrays share with its functions, `x.std(axis=0)`, and copies: `x.copy()`,
`x.astype(np.float32)`, `x.tolist()`."""

from __future__ import annotations

import ast
from collections.abc import Callable

import numpy as np

from ...ir import typed as T
from ...ir.types import TensorType
from ..context import FunctionContext
from ..decisions import is_mask
from ..registry import Arity, method
from ..scope import Env
from ..templates import template
from ..written import call, placed
from .arguments import temporary
from .numpy_functions import clipped
from .numpy_makers import of_floats, of_truths
from .numpy_rewritings import arguments, rank

# What a call becomes, given the receiver as an expression and its value.
_Rewriting = Callable[[ast.Call, ast.expr, T.Atom], ast.expr | None]
_FUNCTIONS = (
    "var",
    "std",
    "prod",
    "ptp",
    "argmin",
    "squeeze",
    "take",
    "repeat",
    "swapaxes",
    "trace",
)


def _rewritten(name: str, rewrite: _Rewriting, instead: str, arity: Arity | None = None) -> None:
    @method(TensorType, name, arity)
    def lower(ctx: FunctionContext, node: ast.Call, x: T.Atom, env: Env) -> T.Atom:
        assert isinstance(node.func, ast.Attribute)
        receiver = node.func.value
        before = set(env.names)
        written = rewrite(node, temporary(env, ast.unparse(receiver), x, receiver), x)
        if written is None:
            text = ast.unparse(node)
            ctx.fail("AC002", node, f"`{text}` of a {x.type} is not part of the language", instead)
        value = ctx.expression(placed(written, node), env)
        for temporary_name in set(env.names) - before - ctx.locals:
            del env.names[temporary_name]
        return value


def _of_function(name: str) -> None:
    function = getattr(np, name)

    def rewrite(node: ast.Call, x: ast.expr, value: T.Atom) -> ast.expr:
        made = call(function, x, *node.args)
        made.keywords = node.keywords
        return made

    _rewritten(name, rewrite, "")


for _name in _FUNCTIONS:
    _of_function(_name)


def _transpose(node: ast.Call, x: ast.expr, value: T.Atom) -> ast.expr | None:
    """`x.transpose()`, `x.transpose(1, 0)`."""
    axes = node.args
    if node.keywords or len(axes) > 3:
        return None
    if len(axes) > 1:
        return call(np.transpose, x, ast.Tuple(axes, ast.Load()))
    return template("x.T", x=x) if not axes else call(np.transpose, x, *axes)


def _astype(node: ast.Call, x: ast.expr, value: T.Atom) -> ast.expr | None:
    """Floats as floats, a mask as 1.0 and 0.0, and either as a mask."""
    if len(node.args) != 1 or node.keywords:
        return None
    if of_truths(node.args[0]):
        return x if is_mask(value) else template("x != 0.0", x=x)
    if not of_floats(node.args[0]):
        return None
    return template("ops.where(x, 1.0, 0.0)", x=x) if is_mask(value) else x


def _tolist(node: ast.Call, x: ast.expr, value: T.Atom) -> ast.expr | None:
    """The numbers, which decisions may depend on."""
    if is_mask(value):
        return None
    texts = {0: "float(x)", 1: "[float(e) for e in x]", 2: "[[float(e) for e in r] for r in x]"}
    text = texts.get(rank(value) or 0)
    return None if text is None else template(text, x=x)


def _copy(node: ast.Call, x: ast.expr, value: T.Atom) -> ast.expr | None:
    return x  # whose values do not change


def _clip(node: ast.Call, x: ast.expr, value: T.Atom) -> ast.expr | None:
    return clipped(ast.Call(node.func, [x, *node.args], node.keywords), x)


def _item(node: ast.Call, x: ast.expr, value: T.Atom) -> ast.expr | None:
    """`x.item()`, `x.item(i)` of a vector."""
    given = arguments(ast.Call(node.func, [x, *node.args], node.keywords), "index")
    if given == {}:
        return template("ops.item(x)", x=x)
    return template("ops.item(x[i])", x=x, i=node.args[0]) if given and rank(value) == 1 else None


_rewritten("item", _item, "`x[i, j]`, and `ops.item` of that")
_rewritten("transpose", _transpose, "`x.T`")
_rewritten("astype", _astype, "`x` as it is, or `ops.where(mask, 1.0, 0.0)`")
_rewritten("tolist", _tolist, "`ops.where(mask, 1.0, 0.0).tolist()`", Arity(0, 0))
_rewritten("copy", _copy, "`x.copy()`", Arity(0, 0))
_rewritten("clip", _clip, "`ops.clip(x, low, high)`")
