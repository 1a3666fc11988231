"""Block lowering, operation by operation: plans keep the rules and compute what operations mean."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from acrobat.ir import typed as T
from acrobat.ir.ops import OPS, POINTWISE
from acrobat.kernels.lowering.block import lower_block
from tests.kernels.run_block import Builder, judge
from tests.selection import some

UNARY = [op.name for op in POINTWISE.values() if op.arity == 1 and op.domain[0] < 0]
POSITIVE = [op.name for op in POINTWISE.values() if op.arity == 1 and op.domain[0] >= 0]
BINARY = [op.name for op in POINTWISE.values() if op.arity == 2]
SHAPES = ((), (1,), (5,), (16,), (1, 5), (3, 1), (3, 5), (2, 16), (16, 17))

# How an operand comes about: as it lies in memory, or only in the kernel.
Make = Callable[[Builder, tuple[int, ...]], T.Var]
MAKE: dict[str, Make] = {
    "gathered": lambda b, d: b.gathered(*d),
    "shared": lambda b, d: b.shared(*d),
    "computed": lambda b, d: b.op("add", b.gathered(*d), b.shared(*d)),
    "scaled": lambda b, d: b.op("mul", b.gathered(*d), b.gathered()),
    "contraction": lambda b, d: b.op("matmul", b.gathered(*d[:-1], 7), b.shared(7, d[-1])),
    "product": lambda b, d: b.op("matmul", b.gathered(*d[:-1], 7), b.gathered(7, d[-1])),
    "slice": lambda b, d: b.op(
        "slice", b.gathered(*d[:-1], 40), start=3, stop=3 + d[-1], axis=len(d) - 1
    ),
    "concat": lambda b, d: b.op(
        "concat", b.gathered(*d[:-1], d[-1]), b.shared(*d[:-1], 3), axis=-1
    ),
    "normalised": lambda b, d: b.op("softmax", b.gathered(*d)),
    "transposed": lambda b, d: b.op("transpose", b.gathered(*d[::-1])),
    "rows": lambda b, d: b.op("slice", b.gathered(d[0] + 3, d[1]), start=2, stop=d[0] + 2, axis=0),
    "outer": lambda b, d: b.op("outer", b.gathered(d[0]), b.gathered(d[1])),
    "pile": lambda b, d: b.op("stack", *(b.gathered(d[1]) for _ in range(d[0]))),
    "row sums": lambda b, d: b.op("sum", b.gathered(d[0], 3), axis=-1),
    "row products": lambda b, d: b.op("matmul", b.gathered(d[0], 3), b.gathered(3)),
    "column means": lambda b, d: b.op("mean", b.gathered(3, d[0]), axis=0),
    "total": lambda b, d: b.op("sum", b.gathered(4, 3)),
    "dot": lambda b, d: b.op("matmul", b.gathered(9), b.gathered(9)),
    "unfolded": lambda b, d: b.op("reshape", b.gathered(1, d[0]), shape=d),
    "folded": lambda b, d: b.op("reshape", b.gathered(d[0] * d[1]), shape=d),
    "column": lambda b, d: b.op("reshape", b.op("transpose", b.gathered(d[0], 1)), shape=d),
}
ANY = ("gathered", "shared", "computed", "scaled")
VECTOR = [*ANY, "contraction", "product", "slice", "concat", "normalised", "row sums"]
VECTOR += ["row products", "column means", "unfolded", "column"]
MATRIX = [*ANY, "contraction", "product", "slice", "concat", "normalised", "transposed", "rows"]
MATRIX += ["outer", "pile", "folded"]
SCALAR = [*ANY, "total", "dot"]
KINDS = {0: SCALAR, 1: VECTOR, 2: MATRIX}


def made(b: Builder, how: str, dims: tuple[int, ...]) -> T.Var:
    """An operand of shape `dims`."""
    if how == "concat" and dims[-1] > 3:
        return MAKE[how](b, (*dims[:-1], dims[-1] - 3))
    return MAKE["gathered" if how == "concat" else how](b, dims)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", UNARY + POSITIVE)
def test_unary(name: str, shape: tuple[int, ...]) -> None:
    b = Builder()
    x = b.gathered(*shape)
    judge(b, b.op(name, b.op("abs", x) if name in POSITIVE else x))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", BINARY)
def test_binary_broadcasts(name: str, shape: tuple[int, ...]) -> None:
    """With an operand of the same shape, with the last dimensions alone, and with numbers."""
    b = Builder()
    x = b.gathered(*shape)
    others: list[T.Var | float] = [b.gathered(*shape[n:]) for n in range(len(shape) + 1)]
    others += [b.shared(*shape[n:]) for n in range(len(shape) + 1)]
    outputs = [b.op(name, x, y) for y in (*others, 2.5)]
    judge(b, *outputs, *(b.op(name, y, x) for y in (*others, 2.5)))


@pytest.mark.parametrize("shape", SHAPES)
def test_where(shape: tuple[int, ...]) -> None:
    b = Builder()
    x, y = b.gathered(*shape), b.shared(*shape)
    test = b.op("less", x, 0.2)
    judge(
        b,
        b.op("where", test, x, y),
        b.op("where", test, y, 0.5),
        b.op("where", b.gathered(), x, 1.0),
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_random_numbers(shape: tuple[int, ...]) -> None:
    """By the numbers that a node has for its key."""
    b = Builder()
    position = b.op("mul", b.shared(*shape), 1000.0)
    low, high = (b.op("mul", b.gathered(), 1000.0) for _ in range(2))
    judge(b, b.op("uniform", position, low, high))


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_every_pair_of_operands(rank: int) -> None:
    """Values however they came about, in one expression."""
    shape = ((), (5,), (4, 6))[rank]
    for first in KINDS[rank]:
        for second in KINDS[rank]:
            b = Builder()
            x, y = made(b, first, shape), made(b, second, shape)
            judge(b, b.op("mul", b.op("tanh", x), y))


@pytest.mark.parametrize("how", VECTOR)
def test_vectors_are_broadcast_over_rows(how: str) -> None:
    for other in MATRIX:
        b = Builder()
        x, y = made(b, how, (6,)), made(b, other, (4, 6))
        judge(b, b.op("sub", x, y), b.op("tanh", x))


@pytest.mark.parametrize("how", SCALAR)
def test_tensors_of_rank_0_are_broadcast(how: str) -> None:
    for rank, shape in ((1, (6,)), (2, (4, 6))):
        for other in KINDS[rank]:
            b = Builder()
            x, y = made(b, how, ()), made(b, other, shape)
            judge(b, b.op("sub", x, y), b.op("tanh", x))


# -- what is done with an operand, however it came about ---------------------------------------

USES: dict[int, dict[str, Callable[[Builder, T.Var], T.Var]]] = {
    0: {
        "pointwise": lambda b, x: b.op("exp", x),
        "outwards": lambda b, x: b.op("reshape", x, shape=(1, 1)),
    },
    1: {
        "softmax": lambda b, x: b.op("softmax", x),
        "layer_norm": lambda b, x: b.op("layer_norm", x, b.shared(6), b.gathered(6)),
        "rms_norm": lambda b, x: b.op("rms_norm", x, b.shared(6)),
        "log_softmax": lambda b, x: b.op("log_softmax", x),
        "logsumexp": lambda b, x: b.op("logsumexp", x),
        "sum": lambda b, x: b.op("sum", x),
        "mean": lambda b, x: b.op("mean", x, axis=-1),
        "max": lambda b, x: b.op("max", x, axis=0),
        "argmax": lambda b, x: b.op("argmax", x),
        "slice": lambda b, x: b.op("slice", x, start=1, stop=4, axis=0),
        "outer left": lambda b, x: b.op("outer", x, b.gathered(3)),
        "outer right": lambda b, x: b.op("outer", b.gathered(3), x),
        "reshape": lambda b, x: b.op("reshape", x, shape=(2, 3)),
        "reshape twice": lambda b, x: b.op(
            "transpose", b.op("reshape", b.op("reshape", x, shape=(6, 1)), shape=(3, 2))
        ),
        "concat": lambda b, x: b.op("concat", b.gathered(3), x, b.gathered(2), axis=0),
        "concat last": lambda b, x: b.op("tanh", b.op("concat", b.gathered(3), x, axis=-1)),
        "stack": lambda b, x: b.op("stack", x, b.gathered(6), x),
        "weight": lambda b, x: b.op("matmul", x, b.shared(6, 9)),
        "weights": lambda b, x: b.op("linear", x, b.shared(6, 16), b.shared(16)),
        "own matrix": lambda b, x: b.op("matmul", x, b.gathered(6, 9)),
        "own matrix's transpose": lambda b, x: b.op(
            "matmul", x, b.op("transpose", b.gathered(9, 6))
        ),
        "weight's transpose": lambda b, x: b.op("matmul", x, b.op("transpose", b.shared(9, 6))),
        "dot": lambda b, x: b.op("matmul", x, b.gathered(6)),
        "dot with itself": lambda b, x: b.op("matmul", x, x),
        "matrix times it": lambda b, x: b.op("matmul", b.gathered(4, 6), x),
        "weight times it": lambda b, x: b.op("matmul", b.shared(4, 6), x),
        "table matrix times it": lambda b, x: b.op("matmul", b.gathered_row(5, 4, 6), x),
        "it times table matrix": lambda b, x: b.op("matmul", x, b.gathered_row(5, 6, 4)),
    },
    2: {
        "softmax": lambda b, x: b.op("softmax", x),
        "layer_norm": lambda b, x: b.op("layer_norm", x, b.shared(6), b.shared(6)),
        "sum": lambda b, x: b.op("sum", x),
        "max of rows": lambda b, x: b.op("max", x, axis=-1),
        "mean of columns": lambda b, x: b.op("mean", x, axis=0),
        "mean of all": lambda b, x: b.op("mean", x, axis="all"),
        "max of columns": lambda b, x: b.op("tanh", b.op("max", x, axis=0)),
        "rows": lambda b, x: b.op("slice", x, start=1, stop=3, axis=0),
        "a row": lambda b, x: b.op("slice", x, start=3, stop=4, axis=0),
        "a row as a vector": lambda b, x: b.op(
            "add",
            b.gathered(3, 6),
            b.op("reshape", b.op("slice", x, start=3, stop=4, axis=0), shape=(6,)),
        ),
        "columns": lambda b, x: b.op("slice", x, start=2, stop=5, axis=1),
        "a column": lambda b, x: b.op("slice", x, start=2, stop=3, axis=1),
        "a column as a vector": lambda b, x: b.op(
            "add",
            b.gathered(3, 4),
            b.op("reshape", b.op("slice", x, start=2, stop=3, axis=1), shape=(4,)),
        ),
        "transpose": lambda b, x: b.op("transpose", x),
        "transpose of it, in use": lambda b, x: b.op("mul", b.op("transpose", x), b.gathered(6, 4)),
        "reshape": lambda b, x: b.op("reshape", x, shape=(3, 8)),
        "flat": lambda b, x: b.op("tanh", b.op("reshape", x, shape=(24,))),
        "concat": lambda b, x: b.op("concat", b.gathered(4, 3), x, b.gathered(4, 2), axis=-1),
        "concat below": lambda b, x: b.op("concat", b.gathered(3, 6), x, axis=0),
        "weight": lambda b, x: b.op("matmul", x, b.shared(6, 9)),
        "weights": lambda b, x: b.op("linear", x, b.shared(6, 16), b.shared(16)),
        "own matrix": lambda b, x: b.op("matmul", x, b.gathered(6, 9)),
        "own matrix's transpose": lambda b, x: b.op(
            "matmul", x, b.op("transpose", b.gathered(9, 6))
        ),
        "it as the matrix": lambda b, x: b.op("matmul", b.gathered(3, 4), x),
        "its transpose as the matrix": lambda b, x: b.op(
            "matmul", b.gathered(3, 6), b.op("transpose", x)
        ),
        "a vector times it": lambda b, x: b.op("matmul", b.gathered(4), x),
        "times a vector": lambda b, x: b.op("matmul", x, b.shared(6)),
        "weight times it": lambda b, x: b.op("matmul", b.shared(3, 4), x),
        "square": lambda b, x: b.op("matmul", b.op("transpose", x), x),
        "attention": lambda b, x: b.op("attention", x, x, x, heads=3),
    },
}


def in_turn(rank: int, use: str, how: str) -> bool:
    """Every use of a few operands, and every operand in a few uses."""
    return (list(USES[rank]).index(use) + KINDS[rank].index(how)) % 3 == 0


@pytest.mark.parametrize(
    ("rank", "use", "how"),
    some(
        [(rank, use, how) for rank, uses in USES.items() for use in uses for how in KINDS[rank]],
        always=in_turn,
    ),
)
def test_every_use_of_every_operand(rank: int, use: str, how: str) -> None:
    b = Builder()
    x = made(b, how, ((), (6,), (4, 6))[rank])
    y = USES[rank][use](b, x)
    # The operand is an output as well: stored once, in the record.
    judge(b, y)
    if how not in ("gathered", "shared"):
        judge(b, b.op("tanh", y), y, x)


@pytest.mark.parametrize("how", MATRIX)
def test_attention(how: str) -> None:
    b = Builder()
    q, k, v = (made(b, kind, (5, 12)) for kind in ("contraction", how, how))
    judge(b, b.op("attention", q, k, v, heads=2), b.op("attention", k, q, q, heads=4))


@pytest.mark.parametrize("columns", [1, 3, 16, 17])
def test_first_maximum(columns: int) -> None:
    """Ties: the first of equal maxima."""
    b = Builder()
    x = b.op("less", b.gathered(columns), 0.0)
    judge(b, b.op("argmax", x), b.op("argmax", b.op("neg", x)))


def test_parts_of_a_vector_share_a_record() -> None:
    """Segments that do not begin at a multiple of 16 have no padding behind them."""
    b = Builder()
    x, y, z = (
        b.gathered(3),
        b.op("matmul", b.gathered(4), b.shared(4, 5)),
        b.op("softmax", b.gathered(7)),
    )
    judge(b, b.op("concat", x, y, z, axis=0), b.op("concat", z, y, x, axis=0), y)


def test_every_operation_is_lowered() -> None:
    """Nothing in the table of operations is left out by these tests."""
    uses = [(rank, use) for rank, named in USES.items() for use in named]
    tested = {*UNARY, *POSITIVE, *BINARY, "where", "uniform"}
    for rank, use in uses:
        b = Builder()
        USES[rank][use](b, b.gathered(*((), (6,), (4, 6))[rank]))
        tested |= {o.op.name for o in b.ops}
    # These are gone before blocks are lowered: rows of tables, and weights folded from constants.
    assert set(OPS) - tested == {
        *("dropout", "lookup", "one_hot"),
        *("zeros", "eye", "parts", "positions", "triangle"),
    }


def test_rows_of_4_kib_lie_a_line_farther_apart_where_gaps_do_not_matter() -> None:
    """What a contraction reads may have gaps between its rows; reshaped, or put out, it may not."""
    b = Builder()
    x = b.op("relu", b.op("matmul", b.gathered(3, 5), b.shared(5, 1024)))
    y = b.op("matmul", x, b.shared(1024, 4))
    flat = b.op("reshape", x, shape=(1024, 3))
    judge(b, y)
    judge(b, y, flat)
    judge(b, y, flat, x)
    kernels = lower_block(b.block(y), True, True).kernels
    assert [s.row_stride for k in kernels for s in k.stores] == [1040, 4]
    assert [t.row_stride for k in kernels for g in k.gates for t in g.terms] == [5, 1040]
