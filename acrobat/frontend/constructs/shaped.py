"""Operations that take the shape of their result: `ops.zeros(n)`, `ops.ones(x.shape)`,
`ops.reshape(x, 2, -1)`."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.dims import Dim
from ...ir.types import FLOAT, INT, RowsType, TensorType
from ...lang import ops
from ..context import FunctionContext
from ..emit import Attrs, tensor_op
from ..registry import operation
from ..scope import Env
from ..sizes import dimension, dimensions, literal
from ..templates import template
from ..written import call, placed
from .stack_shapes import reshaped

_ONE = T.Const(1.0, FLOAT)


def shape(ctx: FunctionContext, nodes: list[ast.expr], env: Env) -> tuple[Dim, ...]:
    """The dimensions in the arguments of a call: one for each argument, a tuple of them, or the
    shape of a tensor."""
    match nodes:
        case [ast.Tuple(elements) | ast.List(elements)]:
            return dimensions(ctx, elements, env)
        case [ast.Attribute(value, "shape")]:
            x = ctx.peek(value, env)
            if isinstance(x.type, TensorType):
                return x.type.dims
    return dimensions(ctx, nodes, env)


@operation("zeros", sized=True)
def zeros(ctx: FunctionContext, node: ast.Call, given: dict[str, ast.expr], env: Env) -> T.Var:
    """`ops.zeros(n, ...)`; if only the instance knows n, one row after the other."""
    rows = _rows(ctx, node, 0.0, env)
    if rows is not None:
        return rows
    return tensor_op(ctx, "zeros", node, [], (("shape", shape(ctx, node.args, env)),))


def _is_of_the_instance(ctx: FunctionContext, size: ast.expr, env: Env) -> bool:
    """Whether a size is an int that only the instance knows."""
    with ctx.region():
        return dimension(ctx, size, env) is None and ctx.peek(size, env.copy()).type == INT


def _rows(ctx: FunctionContext, node: ast.Call, number: float, env: Env) -> T.Var | None:
    """`number` everywhere in a vector or matrix, if the first size is an int of the instance."""
    sizes = node.args
    if len(sizes) == 1 and isinstance(sizes[0], (ast.Tuple, ast.List)):
        sizes = sizes[0].elts
    if len(sizes) not in (1, 2) or isinstance(sizes[0], ast.Starred):
        return None
    if isinstance(sizes[0], ast.Attribute) and sizes[0].attr == "shape":
        return None
    if not _is_of_the_instance(ctx, sizes[0], env):
        return None
    if len(sizes) == 2 and _is_of_the_instance(ctx, sizes[1], env):
        columns, rows = template("ops.zeros(n)", n=sizes[0]), template("ops.zeros(n)", n=sizes[1])
        whole = template("a[:, None] + b[None, :] + x", a=columns, b=rows, x=ast.Constant(number))
        both = ctx.expression(placed(whole, node), env)
        assert isinstance(both, T.Var)
        return both
    made: ast.expr = ast.Constant(number)
    if len(sizes) == 2:
        made = call(ops.ones if number else ops.zeros, sizes[1])
    over = call(range, sizes[0])
    each = ast.comprehension(ast.Name("_", ast.Store()), over, [], 0)
    stacked = call(ops.stack, ast.ListComp(made, [each]))
    value = ctx.expression(placed(stacked, node), env)
    assert isinstance(value, T.Var)
    return value


@operation("ones", sized=True)
def ones(ctx: FunctionContext, node: ast.Call, given: dict[str, ast.expr], env: Env) -> T.Var:
    """`ops.ones(n, ...)`."""
    rows = _rows(ctx, node, 1.0, env)
    if rows is not None:
        return rows
    none = zeros(ctx, node, given, env)
    return tensor_op(ctx, "add", node, [(node, none), (node, _ONE)])


@operation("zeros_like")
def zeros_like(ctx: FunctionContext, node: ast.Call, given: dict[str, ast.expr], env: Env) -> T.Var:
    """`ops.zeros_like(x)`. Where only the instance knows the size, this is `x > x`: no element is
    greater than itself, not even infinity or NaN."""
    source = given["x"]
    x = ctx.peek(source, env)
    if not isinstance(x.type, TensorType):
        ctx.fail("AC010", source, f"the shape of a {x.type}", "a tensor")
    if isinstance(x.type, RowsType):
        return tensor_op(ctx, "greater", node, [(source, x), (source, x)])
    return tensor_op(ctx, "zeros", node, [], (("shape", x.type.dims),))


@operation("ones_like")
def ones_like(ctx: FunctionContext, node: ast.Call, given: dict[str, ast.expr], env: Env) -> T.Var:
    """`ops.ones_like(x)`."""
    none = zeros_like(ctx, node, given, env)
    return tensor_op(ctx, "add", node, [(node, none), (node, _ONE)])


@operation("reshape", sized=True)
def reshape(ctx: FunctionContext, node: ast.Call, given: dict[str, ast.expr], env: Env) -> T.Var:
    """`ops.reshape(x, n, ...)`."""
    if not node.args:
        ctx.fail("AC016", node, "ops.reshape takes a tensor and dimensions", "ops.reshape(x, 2, 3)")
    source, *nodes = node.args
    x = ctx.expression(source, env)
    if len(nodes) == 1 and isinstance(nodes[0], (ast.Tuple, ast.List)):
        nodes = nodes[0].elts
    matrices = reshaped(ctx, node, x, nodes, env)
    if matrices is not None:
        assert isinstance(matrices, T.Var)
        return matrices
    open_ = [i for i, n in enumerate(nodes) if literal(ctx, n) == -1]
    if len(open_) == 1 and isinstance(x.type, TensorType):
        (at,) = open_
        others = dimensions(ctx, [n for i, n in enumerate(nodes) if i != at], env)
        dims = (*others[:at], _rest(ctx, node, x.type, others), *others[at:])
    else:
        dims = shape(ctx, nodes, env)
    attrs: Attrs = (("shape", dims),)
    return tensor_op(ctx, "reshape", node, [(source, x)], attrs)


def _rest(ctx: FunctionContext, node: ast.Call, x: TensorType, others: tuple[Dim, ...]) -> Dim:
    """The dimension for -1: the number of elements of `x` over the product of `others`."""
    total = by = Dim.of(1)
    for dim in x.dims:
        total = total.times(dim)
    for dim in others:
        by = by.times(dim)
    if by.known is not None:
        quotient = total.divide(by.known)
        if quotient is not None:
            return quotient
    sizes = ctx.builder.sizes
    elements, each = total.bind(sizes).known, by.bind(sizes).known
    if elements is None or each is None or each < 1 or elements % each:
        ctx.fail("AC010", node, f"reshape of {x}: {by} does not divide {total}", "another size")
    return Dim.of(elements // each)
