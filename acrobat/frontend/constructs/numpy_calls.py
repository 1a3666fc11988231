"""Functions of numpy: `np.tanh(x)` of a tensor is `ops.tanh(x)`; of a number, it gives an infinity
or NaN where Python's `math` raises an error."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ir import typed as T
from ...ir.types import BOOL, FLOAT, INT, ListType, RowsType, TensorType, TupleType
from ...lang.ufuncs import UFUNCS
from ..context import FunctionContext
from ..decisions import is_mask, of_rank_0, read_number
from ..emit import as_tensor, tensor_op, widen
from ..masks import as_numbers, as_truths
from ..scope import Env
from ..sizes import constant
from ..templates import template
from ..unsettled import elements
from ..written import call, placed
from .arguments import temporary
from .numpy_makers import FLOATS, of_floats, of_truths
from .numpy_numbers import OF_NUMBERS
from .operations import lower_operation

# The functions that make arrays, and their operations; the dtypes that these may be given.
# What an array has that is not filled yet, is left open.
_MADE = {id(np.zeros): "zeros", id(np.empty): "zeros", id(np.ones): "ones"}
_MADE |= {id(np.array): "stack", id(np.asarray): "stack"}
# Those whose results are ints if the arguments are.
_OF_INTS = ("abs", "pow", "maximum", "minimum")
# With masks alone, these are the operators that numpy has for truth values, or that it lacks.
_OPERATORS = {
    "add": "x + y",
    "sub": "x - y",
    "mul": "x * y",
    "div": "x / y",
    "matmul": "x @ y",
    "pow": "x ** y",
    "neg": "-x",
}
# Operations of tensors alone, besides those of numbers.
_OF_TENSORS = ("add", "sub", "mul", "div", "matmul", "neg", "pow", "expm1", "log1p")


def numpy_call(ctx: FunctionContext, node: ast.Call, callee: Any, env: Env) -> T.Atom | None:
    """A call of a function of numpy; None if the language has no counterpart."""
    name = _MADE.get(id(callee))
    if name is not None and node.args:
        return _made(ctx, node, name, env)
    scalar = _scalar(ctx, node, callee, env)
    if scalar is not None:
        return scalar
    if not isinstance(callee, np.ufunc) or len(node.args) != callee.nin or node.keywords:
        return None
    known = _constant(ctx, node, callee, env)
    if known is not None:
        return known
    name = UFUNCS.get(callee.__name__, "")
    if name not in OF_NUMBERS and name not in _OF_TENSORS:
        return None
    args = elements(ctx, node.args, lambda a: _operand(ctx, a, name, env), env)
    truths = all(is_mask(a) or a.type == BOOL for a in args)
    if name in _OPERATORS and truths and any(map(is_mask, args)):
        return _of_masks(ctx, node, args, _OPERATORS[name], env)
    if any(isinstance(a.type, TensorType) for a in args):
        return tensor_op(ctx, name, node, list(zip(node.args, args, strict=True)))
    if name == "pow" and all(a.type == INT for a in args):
        return None  # numpy computes it in 64 bits, whatever the result
    numbers = [widen(a, FLOAT) for a in args]
    if name not in OF_NUMBERS or any(n.type not in (INT, FLOAT) for n in numbers):
        return None
    floats = [
        n if n.type == FLOAT else ctx.let(T.Scalar("float", (n,)), FLOAT, node, "n")
        for n in numbers
    ]
    return OF_NUMBERS[name](ctx, node, *floats)


def _made(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> T.Atom | None:
    """`np.zeros(n)`, `np.array(xs)` and the like."""
    dtypes = [k.value for k in node.keywords if k.arg == "dtype" and of_truths(k.value)]
    if dtypes and name in ("zeros", "ones") and len(node.args) == len(node.keywords) == 1:
        made = template(f"ops.{name}(n) > 0.5", n=node.args[0])
        return ctx.expression(placed(made, node), env)
    plain_dtype = all(k.arg == "dtype" and of_floats(k.value) for k in node.keywords)
    more = [ast.unparse(a) for a in node.args[1:]]
    if not plain_dtype or any(m not in FLOATS for m in more[:1]) or len(more) > 1:
        return None
    converts = bool(node.keywords or more)
    if name == "stack" and not isinstance(node.args[0], (ast.List, ast.Tuple)):
        value = ctx.peek(node.args[0], env)
        if isinstance(value.type, TensorType):
            return as_numbers(value) if converts else value
        if _are_matrices(value):
            made = call(np.stack, temporary(env, ast.unparse(node.args[0]), value, node))
            array = ctx.expression(placed(made, node), env)
            return as_numbers(array) if converts else array
        if value.type == ListType(BOOL):
            truths = temporary(env, ast.unparse(node.args[0]), value, node)
            text = "ops.stack([1.0 if b else 0.0 for b in x])"
            text = text if converts else f"{text} > 0.5"
            return ctx.expression(placed(template(text, x=truths), node), env)
        if isinstance(value.type, ListType) and value.type.item == INT:
            return _of_ints(ctx, node, value, converts, env)
    source, as_mask = node.args[0], False
    if name == "stack":
        source, as_mask = _of_floats(ctx, source, env)
    else:
        source = _sizes(ctx, source, env)
    plain = ast.copy_location(ast.Call(node.func, [source], []), node)
    array = lower_operation(ctx, plain, name, env)
    if converts:
        return as_numbers(array)
    return as_truths(array) if as_mask else array


def _of_masks(
    ctx: FunctionContext, node: ast.Call, masks: Sequence[T.Atom], text: str, env: Env
) -> T.Atom:
    """`np.add(m, n)` of masks, as the operator, which is refused where it would differ."""
    names = zip("xy", node.args, masks, strict=False)
    operands = {n: temporary(env, ast.unparse(a), m, a) for n, a, m in names}
    return ctx.expression(placed(template(text, **operands), node), env)


def _operand(ctx: FunctionContext, node: ast.expr, name: str, env: Env) -> T.Atom:
    """An argument of the operation `name`; a list of numbers or vectors counts as an array. One of
    ints only if the result has floats all the same."""
    value = ctx.peek(node, env)
    item = value.type.item if isinstance(value.type, ListType) else None
    numbers = item == FLOAT or (item == INT and name in OF_NUMBERS and name not in _OF_INTS)
    if not numbers and not (isinstance(item, TensorType) and len(item.dims) <= 1):
        return value
    items = temporary(env, ast.unparse(node), value, node)
    floats = template("ops.stack([float(i) for i in x])", x=items)
    return ctx.expression(placed(floats if item == INT else call(np.array, items), node), env)


def _sizes(ctx: FunctionContext, shape: ast.expr, env: Env) -> ast.expr:
    """`x.shape` of a tensor with a size that only the instance knows, as the tuple of its sizes."""
    match shape:
        case ast.Attribute(x, "shape"):
            t = ctx.peek(x, env).type
            if isinstance(t, RowsType):
                sizes = [template(f"x.shape[{i}]", x=x) for i in range(len(t.dims))]
                return placed(ast.Tuple(sizes, ast.Load()), shape)
    return shape


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
    return as_numbers(x) if x.type == FLOAT or (callee is np.float32 and of_rank_0(x)) else None


def _of_floats(ctx: FunctionContext, node: ast.expr, env: Env) -> tuple[ast.expr, bool]:
    """The contents of an array, with numbers converted to floats, and whether all of them are truth
    values."""
    if isinstance(node, (ast.List, ast.Tuple)):
        if any(isinstance(e, ast.Starred) for e in node.elts):
            return node, False
        values = [_row(ctx, e, env) for e in node.elts]
    else:
        whole = ctx.peek(node, env)
        if not isinstance(whole, T.Var) or type(whole.type) is not TupleType:
            return node, False
        values = [
            ctx.let(T.GetItem(whole, i), t, node, "n") for i, t in enumerate(whole.type.items)
        ]
    truths = bool(values) and all(is_mask(v) or v.type == BOOL for v in values)
    parts: list[ast.expr] = []
    for i, value in enumerate(values):
        value = widen(value, FLOAT)
        if value.type in (INT, BOOL):
            value = ctx.let(T.Scalar("float", (value,)), FLOAT, node, "n")
        if value.type == FLOAT and any(map(of_rank_0, values)):
            value = as_tensor(ctx, node, value)
        parts.append(temporary(env, f"{ast.unparse(node)}[{i}]", value, node))
    return ast.copy_location(ast.List(parts, ast.Load()), node), truths


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
