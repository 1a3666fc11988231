"""Functions of numpy that make arrays from sizes: `np.full(n, x)`, `np.eye(n)`, `np.arange(n)`,
`np.linspace(a, b, n)`; and the parts of a square matrix on one side of its diagonal."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir import typed as T
from ...ir.types import ANY, BOOL, INT, RowsType, TensorType
from ..context import FunctionContext
from ..decisions import is_mask
from ..emit import tensor_op
from ..registry import SIZED_OPERATIONS
from ..scope import Env
from ..sizes import constant, dimension
from ..templates import template
from ..written import call
from .arguments import temporary
from .numpy_rewritings import is_number, once, rank, rewriting

# What a call becomes, given its arguments.
_Maker = Callable[[FunctionContext, list[ast.expr], Env], ast.expr | None]
FLOATS = ("np.float32", "np.float64", "float", "'float32'", "'float64'")


def of_floats(dtype: ast.expr) -> bool:
    """Whether a dtype is one of floats."""
    return ast.unparse(dtype) in FLOATS


def of_truths(dtype: ast.expr) -> bool:
    """Whether a dtype is one of truth values."""
    return ast.unparse(dtype) in ("bool", "np.bool_", "np.bool", "'bool'")


def made_array(ctx: FunctionContext, node: ast.Call, callee: Any, env: Env) -> ast.expr | None:
    """What a call of one of the functions that take sizes becomes; None for any other."""
    for function, make in _MAKERS:
        if callee is function:
            words = {k.arg: k.value for k in node.keywords}
            dtype = words.pop("dtype", None)
            if words or (dtype is not None and ast.unparse(dtype) not in FLOATS):
                return None
            with_type = callee is np.full and dtype is not None
            return make(ctx, [*node.args, dtype] if with_type and dtype else node.args, env)
    return None


def _full(ctx: FunctionContext, args: list[ast.expr], env: Env) -> ast.expr | None:
    converts = len(args) == 3 and ast.unparse(args[2]) in FLOATS
    if converts:
        args = args[:2]
    return filled(ctx, args[0], args[1], env, converts) if len(args) == 2 else None


def filled(
    ctx: FunctionContext, shape: ast.expr, x: ast.expr, env: Env, converts: bool = False
) -> ast.expr:
    """`x` everywhere in a tensor of a shape, to which a tensor must be broadcast as a whole; truth
    values as a mask, unless the call `converts` them to floats."""
    with ctx.region():
        value = ctx.peek(x, env.copy())
    text = "ops.reshape(ops.zeros(n) + x, n)" if rank(value) else "ops.zeros(n) + x"
    truths = not converts and (is_mask(value) or value.type == BOOL)
    return template(f"({text}) > 0.5" if truths else text, n=shape, x=x)


def _eye(ctx: FunctionContext, args: list[ast.expr], env: Env) -> ast.expr | None:
    (size,) = args if len(args) == 1 else (None,)
    n = None if size is None else dimension(ctx, size, env)
    if size is None:
        return None
    if n is None:
        with ctx.region():
            counted = ctx.peek(size, env.copy()).type == INT
        places = template("ops.stack([float(i) for i in range(n)])", n=size)
        if not counted:
            return None
        numbers = once(ctx, places, env)
        return template("ops.where(i[:, None] == i[None, :], 1.0, 0.0)", i=numbers)
    made = tensor_op(ctx, "eye", size, [], (("n", n),))
    return temporary(env, "the identity matrix", made, size)


def _tri(ctx: FunctionContext, args: list[ast.expr], env: Env) -> ast.expr | None:
    """1 on and below the diagonal, and 0 above it."""
    if len(args) != 1:
        return None
    n = once(ctx, args[0], env) if dimension(ctx, args[0], env) is None else args[0]
    return call(np.tril, template("ops.ones(n, n)", n=n))


def _arange(ctx: FunctionContext, args: list[ast.expr], env: Env) -> ast.expr | None:
    """Floats, as every tensor has them; whole ones are exact."""
    if not 1 <= len(args) <= 3:
        return None
    numbers = [_number(ctx, a, env) for a in args]
    if None not in numbers:
        found = np.arange(*numbers)  # type: ignore[arg-type]
        step = numbers[2] if len(args) == 3 else 1
        return _progression(found[0], step, ast.Constant(len(found))) if len(found) else None
    if len(args) == 1 and dimension(ctx, args[0], env) is not None:
        return template("ops.cumsum(ops.ones(n)) - 1.0", n=args[0])
    with ctx.region():
        inner = env.copy()
        if any(ctx.peek(a, inner).type != INT for a in args):
            return None
    counts = call(range, *args)
    return template("ops.stack([float(i) for i in n])", n=counts)


def _progression(start: float, step: float | None, count: ast.expr) -> ast.expr:
    places = "(ops.cumsum(ops.ones(n)) - 1.0)"
    return template(f"a + s * {places}", a=_const(start), s=_const(step or 0), n=count)


def _const(number: float) -> ast.expr:
    return ast.Constant(float(number))


def _number(ctx: FunctionContext, node: ast.expr, env: Env) -> float | None:
    """The value of a number that is written out, or of an int that is known."""
    match node:
        case ast.Constant(float() as value):
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(float() as value)):
            return -value
    return constant(ctx, node, env)


def _linspace(ctx: FunctionContext, args: list[ast.expr], env: Env) -> ast.expr | None:
    numbers = [_number(ctx, a, env) for a in args]
    if len(args) != 3 or None in numbers:
        return None
    first, last, count = (n for n in numbers if n is not None)
    if not isinstance(count, int) or count < 1:
        return None
    step = (last - first) / (count - 1) if count > 1 else 0.0
    return _progression(first, step, ast.Constant(count))


_MAKERS: tuple[tuple[object, _Maker], ...] = (
    (np.full, _full),
    (np.eye, _eye),
    (np.identity, _eye),
    (np.arange, _arange),
    (np.tri, _tri),
    (np.linspace, _linspace),
)
SIZED_OPERATIONS.update(("full", "eye", "identity", "arange", "tri", "linspace"))


def row_of_identity(ctx: FunctionContext, node: ast.Subscript, env: Env) -> ast.expr | None:
    """`np.eye(n)[i]` as `ops.one_hot(i, n)`; None for any other item."""
    match node.value:
        case ast.Call(func, [size], []) if any(
            ctx.static(func, env) is f for f in (np.eye, np.identity)
        ):
            with ctx.region():
                number = (
                    not isinstance(node.slice, (ast.Slice, ast.Tuple))
                    and ctx.peek(node.slice, env.copy()).type == INT
                    and dimension(ctx, size, env.copy()) is not None
                )
            return template("ops.one_hot(i, n)", i=node.slice, n=size) if number else None
    return None


# -- parts of matrices -----------------------------------------------------------------------------


def _square(value: T.Atom) -> bool:
    t = value.type
    plain = isinstance(t, TensorType) and not isinstance(t, RowsType) and not is_mask(value)
    return plain and isinstance(t, TensorType) and len(t.dims) == 2 and t.dims[0] == t.dims[1]


def _constant_matrix(ctx: FunctionContext, node: ast.Call, name: str, x: T.Atom, env: Env) -> T.Var:
    assert isinstance(x.type, TensorType)
    return tensor_op(ctx, name, node, [], (("n", x.type.dims[-1]),))


def _triangle(function: object, upper: bool) -> None:
    @rewriting(function)
    def rewrite(
        ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
    ) -> ast.expr | None:
        """`np.triu(x)`, `np.tril(x)`, also without the diagonal."""
        given = [*node.args[1:], *(k.value for k in node.keywords if k.arg == "k")]
        diagonal = constant(ctx, given[0], env) if given else 0
        if is_mask(value):
            as_numbers = template("ops.where(x, 1.0, 0.0)", x=x)
            numbers = ast.Call(node.func, [as_numbers, *node.args[1:]], node.keywords)
            return template("x > 0.5", x=numbers)
        if isinstance(value.type, RowsType) and len(value.type.dims) == 2 and len(given) <= 1:
            return _triangle_of_rows(
                upper, given[0] if given else ast.Constant(0), value, env, node
            )
        narrow = 1 if upper else -1
        whole = len(given) == len(node.args) - 1 + len(node.keywords) <= 1
        if not _square(value) or not whole or diagonal not in (0, narrow):
            return None
        inside = _constant_matrix(ctx, node, "triangle", value, env)
        if not upper:
            inside = tensor_op(ctx, "transpose", node, [(node, inside)])
        if diagonal == narrow:
            eye = _constant_matrix(ctx, node, "eye", value, env)
            inside = tensor_op(ctx, "sub", node, [(node, inside), (node, eye)])
        ones = temporary(env, "the triangle", inside, node)
        return template("ops.where(t > 0, x, 0.0)", t=ones, x=x)


def _triangle_of_rows(
    upper: bool, diagonal: ast.expr, value: T.Atom, env: Env, node: ast.Call
) -> ast.expr:
    """Of a matrix with a size that only the instance knows."""
    assert isinstance(value.type, RowsType)
    rows, columns = (
        f"ops.stack([float(i) for i in range(x.shape[{axis}])])"
        if size == ANY
        else f"(ops.cumsum(ops.ones(x.shape[{axis}])) - 1.0)"
        for axis, size in enumerate(value.type.dims)
    )
    inside = f"{columns}[None, :] {'>=' if upper else '<='} {rows}[:, None] + k"
    x = temporary(env, "the matrix", value, node)
    return template(f"ops.where({inside}, x, 0.0)", x=x, k=diagonal)


_triangle(np.triu, True)
_triangle(np.tril, False)


@rewriting(np.diag)
def _diagonal(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    """The diagonal of a matrix, or the matrix with this diagonal and 0 elsewhere."""
    vector = rank(value) == 1 and not isinstance(value.type, RowsType)
    if len(node.args) > 1 or node.keywords or not (vector or _square(value)):
        return None
    eye = temporary(env, "the identity", _constant_matrix(ctx, node, "eye", value, env), node)
    truths = is_mask(value)
    every = template("ops.where(e > 0, x, z)", e=eye, x=x, z=ast.Constant(False if truths else 0.0))
    return every if vector else template("y.sum(axis=1)", y=every)


@rewriting(np.trace)
def _trace(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    if len(node.args) > 1 or node.keywords or not _square(value):
        return None
    eye = temporary(env, "the identity", _constant_matrix(ctx, node, "eye", value, env), node)
    return template("ops.where(e > 0, x, 0.0).sum()", e=eye, x=x)


@rewriting(np.full_like)
def _full_like(
    ctx: FunctionContext, node: ast.Call, x: ast.expr, value: T.Atom, env: Env
) -> ast.expr | None:
    if rank(value) is None or len(node.args) != 2 or node.keywords:
        return None
    fill = ctx.peek(node.args[1], env)
    if is_mask(value) and (is_number(fill) or fill.type == BOOL):
        return template("(ops.zeros_like(x) + y) != 0", x=x, y=node.args[1])
    plain = is_number(fill) or rank(fill) == 0
    return template("ops.zeros_like(x) + y", x=x, y=node.args[1]) if plain else None
