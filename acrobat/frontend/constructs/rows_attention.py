"""Attention: softmax-weighted sums over any number of rows, which only the instance knows.

The sum is associative in triples (m, l, x): the largest score so far, the sum of the weights and
the weighted sum of the values, both relative to exp(m) (Milakov, Gimelshein 2018; FlashAttention).
One node processes eight keys and values, another joins eight triples: no score is ever stored.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence

from ...ir import typed as T
from ...ir.dims import Dim
from ...ir.reduction_tree import WIDTH, Statements, Tree, balanced, last_of, zeros
from ...ir.types import FLOAT, INT, ListType, TensorType
from ..context import FunctionContext
from ..emit import Operands, int_op, tensor_op
from ..registry import rows_operation
from ..rows import apply, axes, by_tree, check_length, count, facts, mapped, wrong_shapes
from .rows_chunks import chunk, rows_chunk

Triple = tuple[T.Atom, T.Atom, T.Atom]
# The triple of the keys and values at some places; the vector is 0, but -inf for missing ones.
Leaf = Callable[[Sequence[T.Atom], T.Var], Triple]

# Below all scores but finite, so that the largest score is never -inf.
_LEAST = T.Const(-3e38, FLOAT)


def softmax_weighted(ctx: FunctionContext, node: ast.AST, p: T.Atom, values: T.Atom) -> T.Var:
    """p @ values for a softmax `p` of a vector."""
    scores = facts(ctx, p).softmax_of
    assert scores is not None
    check_length(ctx, node, scores, values)

    def leaf(places: Sequence[T.Atom], bias: T.Var) -> Triple:
        s = apply(ctx, node, "add", chunk(ctx, node, scores, places), bias)
        m = apply(ctx, node, "maximum", apply(ctx, node, "max", s), _LEAST)
        e = apply(ctx, node, "exp", apply(ctx, node, "sub", s, m))
        total = apply(ctx, node, "sum", e)
        return m, total, apply(ctx, node, "matmul", e, rows_chunk(ctx, node, values, places))

    return _sum(ctx, node, values, leaf, lambda w: w)


@rows_operation("attention")
def attention(
    ctx: FunctionContext,
    name: str,
    node: ast.AST,
    operands: Operands,
    attrs: dict[str, T.AttrValue],
) -> T.Var:
    """`ops.attention(q, k, v, heads)`, q being a vector, or rows."""
    (_, q), (_, k), (_, v) = operands
    heads = Dim.of(attrs["heads"])  # type: ignore[arg-type]
    fits = all(isinstance(x.type, TensorType) for x in (q, k, v)) and (
        axes(q) in ("n", "?n", "nn") and (axes(k), axes(v)) == ("?n", "?n")
    )
    if not fits or len({x.type.dims[-1] for x in (q, k, v) if isinstance(x.type, TensorType)}) > 1:
        instead = "rows of one size as keys and values, and a vector or rows of it as the query"
        wrong_shapes(ctx, name, node, operands, instead)
    check_length(ctx, node, k, v)
    if axes(q) == "?n":
        return mapped(ctx, node, [q], lambda row: _attended(ctx, node, row, k, v, heads))
    if axes(q) == "n":
        return _attended(ctx, node, q, k, v, heads)
    assert isinstance(q.type, TensorType)
    queries = q.type.dims[0].known
    if queries is None:
        instead = "`ops.stack([ops.attention(row, k, v, heads) for row in rows])`"
        wrong_shapes(ctx, name, node, operands, instead)
    rows = [apply(ctx, node, "lookup", q, T.Const(i, INT)) for i in range(queries)]
    return apply(ctx, node, "stack", *(_attended(ctx, node, r, k, v, heads) for r in rows))


def _attended(
    ctx: FunctionContext, node: ast.AST, q: T.Atom, k: T.Atom, v: T.Atom, heads: Dim
) -> T.Var:
    """The result for the query `q`: all heads side by side. `parts` has a row for each head, with 1
    in the head's columns: a product with it repeats a number for all columns of its head, and one
    with its transpose sums over them."""
    assert isinstance(q.type, TensorType)
    attrs = (("n", heads), ("width", q.type.dims[0]))
    parts = tensor_op(ctx, "parts", node, [], attrs)
    first = apply(ctx, node, "lookup", parts, T.Const(0, INT))
    root = apply(ctx, node, "sqrt", apply(ctx, node, "sum", first))
    scaled = apply(ctx, node, "div", apply(ctx, node, "transpose", parts), root)
    ones = apply(ctx, node, "add", _zeros(ctx, node, heads), T.Const(1.0, FLOAT))

    def leaf(places: Sequence[T.Atom], bias: T.Var) -> Triple:
        keys, values = (rows_chunk(ctx, node, x, places) for x in (k, v))
        s = apply(ctx, node, "matmul", apply(ctx, node, "mul", keys, q), scaled)
        s = apply(ctx, node, "add", s, apply(ctx, node, "outer", bias, ones))
        m = apply(ctx, node, "maximum", _over_rows(ctx, node, "max", s), _LEAST)
        e = apply(ctx, node, "exp", apply(ctx, node, "sub", s, m))
        wide = apply(ctx, node, "matmul", e, parts)
        weighted = apply(ctx, node, "mul", wide, values)
        return m, _over_rows(ctx, node, "sum", e), _over_rows(ctx, node, "sum", weighted)

    return _sum(ctx, node, k, leaf, lambda w: apply(ctx, node, "matmul", w, parts))


def _sum(
    ctx: FunctionContext,
    node: ast.AST,
    like: T.Atom,
    leaf: Leaf,
    spread: Callable[[T.Atom], T.Atom],
) -> T.Var:
    """The weighted sum over the keys, as many as `like` has. `spread` expands the weights of the
    heads to a weight for each element of a value."""
    number, wide = count(ctx, node, like), T.Const(WIDTH, INT)
    filled = int_op(ctx, "+", (number, T.Const(WIDTH - 1, INT)), node)
    blocks = int_op(ctx, "//", (filled, wide), node)
    last = int_op(ctx, "-", (number, T.Const(1, INT)), node)
    table, index = _missing(ctx, node), T.Var("i", INT)
    with ctx.region() as stmts:
        first = int_op(ctx, "*", (index, wide), node)
        places = [
            int_op(ctx, "min", (int_op(ctx, "+", (first, T.Const(j, INT)), node), last), node)
            for j in range(WIDTH)
        ]
        left = int_op(ctx, "-", (last, first), node)
        there = int_op(ctx, "min", (left, T.Const(WIDTH - 1, INT)), node)
        triple = leaf(places, apply(ctx, node, "lookup", table, there))
    lists = tuple(T.Var(n, ListType(t.type)) for n, t in zip("mlx", triple, strict=True))
    body = T.Region(tuple(stmts), T.Yield(triple))
    ctx.stmts.append(T.Map(lists, index, blocks, body, False, ctx.span(node)))
    tree = Tree(lambda to, items: _joined(ctx, node, to, items, spread), _nothing)
    _, total, x = by_tree(ctx, node, tree, lists)
    return apply(ctx, node, "div", x, spread(total))


def _joined(
    ctx: FunctionContext,
    node: ast.AST,
    to: Statements,
    items: Sequence[tuple[T.Atom, ...]],
    spread: Callable[[T.Atom], T.Atom],
) -> tuple[T.Atom, ...]:
    """Join triples into one."""
    heads = isinstance(items[0][0].type, TensorType) and bool(items[0][0].type.dims)
    join = _joined_heads if heads else _joined_numbers
    with ctx.region(tuple(to.stmts)) as stmts:
        triple = join(ctx, node, Statements(to.span, stmts), items, spread)
    to.stmts[:] = stmts
    return triple


def _joined_numbers(
    ctx: FunctionContext,
    node: ast.AST,
    to: Statements,
    items: Sequence[tuple[T.Atom, ...]],
    spread: Callable[[T.Atom], T.Atom],
) -> Triple:
    """Join triples whose m and l are numbers."""
    largest = balanced(to, "maximum", [m for m, _, _ in items])
    weights = [apply(ctx, node, "exp", apply(ctx, node, "sub", m, largest)) for m, _, _ in items]
    sums = [apply(ctx, node, "mul", t, w) for (_, t, _), w in zip(items, weights, strict=True)]
    parts = [apply(ctx, node, "mul", x, w) for (_, _, x), w in zip(items, weights, strict=True)]
    return largest, balanced(to, "add", sums), balanced(to, "add", parts)


def _joined_heads(
    ctx: FunctionContext,
    node: ast.AST,
    to: Statements,
    items: Sequence[tuple[T.Atom, ...]],
    spread: Callable[[T.Atom], T.Atom],
) -> Triple:
    """Join triples whose m and l have a number for each head."""
    m, total, x = (apply(ctx, node, "stack", *column) for column in zip(*items, strict=True))
    largest = _over_rows(ctx, node, "max", m)
    weights = apply(ctx, node, "exp", apply(ctx, node, "sub", m, largest))
    sums = _over_rows(ctx, node, "sum", apply(ctx, node, "mul", total, weights))
    parts = apply(ctx, node, "mul", x, spread(weights))
    return largest, sums, _over_rows(ctx, node, "sum", parts)


def _over_rows(ctx: FunctionContext, node: ast.AST, name: str, x: T.Atom) -> T.Var:
    return tensor_op(ctx, name, node, [(node, x)], (("axis", 0),))


def _nothing(to: Statements, lists: Sequence[T.Var]) -> tuple[T.Atom, ...]:
    """The neutral triple: joining it changes nothing."""
    m, total, x = (last_of(to, v) for v in lists)
    return m, zeros(to, total.type), zeros(to, x.type)


def _missing(ctx: FunctionContext, node: ast.AST) -> T.Var:
    """A table whose row i is 0 in its first i + 1 elements, and -inf in the rest."""
    rows: list[T.Atom] = []
    for i in range(1, WIDTH + 1):
        parts = [_zeros(ctx, node, Dim.of(i))]
        if i < WIDTH:
            rest = _zeros(ctx, node, Dim.of(WIDTH - i))
            parts.append(apply(ctx, node, "add", rest, T.Const(-math.inf, FLOAT)))
        rows.append(apply(ctx, node, "concat", *parts))
    return apply(ctx, node, "stack", *rows)


def _zeros(ctx: FunctionContext, node: ast.AST, n: Dim) -> T.Var:
    return tensor_op(ctx, "zeros", node, [], (("shape", (n,)),))
