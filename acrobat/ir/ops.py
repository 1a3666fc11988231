"""The tensor operations: one table, one entry per operation.

An entry gives the kind (which decides how `kernels.lower` treats it), the shape rule, and the
plain numpy meaning. Adding an operation is adding an entry here, a function in `lang.ops`, and,
for a new kind, its lowering.

Tensors have rank 0, 1 or 2; weights may be tables of matrices, of rank 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .dims import Dim
from .typed import AttrValue
from .types import FloatType, IntType, TensorType, Type

_Rule = Callable[[Sequence[Type], Mapping[str, AttrValue]], TensorType]

Array = np.ndarray
Attrs = Mapping[str, AttrValue]


class ShapeError(Exception):
    """Operands do not fit. `blame` lists the positions of the arguments whose shapes disagree."""

    def __init__(self, message: str, blame: Sequence[int]) -> None:
        super().__init__(message)
        self.blame = tuple(blame)


@dataclass(frozen=True, slots=True)
class OpDef:
    """`kind`: elementwise | contraction | reduction | normalise | rearrange | lookup | constant |
    attention."""

    name: str
    kind: str
    result: Callable[[Sequence[Type], Attrs], TensorType]
    numpy: Callable[..., Array]


def _tensor(t: Type, position: int, op: str) -> TensorType:
    if not isinstance(t, TensorType):
        raise ShapeError(f"{op} needs a tensor, got {t}", [position])
    return t


def _vector(t: Type, position: int, op: str) -> TensorType:
    t = _tensor(t, position, op)
    if len(t.dims) != 1:
        raise ShapeError(f"{op} needs a vector, got {t}", [position])
    return t


def _matrix(t: Type, position: int, op: str) -> TensorType:
    t = _tensor(t, position, op)
    if len(t.dims) != 2:
        raise ShapeError(f"{op} needs a matrix, got {t}", [position])
    return t


def _vector_or_matrix(t: Type, position: int, op: str) -> TensorType:
    t = _tensor(t, position, op)
    if len(t.dims) not in (1, 2):
        raise ShapeError(f"{op} needs a vector or a matrix, got {t}", [position])
    return t


def _count(op: str, args: Sequence[Type], arity: int) -> None:
    if len(args) != arity:
        raise ShapeError(f"{op} takes {arity} operands, got {len(args)}", range(len(args)))


def _broadcast(op: str, a: TensorType, b: TensorType, blame: Sequence[int]) -> TensorType:
    """The common shape of two operands: the last dimensions of the longer one are the shorter's."""
    longer, shorter = (a, b) if len(a.dims) >= len(b.dims) else (b, a)
    tail = longer.dims[len(longer.dims) - len(shorter.dims) :]
    if tail != shorter.dims:
        raise ShapeError(f"{op} of {a} and {b}", blame)
    return longer


def _elementwise(op: str, arity: int) -> _Rule:
    def rule(args: Sequence[Type], attrs: Attrs) -> TensorType:
        _count(op, args, arity)
        shape: TensorType | None = None
        first = 0
        for i, t in enumerate(args):
            if isinstance(t, (FloatType, IntType)) and arity > 1:
                continue
            tensor = _tensor(t, i, op)
            if shape is None:
                shape, first = tensor, i
            else:
                shape = _broadcast(op, shape, tensor, [first, i])
        if shape is None:
            raise ShapeError(f"{op} needs at least one tensor", range(len(args)))
        return shape

    return rule


def _matmul(args: Sequence[Type], attrs: Attrs) -> TensorType:
    x = _vector_or_matrix(args[0], 0, "matmul")
    w = args[1]
    if not isinstance(w, TensorType) or len(w.dims) not in (1, 2):
        raise ShapeError(f"the second operand of matmul must be a matrix [K, N], got {w}", [1])
    if w.dims[0] != x.dims[-1]:
        raise ShapeError(
            f"matmul of {x} and {w}: {x.dims[-1]} columns meet {w.dims[0]} rows", [0, 1]
        )
    return TensorType(x.dims[:-1] + w.dims[1:])


def _linear(args: Sequence[Type], attrs: Attrs) -> TensorType:
    out = _matmul(args[:2], attrs)
    if len(args) == 3 and args[2] != TensorType(out.dims[-1:]):
        raise ShapeError(f"linear adds a bias {args[2]} to a result {out}", [1, 2])
    return out


def _outer(args: Sequence[Type], attrs: Attrs) -> TensorType:
    return TensorType(_vector(args[0], 0, "outer").dims + _vector(args[1], 1, "outer").dims)


def _transpose(args: Sequence[Type], attrs: Attrs) -> TensorType:
    return TensorType(_matrix(args[0], 0, "transpose").dims[::-1])


def _shape(attrs: Attrs) -> TensorType:
    dims = attrs["shape"]
    assert isinstance(dims, tuple)
    return TensorType(tuple(map(Dim.of, dims)))


