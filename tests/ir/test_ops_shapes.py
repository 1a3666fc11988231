"""Shape rules: what numpy gives, with symbols too; exact texts and blame where nothing fits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acrobat.ir.dims import Dim
from acrobat.ir.ops import OPS, POINTWISE, ShapeError
from acrobat.ir.types import FLOAT, INT, TensorType, Type

Shape = tuple[int | str, ...]
F, I = "float", "int"  # noqa: E741


def typed(shape: Shape | str) -> Type:
    if isinstance(shape, str):
        return FLOAT if shape == F else INT
    return TensorType(tuple(map(Dim.of, shape)))


def result(op: str, *shapes: Shape | str, **attrs: Any) -> TensorType:
    return OPS[op].result([typed(s) for s in shapes], attrs)


BINARY = [op.name for op in POINTWISE.values() if op.arity == 2]
UNARY = [op.name for op in POINTWISE.values() if op.arity == 1]
PAIRS = [
    ((), ()),
    ((3,), (3,)),
    ((2, 3), (2, 3)),
    ((2, 3), (3,)),
    ((3,), (2, 3)),
    ((2, 3), ()),
    ((), (3,)),
    ((2, 3), (2, 1)),
    ((1, 3), (2, 1)),
    ((1,), (3,)),
    ((3,), F),
    (I, (2, 3)),
]
CALLS: list[tuple[str, tuple[Shape | str, ...], dict[str, Any]]] = [
    *((op, tuple(pair), {}) for op in BINARY for pair in PAIRS),  # type: ignore[list-item]
    *((op, (shape,), {}) for op in UNARY for shape in [(), (3,), (2, 3)]),
    ("where", ((3,), (3,), (3,)), {}),
    ("where", ((3,), F, (2, 3)), {}),
    ("where", ((), (2, 3), F), {}),
    ("matmul", ((4,), (4, 3)), {}),
    ("matmul", ((2, 4), (4, 3)), {}),
    ("matmul", ((2, 4), (4,)), {}),
    ("matmul", ((4,), (4,)), {}),
    ("linear", ((4,), (4, 3)), {}),
    ("linear", ((2, 4), (4, 3), (3,)), {}),
    ("outer", ((2,), (3,)), {}),
    ("transpose", ((2, 3),), {}),
    ("reshape", ((2, 3),), {"shape": (3, 2)}),
    ("reshape", ((2, 3),), {"shape": (6,)}),
    ("reshape", ((1,),), {"shape": ()}),
    ("concat", ((2,), (3,), (4,)), {}),
    ("concat", ((2, 3), (2, 4)), {"axis": -1}),
    ("concat", ((2, 3), (5, 3)), {"axis": 0}),
    ("stack", ((3,), (3,)), {}),
    ("slice", ((5,),), {"start": 1, "stop": 4}),
    ("slice", ((5, 3),), {"start": 1, "stop": 4}),
    ("slice", ((5, 3),), {"axis": 1, "start": 0, "stop": 2}),
    ("softmax", ((3,),), {}),
    ("softmax", ((2, 3),), {}),
    ("log_softmax", ((3,),), {}),
    ("log_softmax", ((2, 3),), {}),
    ("rms_norm", ((3,), (3,)), {}),
    ("rms_norm", ((2, 3), (3,)), {}),
    ("layer_norm", ((3,), (3,), (3,)), {}),
    ("layer_norm", ((2, 3), (3,), (3,)), {}),
    *(
        (op, (shape,), {"axis": axis})
        for op in ("sum", "mean", "max", "logsumexp")
        for shape in [(3,), (2, 3)]
        for axis in ("all", 0, -1)
    ),
    ("argmax", ((3,),), {}),
    ("lookup", ((5,), I), {}),
    ("lookup", ((5, 3), I), {}),
    ("lookup", ((5, 3, 2), I), {}),
    ("one_hot", (I,), {"n": 4}),
    ("zeros", (), {"shape": (2, 3)}),
    ("zeros", (), {"shape": ()}),
    ("eye", (), {"n": 3}),
    ("parts", (), {"n": 3, "width": 6}),
    ("triangle", (), {"n": 3}),
    ("positions", (), {"shape": (2, 3)}),
    ("positions", (), {"shape": (4,)}),
    ("uniform", ((2, 3), F, F), {}),
    ("uniform", ((3,), (), ()), {}),
    ("dropout", ((2, 3), F), {}),
    ("dropout", ((), F), {}),
    ("attention", ((4, 6), (4, 6), (4, 6)), {"heads": 3}),
]


def name(value: object) -> str:
    return str(value).replace(" ", "")


def test_every_operation_is_called() -> None:
    assert {op for op, _, _ in CALLS} == set(OPS)


@pytest.mark.parametrize(("op", "shapes", "attrs"), CALLS, ids=name)
def test_rules_are_what_numpy_gives(
    op: str, shapes: tuple[Shape | str, ...], attrs: dict[str, Any]
) -> None:
    values: list[Any] = [1 if s == I else 0.5 if s == F else np.ones(s, np.float32) for s in shapes]
    got = OPS[op].numpy(*values, **attrs)
    assert isinstance(got, np.ndarray)
    assert got.dtype == np.float32
    assert result(op, *shapes, **attrs) == typed(got.shape)


@pytest.mark.parametrize(
    ("op", "shapes", "attrs", "want"),
    [
        ("add", (("S", "H"), ("H",)), {}, ("S", "H")),
        ("linear", (("2H",), ("2H", "5H"), ("5H",)), {}, ("5H",)),
        ("linear", (("S", "H"), ("H", "K")), {}, ("S", "K")),
        ("concat", (("H",), ("2H",), (1,)), {}, ("3H + 1",)),
        ("concat", (("S", "H"), (2, "H")), {"axis": 0}, ("S + 2", "H")),
        ("stack", (("H",), ("H",), ("H",)), {}, (3, "H")),
        ("slice", (("3H",),), {"start": Dim.of("H"), "stop": Dim.of("3H")}, ("2H",)),
        ("reshape", (("S", "H"),), {"shape": (Dim.of("H"), Dim.of("S"))}, ("H", "S")),
        ("outer", (("H",), ("K",)), {}, ("H", "K")),
        ("max", (("S", "H"),), {"axis": 0}, ("H",)),
        ("lookup", (("V", "H", "H"), I), {}, ("H", "H")),
        ("one_hot", (I,), {"n": Dim.of("C")}, ("C",)),
        ("attention", (("S", "64N"),) * 3, {"heads": Dim.of("N")}, ("S", "64N")),
    ],
    ids=name,
)
def test_symbols(
    op: str, shapes: tuple[Shape | str, ...], attrs: dict[str, Any], want: Shape
) -> None:
    assert result(op, *shapes, **attrs) == typed(want)


@pytest.mark.parametrize(
    ("op", "shapes", "attrs", "message", "blame"),
    [
        ("add", (("H",), ("2H",)), {}, "add of Tensor[H] and Tensor[2H]", (0, 1)),
        ("mul", (("H",), (3,)), {}, "mul of Tensor[H] and Tensor[3]", (0, 1)),
        ("sub", ((2, 3), (3, 1)), {}, "sub of Tensor[2, 3] and Tensor[3, 1]", (0, 1)),
        ("div", ((2, 3), (2,)), {}, "div of Tensor[2, 3] and Tensor[2]", (0, 1)),
        ("where", ((3,), F, (4,)), {}, "where of Tensor[3] and Tensor[4]", (0, 2)),
        ("less", (F, I), {}, "less needs at least one tensor", (0, 1)),
        ("tanh", (F,), {}, "tanh needs a tensor, got float", (0,)),
        ("add", ((3,),), {}, "add takes 2 operands, got 1", (0,)),
        (
            "matmul",
            ((2, 4), (3, 4)),
            {},
            "matmul of Tensor[2, 4] and Tensor[3, 4]: 4 columns meet 3 rows",
            (0, 1),
        ),
        ("matmul", ((), (4, 3)), {}, "matmul needs a vector or a matrix, got Tensor[]", (0,)),
        (
            "matmul",
            ((4,), (2, 4, 3)),
            {},
            "the second operand of matmul must be a matrix [K, N], got Tensor[2, 4, 3]",
            (1,),
        ),
        (
            "linear",
            (("H",), ("H", "4H"), ("3H",)),
            {},
            "linear adds a bias Tensor[3H] to a result Tensor[4H]",
            (1, 2),
        ),
        ("outer", ((2,), (2, 3)), {}, "outer needs a vector, got Tensor[2, 3]", (1,)),
        ("transpose", ((3,),), {}, "transpose needs a matrix, got Tensor[3]", (0,)),
        (
            "reshape",
            ((2, 3),),
            {"shape": (4, 2)},
            "reshape of Tensor[2, 3] to Tensor[4, 2]: 6 elements are not 8",
            (0,),
        ),
        ("concat", (), {}, "concat needs at least one tensor", ()),
        ("concat", ((3,), (2, 3)), {}, "concat of Tensor[3] and Tensor[2, 3]", (0, 1)),
        (
            "concat",
            ((2, 3), (2, 4), (3, 3)),
            {},
            "concat of Tensor[2, 3] and Tensor[3, 3]",
            (0, 2),
        ),
        ("stack", (), {}, "stack needs at least one vector", ()),
        ("stack", (("H",), ("H",), ("K",)), {}, "stack of Tensor[H] and Tensor[K]", (0, 2)),
        ("slice", ((5,),), {"start": 2, "stop": 6}, "slice 2:6 of Tensor[5]", (0,)),
        ("slice", ((5,),), {"start": 2, "stop": 2}, "slice 2:2 of Tensor[5]", (0,)),
        (
            "slice",
            ((5,),),
            {"axis": 1, "start": 0, "stop": 2},
            "slice of axis 1 of Tensor[5]",
            (0,),
        ),
        ("softmax", ((),), {}, "softmax needs a vector or a matrix, got Tensor[]", (0,)),
        (
            "layer_norm",
            (("S", "H"), ("H",), ("S",)),
            {},
            "layer_norm of Tensor[S, H] scales and shifts by a vector [H], got Tensor[S]",
            (0, 2),
        ),
        (
            "sum",
            ((2, 3),),
            {"axis": 1},
            "sum over axis 1 of Tensor[2, 3]; the axes are 0 and -1",
            (0,),
        ),
        ("max", ((),), {"axis": -1}, "max over axis -1 of Tensor[]; the axes are 0 and -1", (0,)),
        ("argmax", ((2, 3),), {}, "argmax needs a vector, got Tensor[2, 3]", (0,)),
        ("lookup", ((), I), {}, "a lookup needs a matrix [V, N] of weights, got Tensor[]", (0,)),
        ("lookup", ((5, 3), F), {}, "a lookup needs an int as the row, got float", (1,)),
        ("one_hot", (F,), {"n": 3}, "one_hot needs an int, got float", (0,)),
        (
            "attention",
            ((4, 6), (4, 6), (5, 6)),
            {"heads": 2},
            "attention of Tensor[4, 6] and Tensor[5, 6]: all three are [S, H]",
            (0, 2),
        ),
        (
            "attention",
            ((4, 6), (4, 6), (4, 6)),
            {"heads": 4},
            "attention: 4 heads do not divide Tensor[4, 6]",
            (0,),
        ),
    ],
    ids=name,
)
def test_what_does_not_fit(
    op: str,
    shapes: tuple[Shape | str, ...],
    attrs: dict[str, Any],
    message: str,
    blame: tuple[int, ...],
) -> None:
    with pytest.raises(ShapeError) as error:
        result(op, *shapes, **attrs)
    assert (str(error.value), error.value.blame) == (message, blame)
