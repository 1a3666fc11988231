"""Tensor operations: `ops.<name>(...)`."""

from __future__ import annotations

import ast
import inspect

from ...ir import typed as T
from ...ir.dims import Dim
from ...ir.types import FLOAT, INT, TensorType
from ...lang import ops as lang_ops
from ..context import FunctionContext
from ..emit import Attrs, Operands, make_tuple, tensor_op
from ..registry import OPERATIONS, operation
from ..scope import Env
from ..sizes import dimensions, literal

Given = dict[str, ast.expr]

OP_FUNCTIONS = {
    name: value
    for name, value in vars(lang_ops).items()
    if callable(value)
    and getattr(value, "__module__", "") == lang_ops.__name__
    and not name.startswith("_")
}
_NAMES = {id(f): name for name, f in OP_FUNCTIONS.items()}


def operation_name(callee: object) -> str | None:
    """The name of the operation that `callee` is, if it is one."""
    return _NAMES.get(id(callee))


def is_ops(ctx: FunctionContext, node: ast.expr, env: Env) -> bool:
    """Whether `node` names the module of the operations."""
    return ctx.static(node, env) is lang_ops


def lower_operation(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> T.Atom:
    """`ops.<name>(...)`. Unless the operation has a handler of its own, its operands are the values
    of the arguments, all but `axis`."""
    given = _arguments(ctx, node, name)
    handler = OPERATIONS.get(name)
    if handler is not None:
        return handler(ctx, node, given, env)
    attrs = _axis(ctx, given.pop("axis"), name) if "axis" in given else ()
    operands: Operands = [(n, ctx.expression(n, env)) for n in given.values()]
    return tensor_op(ctx, name, node, operands, attrs)


def _arguments(ctx: FunctionContext, node: ast.Call, name: str) -> Given:
    """The arguments by name, in the order of the operation's parameters; without those of a
    parameter that takes any number."""
    parameters = inspect.signature(OP_FUNCTIONS[name]).parameters
    kinds = [p.kind for p in parameters.values()]
    names = [] if inspect.Parameter.VAR_POSITIONAL in kinds else list(parameters)
    low = sum(p.default is p.empty for n, p in parameters.items() if n in names)
    given = dict(zip(names, node.args, strict=False))
    for keyword in node.keywords:
        assert keyword.arg is not None
        if keyword.arg not in parameters or keyword.arg in given:
            ctx.fail(
                "AC016",
                keyword.value,
                f"ops.{name} does not take {keyword.arg!r} here",
                f"ops.{name}({', '.join(map(str, parameters))})",
            )
        given[keyword.arg] = keyword.value
    missing = [n for n in names[:low] if n not in given]
    if names and (len(node.args) > len(names) or missing):
        wants = str(low) if low == len(names) else f"{low} to {len(names)}"
        got = len(node.args) + len(node.keywords)
        call = f"ops.{name}({', '.join(names)})"
        ctx.fail("AC016", node, f"ops.{name} takes {wants} operands, got {got}", call)
    return {n: given[n] for n in parameters if n in given}


def _axis(ctx: FunctionContext, node: ast.expr, name: str) -> Attrs:
    """The axis of a reduction or a concatenation."""
    if isinstance(node, ast.Constant) and node.value is None and name != "concat":
        return ()
    number = literal(ctx, node)
    if number not in (0, -1):
        ctx.fail(
            "AC017", node, f"the axis of ops.{name} is 0 or -1, written out", "`axis=0`, `axis=-1`"
        )
    return () if name == "concat" and number == -1 else (("axis", number),)


@operation("zeros")
def zeros(ctx: FunctionContext, node: ast.Call, given: Given, env: Env) -> T.Var:
    """`ops.zeros(n, ...)`."""
    return tensor_op(ctx, "zeros", node, [], (("shape", dimensions(ctx, node.args, env)),))


@operation("reshape")
def reshape(ctx: FunctionContext, node: ast.Call, given: Given, env: Env) -> T.Var:
    """`ops.reshape(x, n, ...)`."""
    if not node.args:
        ctx.fail("AC016", node, "ops.reshape takes a tensor and dimensions", "ops.reshape(x, 2, 3)")
    x = ctx.expression(node.args[0], env)
    attrs: Attrs = (("shape", dimensions(ctx, node.args[1:], env)),)
    return tensor_op(ctx, "reshape", node, [(node.args[0], x)], attrs)


@operation("concat")
def concat(ctx: FunctionContext, node: ast.Call, given: Given, env: Env) -> T.Var:
    """`ops.concat(x, y, ..., axis)`."""
    _check_any(ctx, node, "concat")
    attrs = _axis(ctx, given["axis"], "concat") if "axis" in given else ()
    return tensor_op(ctx, "concat", node, _values(ctx, node, env), attrs)


@operation("stack")
def stack(ctx: FunctionContext, node: ast.Call, given: Given, env: Env) -> T.Var:
    """`ops.stack(x, y, ...)`."""
    _check_any(ctx, node, "stack")
    return tensor_op(ctx, "stack", node, _values(ctx, node, env))


def _check_any(ctx: FunctionContext, node: ast.Call, name: str) -> None:
    if not node.args:
        ctx.fail("AC016", node, f"ops.{name} takes 1 operand or more, got 0", f"ops.{name}(x, y)")


def _values(ctx: FunctionContext, node: ast.Call, env: Env) -> Operands:
    return [(n, ctx.expression(n, env)) for n in node.args]


@operation("one_hot")
def one_hot(ctx: FunctionContext, node: ast.Call, given: Given, env: Env) -> T.Var:
    """`ops.one_hot(index, n)`: a row of the identity matrix, which becomes a weight of its own."""
    index = ctx.expression(given["index"], env)
    (n,) = dimensions(ctx, [given["n"]], env)
    if index.type != INT:
        ctx.fail("AC010", node, f"one_hot needs an int, got {index.type}", "`int(x)` of a number")
    table = tensor_op(ctx, "eye", node, [], (("n", n),))
    return tensor_op(ctx, "lookup", node, [(node, table), (given["index"], index)])


@operation("attention")
def attention(ctx: FunctionContext, node: ast.Call, given: Given, env: Env) -> T.Var:
    """`ops.attention(q, k, v, heads)`."""
    (heads,) = dimensions(ctx, [given["heads"]], env)
    operands: Operands = [(given[n], ctx.expression(given[n], env)) for n in ("q", "k", "v")]
    return tensor_op(ctx, "attention", node, operands, (("heads", heads),))


@operation("item")
def item(ctx: FunctionContext, node: ast.Call, given: Given, env: Env) -> T.Var:
    """`ops.item(x)`: a number that control flow may depend on."""
    x = _decides(ctx, "item", given["x"], env)
    assert isinstance(x.type, TensorType)
    if any(d != Dim.of(1) for d in x.type.dims):
        ctx.fail(
            "AC010",
            node,
            f"ops.item needs a tensor of one element, got {x.type}",
            "one of its elements, `x[0]`, or a reduction, `ops.sum(x)`",
            ctx.origin_notes((given["x"], x)),
        )
    return ctx.let(T.Read(x), FLOAT, node, "number")


@operation("argmax")
def argmax(ctx: FunctionContext, node: ast.Call, given: Given, env: Env) -> T.Var:
    """`ops.argmax(x)`: an index that control flow may depend on."""
    x = _decides(ctx, "argmax", given["x"], env)
    place = tensor_op(ctx, "argmax", node, [(given["x"], x)])
    return ctx.let(T.Read(place), INT, node, "choice")


def _decides(ctx: FunctionContext, name: str, argument: ast.expr, env: Env) -> T.Var:
    x = ctx.expression(argument, env)
    if not isinstance(x.type, TensorType) or not isinstance(x, T.Var):
        ctx.fail("AC017", argument, f"ops.{name} needs a tensor, got {x.type}", "the number itself")
    return x


@operation("split")
def split(ctx: FunctionContext, node: ast.Call, given: Given, env: Env) -> T.Var:
    """`ops.split(x, n)`: a tuple of slices."""
    source, count = given["x"], given["n"]
    x, n = ctx.expression(source, env), literal(ctx, count)
    if not isinstance(x.type, TensorType) or len(x.type.dims) not in (1, 2):
        ctx.fail(
            "AC010", source, f"split needs a vector or a matrix, got {x.type}", "`ops.split(x, 2)`"
        )
    if n is None or n < 1:
        ctx.fail(
            "AC024",
            count,
            "the number of parts is a number written out, at least 1",
            "`ops.split(x, 2)`",
        )
    total = x.type.dims[-1]
    part = total.divide(n)
    if part is None:
        ctx.fail(
            "AC024",
            node,
            f"split of {x.type} into {n} parts: {n} does not divide {total}",
            "slices of the lengths you mean",
            ctx.origin_notes((source, x)),
        )
    axis: Attrs = (("axis", 1),) if len(x.type.dims) > 1 else ()
    parts: list[T.Var] = []
    for i in range(n):
        bounds: Attrs = (("start", part.scale(i)), ("stop", part.scale(i + 1)))
        parts.append(tensor_op(ctx, "slice", node, [(source, x)], (*axis, *bounds)))
    return make_tuple(ctx, tuple(parts), node, "parts")