def _reshape(args: Sequence[Type], attrs: Attrs) -> TensorType:
    x, out = _tensor(args[0], 0, "reshape"), _shape(attrs)
    if all(d.known is not None for d in (*x.dims, *out.dims)) and x.size != out.size:
        raise ShapeError(f"reshape of {x} to {out}: {x.size} elements are not {out.size}", [0])
    return out


def _constant(args: Sequence[Type], attrs: Attrs) -> TensorType:
    return _shape(attrs)


def _eye(args: Sequence[Type], attrs: Attrs) -> TensorType:
    n = Dim.of(attrs["n"])  # type: ignore[arg-type]
    return TensorType((n, n))


def _one_hot(args: Sequence[Type], attrs: Attrs) -> TensorType:
    if not isinstance(args[0], IntType):
        raise ShapeError(f"one_hot needs an int, got {args[0]}", [0])
    return TensorType((Dim.of(attrs["n"]),))  # type: ignore[arg-type]


def _softmax(args: Sequence[Type], attrs: Attrs) -> TensorType:
    return _vector_or_matrix(args[0], 0, "softmax")


def _layer_norm(args: Sequence[Type], attrs: Attrs) -> TensorType:
    x = _vector_or_matrix(args[0], 0, "layer_norm")
    for i in (1, 2):
        if args[i] != TensorType(x.dims[-1:]):
            raise ShapeError(
                f"layer_norm of {x} scales and shifts by a vector [{x.dims[-1]}], got {args[i]}",
                [0, i],
            )
    return x


def _reduce(op: str) -> _Rule:
    def rule(args: Sequence[Type], attrs: Attrs) -> TensorType:
        x, axis = _tensor(args[0], 0, op), attrs.get("axis", "all")
        if axis == "all":
            return TensorType(())
        if axis == -1 and x.dims:
            return TensorType(x.dims[:-1])
        if axis == 0 and x.dims:
            return TensorType(x.dims[1:])
        raise ShapeError(f"{op} over axis {axis} of {x}; the axes are 0 and -1", [0])

    return rule


def _argmax(args: Sequence[Type], attrs: Attrs) -> TensorType:
    _vector(args[0], 0, "argmax")
    return TensorType(())


def _concat(args: Sequence[Type], attrs: Attrs) -> TensorType:
    if not args:
        raise ShapeError("concat needs at least one tensor", [])
    first = _vector_or_matrix(args[0], 0, "concat")
    axis = 0 if attrs.get("axis", -1) == 0 else len(first.dims) - 1
    total = Dim.of(0)
    for i, t in enumerate(args):
        x = _vector_or_matrix(t, i, "concat")
        others = [d for k, d in enumerate(x.dims) if k != axis]
        if len(x.dims) != len(first.dims) or others != [
            d for k, d in enumerate(first.dims) if k != axis
        ]:
            raise ShapeError(f"concat of {first} and {x}", [0, i])
        total += x.dims[axis]
    return TensorType((*first.dims[:axis], total, *first.dims[axis + 1 :]))


def _stack(args: Sequence[Type], attrs: Attrs) -> TensorType:
    if not args:
        raise ShapeError("stack needs at least one vector", [])
    first = _vector(args[0], 0, "stack")
    for i, t in enumerate(args):
        if t != first:
            raise ShapeError(f"stack of {first} and {t}", [0, i])
    return TensorType((Dim.of(len(args)), *first.dims))


def _slice(args: Sequence[Type], attrs: Attrs) -> TensorType:
    x = _vector_or_matrix(args[0], 0, "slice")
    axis = attrs.get("axis", 0)
    assert isinstance(axis, int)
    if axis >= len(x.dims):
        raise ShapeError(f"slice of axis {axis} of {x}", [0])
    start, stop = Dim.of(attrs["start"]), Dim.of(attrs["stop"])  # type: ignore[arg-type]
    known = [d.known for d in (start, stop, x.dims[axis])]
    if None not in known and not 0 <= known[0] < known[1] <= known[2]:  # type: ignore[operator]
        raise ShapeError(f"slice {start}:{stop} of {x}", [0])
    return TensorType((*x.dims[:axis], stop - start, *x.dims[axis + 1 :]))


def _lookup(args: Sequence[Type], attrs: Attrs) -> TensorType:
    table, index = args
    if not isinstance(table, TensorType) or not table.dims:
        raise ShapeError(f"a lookup needs a matrix [V, N] of weights, got {table}", [0])
    if not isinstance(index, IntType):
        raise ShapeError(f"a lookup needs an int as the row, got {index}", [1])
    return TensorType(table.dims[1:])


def _attention(args: Sequence[Type], attrs: Attrs) -> TensorType:
    q = _matrix(args[0], 0, "attention")
    for i in (1, 2):
        if args[i] != q:
            raise ShapeError(f"attention of {q} and {args[i]}: all three are [S, H]", [0, i])
    heads, columns = Dim.of(attrs["heads"]).known, q.dims[1].known  # type: ignore[arg-type]
    if heads is not None and columns is not None and (heads < 1 or columns % heads):
        raise ShapeError(f"attention: {heads} heads do not divide {q}", [0])
    return q


