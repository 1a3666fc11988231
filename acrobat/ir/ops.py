"""The tensor operations: one table, one entry per operation.

An entry gives the kind (which decides how `kernels.lower` treats it), the shape rule, and the
plain numpy meaning. Adding an operation is adding an entry here, a function in `lang.ops`, and,
for a new kind, its lowering.

Vectors are per instance ([N]); rank-2 operands are weights ([K, N], applied as x @ w).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .dims import Dim
from .typed import AttrValue
from .types import FloatType, IntType, TensorType, Type

Array = np.ndarray
Attrs = Mapping[str, AttrValue]


class ShapeError(Exception):
    """Operands do not fit. `blame` lists the positions of the arguments whose shapes disagree."""

    def __init__(self, message: str, blame: Sequence[int]) -> None:
        super().__init__(message)
        self.blame = tuple(blame)


@dataclass(frozen=True, slots=True)
class OpDef:
    """`kind`: elementwise | contraction | view | concat | lookup."""

    name: str
    kind: str
    result: Callable[[Sequence[Type], Attrs], TensorType]
    numpy: Callable[..., Array]


def _vector(t: Type, position: int, op: str) -> TensorType:
    if not isinstance(t, TensorType):
        raise ShapeError(f"{op} needs a tensor, got {t}", [position])
    if len(t.dims) != 1:
        raise ShapeError(f"{op} needs a vector, got {t}", [position])
    return t


def _elementwise(op: str, arity: int) -> Callable[[Sequence[Type], Attrs], TensorType]:
    def rule(args: Sequence[Type], attrs: Attrs) -> TensorType:
        if len(args) != arity:
            raise ShapeError(f"{op} takes {arity} operands, got {len(args)}", range(len(args)))
        shape: TensorType | None = None
        first = 0
        for i, t in enumerate(args):
            if isinstance(t, (FloatType, IntType)) and arity == 2:
                continue
            vector = _vector(t, i, op)
            if shape is None:
                shape, first = vector, i
            elif vector.dims != shape.dims:
                raise ShapeError(f"{op} of {shape} and {vector}", [first, i])
        if shape is None:
            raise ShapeError(f"{op} needs at least one tensor", range(len(args)))
        return shape

    return rule


def _matmul(args: Sequence[Type], attrs: Attrs) -> TensorType:
    x = _vector(args[0], 0, "matmul")
    w = args[1]
    if not isinstance(w, TensorType) or len(w.dims) != 2:
        raise ShapeError(f"the second operand of matmul must be a matrix [K, N], got {w}", [1])
    if w.dims[0] != x.dims[0]:
        raise ShapeError(
            f"matmul of {x} and {w}: {x.dims[0]} columns meet {w.dims[0]} rows", [0, 1]
        )
    return TensorType((w.dims[1],))


def _linear(args: Sequence[Type], attrs: Attrs) -> TensorType:
    out = _matmul(args[:2], attrs)
    if len(args) == 3 and args[2] != out:
        raise ShapeError(f"linear adds a bias {args[2]} to a result {out}", [1, 2])
    return out


def _concat(args: Sequence[Type], attrs: Attrs) -> TensorType:
    if not args:
        raise ShapeError("concat needs at least one tensor", [])
    total = Dim.of(0)
    for i, t in enumerate(args):
        total += _vector(t, i, "concat").dims[0]
    return TensorType((total,))


def _slice(args: Sequence[Type], attrs: Attrs) -> TensorType:
    x = _vector(args[0], 0, "slice")
    start, stop = Dim.of(attrs["start"]), Dim.of(attrs["stop"])  # type: ignore[arg-type]
    known = [d.known for d in (start, stop, x.dims[0])]
    if None not in known and not 0 <= known[0] < known[1] <= known[2]:  # type: ignore[operator]
        raise ShapeError(f"slice {start}:{stop} of {x}", [0])
    return TensorType((stop - start,))


def _lookup(args: Sequence[Type], attrs: Attrs) -> TensorType:
    table, index = args
    if not isinstance(table, TensorType) or len(table.dims) != 2:
        raise ShapeError(f"a lookup needs a matrix [V, N] of weights, got {table}", [0])
    if not isinstance(index, IntType):
        raise ShapeError(f"a lookup needs an int as the row, got {index}", [1])
    return TensorType((table.dims[1],))


def _sigmoid(x: Array) -> Array:
    # 1 / (1 + e^-x) without overflow at either end.
    return (0.5 * (np.tanh(0.5 * x) + 1.0)).astype(x.dtype)


def _np_linear(x: Array, w: Array, b: Array | None = None) -> Array:
    product: Array = x @ w
    return product if b is None else product + b


def _np_slice(x: Array, *, start: int, stop: int) -> Array:
    return x[start:stop]


_TABLE = (
    OpDef("add", "elementwise", _elementwise("add", 2), np.add),
    OpDef("sub", "elementwise", _elementwise("sub", 2), np.subtract),
    OpDef("mul", "elementwise", _elementwise("mul", 2), np.multiply),
    OpDef("div", "elementwise", _elementwise("div", 2), np.divide),
    OpDef("neg", "elementwise", _elementwise("neg", 1), np.negative),
    OpDef("tanh", "elementwise", _elementwise("tanh", 1), np.tanh),
    OpDef("sigmoid", "elementwise", _elementwise("sigmoid", 1), _sigmoid),
    OpDef("relu", "elementwise", _elementwise("relu", 1), lambda x: np.maximum(x, 0)),
    OpDef("matmul", "contraction", _matmul, np.matmul),
    OpDef("linear", "contraction", _linear, _np_linear),
    OpDef("concat", "concat", _concat, lambda *xs: np.concatenate(xs)),
    OpDef("slice", "view", _slice, _np_slice),
    OpDef("lookup", "lookup", _lookup, lambda table, i: table[i]),
)

OPS: Mapping[str, OpDef] = {op.name: op for op in _TABLE}
