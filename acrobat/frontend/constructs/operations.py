"""Tensor operations: `ops.<name>(...)`."""

from __future__ import annotations

import ast
import inspect

from ...ir import typed as T
from ...ir.dims import Dim
from ...ir.ops import OPS
from ...ir.types import FLOAT, INT, NONE, ListType, RowsType, TensorType
from ...lang import ops as lang_ops
from ..context import FunctionContext
from ..decisions import read_number
from ..emit import Attrs, Operands, as_tensor, items_one_by_one, known_items, make_tuple, tensor_op
from ..folds import greatest
from ..registry import OPERATIONS, operation
from ..rows import map_items
from ..scope import Env
from ..sizes import dimensions, literal
from ..unsettled import elements
from .lists import spread
from .reductions import chosen_axis, one_axis

Given = dict[str, ast.expr]

OP_FUNCTIONS = {name: f for name, f in vars(lang_ops).items() if inspect.isfunction(f)}
_NAMES = {id(f): name for name, f in OP_FUNCTIONS.items()}


def operation_name(callee: object) -> str | None:
    """The name of the operation that `callee` is, if it is one."""
    return _NAMES.get(id(callee))


def is_ops(ctx: FunctionContext, node: ast.expr, env: Env) -> bool:
    """Whether `node` names the module `ops`."""
    return ctx.static(node, env) is lang_ops


def lower_operation(ctx: FunctionContext, node: ast.Call, name: str, env: Env) -> T.Atom:
    """`ops.<name>(...)`. Unless the operation has a handler of its own, its operands are the values
    of the arguments, and the default numbers of the omitted ones."""
    given = _arguments(ctx, node, name)
    handler = OPERATIONS.get(name)
    if handler is not None:
        return handler(ctx, node, given, env)
    defaults = inspect.signature(OP_FUNCTIONS[name]).parameters
    if OPS[name].kind == "pointwise":
        found = elements(ctx, given.values(), lambda s: ctx.expression(s, env), env)
    else:
        found = [ctx.expression(source, env) for source in given.values()]
    values = {n: (s, x) for (n, s), x in zip(given.items(), found, strict=True)}
    # A missing weight counts as an omitted argument.
    operands: Operands = [
        (source, x)
        for n, (source, x) in values.items()
        if x.type != NONE or defaults[n].default is not None
    ]
    operands += [
        (node, T.Const(p.default, FLOAT))
        for n, p in defaults.items()
        if n not in given and isinstance(p.default, float)
    ]
    return tensor_op(ctx, name, node, operands)


def _arguments(ctx: FunctionContext, node: ast.Call, name: str) -> Given:
    """The arguments by name, in the order of the operation's parameters, without those of a
    variadic parameter."""
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


def _axis(ctx: FunctionContext, node: ast.expr, first: T.Atom, env: Env) -> Attrs:
    """The axis attribute of a concatenation that begins with `first`; none for the last axis, which
    is the default."""
    t = first.type.item if isinstance(first.type, ListType) else first.type
    if not isinstance(t, TensorType):
        return ()
    axis = chosen_axis(ctx, node, t, "concat", env)
    return (("axis", 0),) if axis == 0 and len(t.dims) > 1 else ()


@operation("concat")
def concat(ctx: FunctionContext, node: ast.Call, given: Given, env: Env) -> T.Var:
    """`ops.concat(x, y, ..., axis)`."""
    _check_any(ctx, node, "concat")
    values = _values(ctx, node, env, named=True)
    attrs = _axis(ctx, given["axis"], values[0][1], env) if "axis" in given else ()
    return tensor_op(ctx, "concat", node, values, attrs)


@operation("stack")
def stack(ctx: FunctionContext, node: ast.Call, given: Given, env: Env) -> T.Var:
    """`ops.stack(x, y, ...)`."""
    _check_any(ctx, node, "stack")
    match node.args:
        case [(ast.List(elements) | ast.Tuple(elements)) as source] if any(
            isinstance(e, ast.Starred) for e in elements
        ):
            parts = spread(ctx, elements, env)
            items = ast.copy_location(ast.List(parts, ast.Load()), source)
            if any(isinstance(e, ast.Starred) for e in parts):
                return tensor_op(ctx, "stack", node, [(source, ctx.expression(items, env))])
            node = ast.copy_location(ast.Call(node.func, [items], node.keywords), node)
    values = _values(ctx, node, env)
    if all(x.type == FLOAT for _, x in values):
        values = [(n, as_tensor(ctx, n, x)) for n, x in values]
    if all(isinstance(x.type, TensorType) and not x.type.dims for _, x in values):
        # Tensors of rank 0 become the items of a vector.
        one: Attrs = (("shape", (1,)),)
        ones: Operands = [(n, tensor_op(ctx, "reshape", n, [(n, x)], one)) for n, x in values]
        return _as_many(ctx, node, tensor_op(ctx, "concat", node, ones), env)
    return _as_many(ctx, node, tensor_op(ctx, "stack", node, values), env)