def _sigmoid(x: Array) -> Array:
    # 1 / (1 + e^-x) without overflow at either end.
    return np.asarray(0.5 * (np.tanh(0.5 * x) + 1.0), dtype=np.float32)


_erf = np.frompyfunc(math.erf, 1, 1)


def _gelu(x: Array) -> Array:
    erf = np.asarray(_erf(np.asarray(x, dtype=np.float64) / math.sqrt(2.0)), dtype=np.float64)
    return np.asarray(x * 0.5 * (1.0 + erf), dtype=np.float32)


def _np_linear(x: Array, w: Array, b: Array | None = None) -> Array:
    product: Array = x @ w
    return product if b is None else product + b


def _where(c: Array, a: Array, b: Array) -> Array:
    return np.where(np.asarray(c) != 0, a, b)


def _np_softmax(x: Array) -> Array:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True), dtype=np.float32)


def _np_layer_norm(x: Array, g: Array, b: Array) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    return np.asarray(centred / np.sqrt(variance + np.float32(EPSILON)) * g + b, dtype=np.float32)


def _np_reduce(function: Callable[..., Array]) -> Callable[..., Array]:
    def run(x: Array, *, axis: int | str = "all") -> Array:
        over = None if axis == "all" else axis
        return np.asarray(function(x, axis=over), dtype=np.float32)

    return run


def _np_slice(x: Array, *, start: int, stop: int, axis: int = 0) -> Array:
    return x[start:stop] if axis == 0 else x[:, start:stop]


def _np_attention(q: Array, k: Array, v: Array, *, heads: int) -> Array:
    s, h = q.shape
    d = h // heads
    qs, ks, vs = (a.reshape(s, heads, d).transpose(1, 0, 2) for a in (q, k, v))
    scores = qs @ ks.transpose(0, 2, 1) / np.float32(math.sqrt(d))
    return np.asarray((_np_softmax(scores) @ vs).transpose(1, 0, 2).reshape(s, h))


def _np_eye(*, n: int) -> Array:
    return np.eye(n, dtype=np.float32)


def _np_one_hot(i: int, *, n: int) -> Array:
    return np.asarray(_np_eye(n=n)[i])


def _float32(function: Callable[..., object]) -> Callable[..., Array]:
    """`function` with a float32 result, also where numpy would give a scalar or a truth value."""
    return lambda *args: np.asarray(function(*args), dtype=np.float32)


EPSILON = 1e-5  # of layer_norm

_POINTWISE: tuple[tuple[str, int, Callable[..., object]], ...] = (
    ("add", 2, np.add),
    ("sub", 2, np.subtract),
    ("mul", 2, np.multiply),
    ("div", 2, np.divide),
    ("maximum", 2, np.maximum),
    ("minimum", 2, np.minimum),
    ("less", 2, np.less),
    ("greater", 2, np.greater),
    ("where", 3, _where),
    ("neg", 1, np.negative),
    ("tanh", 1, np.tanh),
    ("sigmoid", 1, _sigmoid),
    ("relu", 1, lambda x: np.maximum(x, 0)),
    ("gelu", 1, _gelu),
    ("exp", 1, np.exp),
    ("log", 1, np.log),
    ("sqrt", 1, np.sqrt),
    ("abs", 1, np.abs),
)

_TABLE = (
    *(OpDef(n, "elementwise", _elementwise(n, k), _float32(f)) for n, k, f in _POINTWISE),
    OpDef("matmul", "contraction", _matmul, _float32(np.matmul)),
    OpDef("linear", "contraction", _linear, _np_linear),
    OpDef("outer", "rearrange", _outer, np.outer),
    OpDef("transpose", "rearrange", _transpose, lambda x: x.T),
    OpDef("reshape", "rearrange", _reshape, lambda x, *, shape: np.reshape(x, shape)),
    OpDef("concat", "rearrange", _concat, lambda *xs, axis=-1: np.concatenate(xs, axis=axis)),
    OpDef("stack", "rearrange", _stack, lambda *xs: np.stack(xs)),
    OpDef("slice", "rearrange", _slice, _np_slice),
    OpDef("softmax", "normalise", _softmax, _np_softmax),
    OpDef("layer_norm", "normalise", _layer_norm, _np_layer_norm),
    OpDef("sum", "reduction", _reduce("sum"), _np_reduce(np.sum)),
    OpDef("mean", "reduction", _reduce("mean"), _np_reduce(np.mean)),
    OpDef("max", "reduction", _reduce("max"), _np_reduce(np.max)),
    OpDef("argmax", "reduction", _argmax, _float32(np.argmax)),
    OpDef("lookup", "lookup", _lookup, lambda table, i: np.asarray(table[i])),
    OpDef("one_hot", "lookup", _one_hot, _np_one_hot),
    OpDef("zeros", "constant", _constant, lambda *, shape: np.zeros(shape, np.float32)),
    OpDef("eye", "constant", _eye, _np_eye),
    OpDef("attention", "attention", _attention, _np_attention),
)

OPS: Mapping[str, OpDef] = {op.name: op for op in _TABLE}
