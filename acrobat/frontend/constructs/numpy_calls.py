"""Functions of numpy: `np.tanh(x)` of a tensor is `ops.tanh(x)`; of a number, it gives an infinity
or NaN where Python's `math` raises an error."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir import typed as T
from ...ir.types import BOOL, FLOAT, INT, ListType, TensorType, TupleType
from ...lang.ufuncs import UFUNCS
from ..context import FunctionContext
from ..decisions import of_rank_0, read_number
from ..emit import as_tensor, tensor_op, widen
from ..scope import Env
from ..sizes import constant
from ..templates import template
from ..unsettled import elements
from ..written import call, placed
from .arguments import temporary
from .numpy_makers import FLOATS, of_floats, of_truths
from .operations import lower_operation

# The functions that make arrays, and their operations; the dtypes that these may be given.
_MADE = {id(np.zeros): "zeros", id(np.ones): "ones", id(np.array): "stack", id(np.asarray): "stack"}
# Those whose results are ints if the arguments are.
_OF_INTS = ("abs", "pow", "maximum", "minimum")
# Operations of tensors alone, besides those of numbers.
_OF_TENSORS = ("add", "sub", "mul", "div", "matmul", "neg", "pow", "expm1", "log1p")
_INF, _NAN, _ZERO, _MINUS_ONE = (T.Const(x, FLOAT) for x in (math.inf, math.nan, 0.0, -1.0))
_LARGEST = T.Const(709.782712893384, FLOAT)  # the largest whose `exp` is finite


def numpy_call(ctx: FunctionContext, node: ast.Call, callee: Any, env: Env) -> T.Atom | None:
    """A call of a function of numpy; None if the language has no counterpart."""
    name = _MADE.get(id(callee))
    if name is not None and node.args:
        dtypes = [k.value for k in node.keywords if k.arg == "dtype" and of_truths(k.value)]
        if dtypes and name in ("zeros", "ones") and len(node.args) == len(node.keywords) == 1:
            made = template(f"ops.{name}(n) > 0.5", n=node.args[0])
            return ctx.expression(placed(made, node), env)
        plain_dtype = all(k.arg == "dtype" and of_floats(k.value) for k in node.keywords)
        more = [ast.unparse(a) for a in node.args[1:]]
        if not plain_dtype or any(m not in FLOATS for m in more[:1]) or len(more) > 1:
            return None
        if name == "stack" and not isinstance(node.args[0], (ast.List, ast.Tuple)):
            value = ctx.peek(node.args[0], env)
            if isinstance(value.type, TensorType):
                return value
            if _are_matrices(value):
                made = call(np.stack, temporary(env, ast.unparse(node.args[0]), value, node))
                return ctx.expression(placed(made, node), env)
            if value.type == ListType(BOOL):
                truths = temporary(env, ast.unparse(node.args[0]), value, node)
                text = "ops.stack([1.0 if b else 0.0 for b in x])"
                text = text if node.keywords or more else f"{text} > 0.5"
                return ctx.expression(placed(template(text, x=truths), node), env)
            if isinstance(value.type, ListType) and value.type.item == INT:
                return _of_ints(ctx, node, value, bool(node.keywords or more), env)
        source = _of_floats(ctx, node.args[0], env) if name == "stack" else node.args[0]
        plain = ast.copy_location(ast.Call(node.func, [source], []), node)
        return lower_operation(ctx, plain, name, env)
    scalar = _scalar(ctx, node, callee, env)
    if scalar is not None:
        return scalar
    if not isinstance(callee, np.ufunc) or len(node.args) != callee.nin or node.keywords:
        return None
    known = _constant(ctx, node, callee, env)
    if known is not None:
        return known
    name = UFUNCS.get(callee.__name__, "")
    if name not in _OF_NUMBERS and name not in _OF_TENSORS:
        return None
    args = elements(ctx, node.args, lambda a: _operand(ctx, a, name, env), env)
    if any(isinstance(a.type, TensorType) for a in args):
        return tensor_op(ctx, name, node, list(zip(node.args, args, strict=True)))
    if name == "pow" and all(a.type == INT for a in args):
        return None  # numpy computes it in 64 bits, whatever the result
    numbers = [widen(a, FLOAT) for a in args]
    if name not in _OF_NUMBERS or any(n.type not in (INT, FLOAT) for n in numbers):
        return None
    floats = [
        n if n.type == FLOAT else ctx.let(T.Scalar("float", (n,)), FLOAT, node, "n")
        for n in numbers
    ]
    return _OF_NUMBERS[name](ctx, node, *floats)


def _operand(ctx: FunctionContext, node: ast.expr, name: str, env: Env) -> T.Atom:
    """An argument of the operation `name`; a list of numbers or vectors counts as an array. One of
    ints only if the result has floats all the same."""
    value = ctx.peek(node, env)
    item = value.type.item if isinstance(value.type, ListType) else None
    numbers = item == FLOAT or (item == INT and name in _OF_NUMBERS and name not in _OF_INTS)
    if not numbers and not (isinstance(item, TensorType) and len(item.dims) <= 1):
        return value
    items = temporary(env, ast.unparse(node), value, node)
    floats = template("ops.stack([float(i) for i in x])", x=items)
    return ctx.expression(placed(floats if item == INT else call(np.array, items), node), env)


def _are_matrices(value: T.Atom) -> bool:
    t = value.type.item if isinstance(value.type, ListType) else None
    return isinstance(t, TensorType) and len(t.dims) == 2


def _of_ints(
    ctx: FunctionContext, node: ast.Call, ints: T.Atom, converts: bool, env: Env
) -> T.Atom:
    """A list of ints as floats, if the call says so: ints are no tensors."""
    text = ast.unparse(node.args[0])
    if not converts:
        ctx.fail(
            "AC017",
            node,
            "an array of ints",
            f"`{ast.unparse(node.func)}({text}, dtype=np.float32)`, or the list, as an index",
        )
    items = temporary(env, text, ints, node.args[0])
    made = template("ops.stack([float(i) for i in x])", x=items)
    return ctx.expression(placed(made, node), env)


def _scalar(ctx: FunctionContext, node: ast.Call, callee: Any, env: Env) -> T.Atom | None:
    """`np.float32(x)`: a tensor of rank 0; `np.float64(x)` and `np.int64(n)`: a number."""
    known = any(callee is t for t in (np.float32, np.float64, np.int64))
    if not known or len(node.args) != 1 or node.keywords:
        return None
    (source,) = node.args
    x = ctx.peek(source, env)
    if callee is np.int64:
        return x if x.type == INT else None
    x = widen(x, FLOAT)
    if callee is np.float64 and of_rank_0(x):
        return read_number(ctx, x, node)
    if x.type == INT:
        x = ctx.let(T.Scalar("float", (x,)), FLOAT, node, "n")
    if callee is np.float32 and x.type == FLOAT:
        return as_tensor(ctx, node, x)
    return x if x.type == FLOAT or (callee is np.float32 and of_rank_0(x)) else None


def _of_floats(ctx: FunctionContext, node: ast.expr, env: Env) -> ast.expr:
    """The contents of an array, with numbers converted to floats."""
    if isinstance(node, (ast.List, ast.Tuple)):
        if any(isinstance(e, ast.Starred) for e in node.elts):
            return node
        values = [_row(ctx, e, env) for e in node.elts]
    else:
        whole = ctx.peek(node, env)
        if not isinstance(whole, T.Var) or type(whole.type) is not TupleType:
            return node
        values = [
            ctx.let(T.GetItem(whole, i), t, node, "n") for i, t in enumerate(whole.type.items)
        ]
    parts: list[ast.expr] = []
    for i, value in enumerate(values):
        value = widen(value, FLOAT)
        if value.type in (INT, BOOL):
            value = ctx.let(T.Scalar("float", (value,)), FLOAT, node, "n")
        if value.type == FLOAT and any(map(of_rank_0, values)):
            value = as_tensor(ctx, node, value)
        parts.append(temporary(env, f"{ast.unparse(node)}[{i}]", value, node))
    return ast.copy_location(ast.List(parts, ast.Load()), node)


def _row(ctx: FunctionContext, node: ast.expr, env: Env) -> T.Atom:
    """An item of an array that is written out; a row that is written out, too, as a vector."""
    if isinstance(node, (ast.List, ast.Tuple)) and node.elts:
        node = placed(call(np.array, node), node)
    return ctx.expression(node, env)


def _constant(ctx: FunctionContext, node: ast.Call, callee: np.ufunc, env: Env) -> T.Const | None:
    """The result for a number that is known when the model is compiled; None if the number is not
    known, or if the result is not finite."""
    n = constant(ctx, node.args[0], env) if len(node.args) == 1 else None
    if n is None:
        return None
    with np.errstate(all="ignore"):
        value = callee(n)
    finite = isinstance(value, np.floating) and np.isfinite(value)
    return T.Const(float(value), FLOAT) if finite else None


# -- functions of numbers --------------------------------------------------------------------------

_Numbers = Callable[..., T.Atom]


def _call(ctx: FunctionContext, node: ast.AST, name: str, *args: T.Atom) -> T.Var:
    return ctx.let(T.Scalar(name, args), FLOAT, node, "n")


def _test(ctx: FunctionContext, node: ast.AST, test: str, *args: T.Atom) -> T.Var:
    return ctx.let(T.Scalar(test, args), BOOL, node, "b")


def _choice(
    ctx: FunctionContext,
    node: ast.AST,
    test: T.Var,
    one: Callable[[], T.Atom],
    other: Callable[[], T.Atom],
) -> T.Var:
    regions: list[T.Region] = []
    for value in (one, other):
        with ctx.region() as stmts:
            end = T.Yield((value(),))
        regions.append(T.Region(tuple(stmts), end))
    out = ctx.computed("n", FLOAT, node)
    ctx.stmts.append(T.If((out,), test, regions[0], regions[1], ctx.span(node)))
    return out


def _where(test: str, bound: T.Const, name: str, other: T.Const) -> _Numbers:
    """`math.<name>` where its argument passes the test, else `other`; NaN for NaN."""

    def lower(ctx: FunctionContext, node: ast.AST, x: T.Atom) -> T.Atom:
        holds = _test(ctx, node, test, x, bound)
        return _choice(
            ctx,
            node,
            holds,
            lambda: _call(ctx, node, f"math.{name}", x),
            lambda: _call(ctx, node, "+", x, other),  # which is NaN where x is
        )

    return lower


def _log(ctx: FunctionContext, node: ast.AST, x: T.Atom) -> T.Atom:
    def below() -> T.Atom:
        zero = _test(ctx, node, "==", x, _ZERO)
        return _choice(ctx, node, zero, lambda: T.Const(-math.inf, FLOAT), lambda: _NAN)

    positive = _test(ctx, node, ">", x, _ZERO)
    return _choice(ctx, node, positive, lambda: _call(ctx, node, "math.log", x), below)


def _log1p(ctx: FunctionContext, node: ast.AST, x: T.Atom) -> T.Atom:
    def below() -> T.Atom:
        end = _test(ctx, node, "==", x, _MINUS_ONE)
        return _choice(ctx, node, end, lambda: T.Const(-math.inf, FLOAT), lambda: _NAN)

    inside = _test(ctx, node, ">", x, _MINUS_ONE)
    return _choice(ctx, node, inside, lambda: _call(ctx, node, "math.log1p", x), below)


def _periodic(name: str) -> _Numbers:
    def lower(ctx: FunctionContext, node: ast.AST, x: T.Atom) -> T.Atom:
        finite = _test(ctx, node, "math.isfinite", x)
        return _choice(ctx, node, finite, lambda: _call(ctx, node, f"math.{name}", x), lambda: _NAN)

    return lower


def _extreme(test: str) -> _Numbers:
    """The greater or the smaller of two numbers; NaN if either is NaN."""

    def lower(ctx: FunctionContext, node: ast.AST, a: T.Atom, b: T.Atom) -> T.Atom:
        first = _test(ctx, node, test, a, b)
        nan = _test(ctx, node, "math.isnan", a)
        return _choice(ctx, node, _test(ctx, node, "or", first, nan), lambda: a, lambda: b)

    return lower


_OF_NUMBERS: dict[str, _Numbers] = {
    "exp": _where("<=", _LARGEST, "exp", _INF),
    "sqrt": _where(">=", _ZERO, "sqrt", _NAN),
    "log": _log,
    "sin": _periodic("sin"),
    "cos": _periodic("cos"),
    "tanh": lambda ctx, node, x: _call(ctx, node, "math.tanh", x),
    "expm1": _where("<=", _LARGEST, "expm1", _INF),
    "log1p": _log1p,
    "abs": lambda ctx, node, x: _call(ctx, node, "abs", x),
    "pow": lambda ctx, node, x, y: _call(ctx, node, "**", x, y),
    "maximum": _extreme(">="),
    "minimum": _extreme("<="),
}