def _as_many(ctx: FunctionContext, node: ast.Call, made: T.Var, env: Env) -> T.Var:
    """The result of `ops.stack([f(w) for w in p.table])`, with the symbolic row count of the
    table."""
    match node.args:
        case [
            ast.ListComp(
                _, [ast.comprehension(iter=(ast.Name() | ast.Attribute()) as over, ifs=[])]
            )
        ]:
            with ctx.region():
                table = ctx.peek(over, env).type
            if isinstance(table, TensorType) and isinstance(made.type, TensorType):
                rows, (first, *rest) = table.dims[0], made.type.dims
                if rows != first and rows.bind(ctx.builder.sizes) == first:
                    attrs: Attrs = (("shape", (rows, *rest)),)
                    return tensor_op(ctx, "reshape", node, [(node, made)], attrs)
    return made


def _check_any(ctx: FunctionContext, node: ast.Call, name: str) -> None:
    if not node.args:
        ctx.fail("AC016", node, f"ops.{name} takes 1 operand or more, got 0", f"ops.{name}(x, y)")


def _values(ctx: FunctionContext, node: ast.Call, env: Env, named: bool = False) -> Operands:
    """The operands: the arguments, or the items of the only argument if this is a list that is
    written out, or an unrolled comprehension, or, if `named`, any list whose items are known. Lists
    are only read."""
    nodes = node.args
    if len(nodes) == 1 and isinstance(nodes[0], (ast.List, ast.Tuple)):
        nodes = nodes[0].elts
        if not nodes or any(isinstance(n, ast.Starred) for n in nodes):
            ctx.fail("AC002", node.args[0], "the tensors are written out here", "`[a, b]`")
    values: Operands = [(n, ctx.peek(n, env)) for n in nodes]
    if len(values) == 1 and (named or isinstance(node.args[0], ast.ListComp)):
        # The list of an unrolled loop or comprehension: one operand for each item.
        known = known_items(ctx, values[0][1])
        if known is None and named:
            known = items_one_by_one(ctx, values[0][1], node)
        return [(node.args[0], item) for item in known] if known else values
    return values


@operation("one_hot", sized=True)
def one_hot(ctx: FunctionContext, node: ast.Call, given: Given, env: Env) -> T.Var:
    """`ops.one_hot(index, n)`: a row of the identity matrix, which becomes a weight of its own."""
    index = ctx.expression(given["index"], env)
    (n,) = dimensions(ctx, [given["n"]], env)
    if index.type != INT:
        ctx.fail("AC010", node, f"one_hot needs an int, got {index.type}", "`int(x)` of a number")
    table = tensor_op(ctx, "eye", node, [], (("n", n),))
    return tensor_op(ctx, "lookup", node, [(node, table), (given["index"], index)])


@operation("attention", sized=True)
def attention(ctx: FunctionContext, node: ast.Call, given: Given, env: Env) -> T.Var:
    """`ops.attention(q, k, v, heads)`."""
    (heads,) = dimensions(ctx, [given["heads"]], env)
    operands: Operands = [(given[n], ctx.expression(given[n], env)) for n in ("q", "k", "v")]
    return tensor_op(ctx, "attention", node, operands, (("heads", heads),))


@operation("dot")
def dot(ctx: FunctionContext, node: ast.Call, given: Given, env: Env) -> T.Var:
    """`ops.dot(a, b)`."""
    operands: Operands = [(given[n], ctx.expression(given[n], env)) for n in ("a", "b")]
    for source, x in operands:
        if not isinstance(x.type, TensorType) or len(x.type.dims) != 1:
            ctx.fail("AC010", source, f"dot needs vectors, got {x.type}", "`a @ b` of matrices")
    return tensor_op(ctx, "matmul", node, operands)


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
    numbers = ctx.peek(given["x"], env)
    if isinstance(numbers.type, ListType) and numbers.type.item in (INT, FLOAT):
        return greatest(ctx, node, numbers)
    x = _decides(ctx, "argmax", given["x"], env)
    if isinstance(x.type, RowsType) and len(x.type.dims) == 1:
        return greatest(ctx, node, map_items(ctx, node, [x], lambda y: read_number(ctx, y, node)))
    place = tensor_op(ctx, "argmax", node, [(given["x"], x)])
    return ctx.let(T.Read(place), INT, node, "choice")


def _decides(ctx: FunctionContext, name: str, argument: ast.expr, env: Env) -> T.Var:
    x = ctx.expression(argument, env)
    if not isinstance(x.type, TensorType) or not isinstance(x, T.Var):
        ctx.fail("AC017", argument, f"ops.{name} needs a tensor, got {x.type}", "the number itself")
    return x


@operation("split", sized=True)
def split(ctx: FunctionContext, node: ast.Call, given: Given, env: Env) -> T.Var:
    """`ops.split(x, n, axis)`: a tuple of slices."""
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
    last = len(x.type.dims) - 1
    along = one_axis(ctx, given["axis"], x.type, "split", env) if "axis" in given else last
    total = x.type.dims[along]
    part = total.divide(n)
    if part is None:
        ctx.fail(
            "AC024",
            node,
            f"split of {x.type} into {n} parts: {n} does not divide {total}",
            "slices of the lengths you mean",
            ctx.origin_notes((source, x)),
        )
    axis: Attrs = (("axis", along),) if len(x.type.dims) > 1 else ()
    parts: list[T.Var] = []
    for i in range(n):
        bounds: Attrs = (("start", part.scale(i)), ("stop", part.scale(i + 1)))
        parts.append(tensor_op(ctx, "slice", node, [(source, x)], (*axis, *bounds)))
    return make_tuple(ctx, tuple(parts), node, "parts")
