"""Shape rules: the type of a result from the types of the operands.

A rule raises ShapeError naming the shapes that disagree and the positions of their operands.
Dimensions may be symbols; what cannot be decided yet passes and is checked again when sizes are
known.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..dims import Dim
from ..types import FloatType, IntType, TensorType, Type
from .definition import Attrs, Rule, ShapeError


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


def _common(op: str, a: TensorType, b: TensorType, blame: Sequence[int]) -> TensorType:
    """The common shape of two operands, by numpy's rules: aligned at the last axis, and an axis of
    length 1 is repeated."""
    longer, shorter = (a, b) if len(a.dims) >= len(b.dims) else (b, a)
    more = len(longer.dims) - len(shorter.dims)
    dims = list(longer.dims[:more])
    for x, y in zip(longer.dims[more:], shorter.dims, strict=True):
        if x != y and 1 not in (x.known, y.known):
            raise ShapeError(f"{op} of {a} and {b}", blame)
        dims.append(y if x.known == 1 else x)
    return TensorType(tuple(dims))


def broadcast(op: str, arity: int) -> Rule:
    """The rule of a point-wise operation: the shape to which all operands are broadcast."""

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
                shape = _common(op, shape, tensor, [first, i])
        if shape is None:
            raise ShapeError(f"{op} needs at least one tensor", range(len(args)))
        return TensorType(shape.dims)

    return rule


def matmul(args: Sequence[Type], attrs: Attrs) -> TensorType:
    x = _vector_or_matrix(args[0], 0, "matmul")
    w = args[1]
    if not isinstance(w, TensorType) or len(w.dims) not in (1, 2):
        raise ShapeError(f"the second operand of matmul must be a matrix [K, N], got {w}", [1])
    if w.dims[0] != x.dims[-1]:
        raise ShapeError(
            f"matmul of {x} and {w}: {x.dims[-1]} columns meet {w.dims[0]} rows", [0, 1]
        )
    return TensorType(x.dims[:-1] + w.dims[1:])


def linear(args: Sequence[Type], attrs: Attrs) -> TensorType:
    out = matmul(args[:2], attrs)
    if len(args) == 3 and args[2] != TensorType(out.dims[-1:]):
        raise ShapeError(f"linear adds a bias {args[2]} to a result {out}", [1, 2])
    return out


def outer(args: Sequence[Type], attrs: Attrs) -> TensorType:
    return TensorType(_vector(args[0], 0, "outer").dims + _vector(args[1], 1, "outer").dims)


def transpose(args: Sequence[Type], attrs: Attrs) -> TensorType:
    return TensorType(_matrix(args[0], 0, "transpose").dims[::-1])


def _shape(attrs: Attrs) -> TensorType:
    dims = attrs["shape"]
    assert isinstance(dims, tuple)
    return TensorType(tuple(_positive(Dim.of(d)) for d in dims))


def _positive(dim: Dim) -> Dim:
    """`dim`; ShapeError if it is known to be below 1."""
    if dim.const < 1 and all(c < 0 for _, c in dim.terms):
        raise ShapeError(f"a dimension is at least 1, not {dim}", [])
    return dim


def reshape(args: Sequence[Type], attrs: Attrs) -> TensorType:
    x, out = _tensor(args[0], 0, "reshape"), _shape(attrs)
    if all(d.known is not None for d in (*x.dims, *out.dims)) and x.size != out.size:
        raise ShapeError(f"reshape of {x} to {out}: {x.size} elements are not {out.size}", [0])
    return out


def constant(args: Sequence[Type], attrs: Attrs) -> TensorType:
    return _shape(attrs)


def dropout(args: Sequence[Type], attrs: Attrs) -> TensorType:
    return TensorType(_tensor(args[0], 0, "dropout").dims)


def eye(args: Sequence[Type], attrs: Attrs) -> TensorType:
    n = _positive(Dim.of(attrs["n"]))  # type: ignore[arg-type]
    return TensorType((n, n))


def parts(args: Sequence[Type], attrs: Attrs) -> TensorType:
    n = _positive(Dim.of(attrs["n"]))  # type: ignore[arg-type]
    width = _positive(Dim.of(attrs["width"]))  # type: ignore[arg-type]
    if n.known is not None and width.known is not None and width.known % n.known:
        raise ShapeError(f"attention: {n} heads do not divide {width} columns", [])
    return TensorType((n, width))


def one_hot(args: Sequence[Type], attrs: Attrs) -> TensorType:
    if not isinstance(args[0], IntType):
        raise ShapeError(f"one_hot needs an int, got {args[0]}", [0])
    return TensorType((Dim.of(attrs["n"]),))  # type: ignore[arg-type]


def softmax(args: Sequence[Type], attrs: Attrs) -> TensorType:
    return _vector_or_matrix(args[0], 0, "softmax")


def log_softmax(args: Sequence[Type], attrs: Attrs) -> TensorType:
    return _vector_or_matrix(args[0], 0, "log_softmax")


def rms_norm(args: Sequence[Type], attrs: Attrs) -> TensorType:
    x = _vector_or_matrix(args[0], 0, "rms_norm")
    if args[1] != TensorType(x.dims[-1:]):
        raise ShapeError(
            f"rms_norm of {x} scales by a vector [{x.dims[-1]}], got {args[1]}", [0, 1]
        )
    return x


def layer_norm(args: Sequence[Type], attrs: Attrs) -> TensorType:
    x = _vector_or_matrix(args[0], 0, "layer_norm")
    for i in (1, 2):
        if args[i] != TensorType(x.dims[-1:]):
            raise ShapeError(
                f"layer_norm of {x} scales and shifts by a vector [{x.dims[-1]}], got {args[i]}",
                [0, i],
            )
    return x


def reduction(op: str) -> Rule:
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


def argmax(args: Sequence[Type], attrs: Attrs) -> TensorType:
    _vector(args[0], 0, "argmax")
    return TensorType(())


def concat(args: Sequence[Type], attrs: Attrs) -> TensorType:
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


def stack(args: Sequence[Type], attrs: Attrs) -> TensorType:
    if not args:
        raise ShapeError("stack needs at least one vector", [])
    first = _vector(args[0], 0, "stack")
    for i, t in enumerate(args):
        if t != first:
            raise ShapeError(f"stack of {first} and {t}", [0, i])
    return TensorType((Dim.of(len(args)), *first.dims))


def slice_(args: Sequence[Type], attrs: Attrs) -> TensorType:
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


def lookup(args: Sequence[Type], attrs: Attrs) -> TensorType:
    table, index = args
    if not isinstance(table, TensorType) or not table.dims:
        raise ShapeError(f"a lookup needs a matrix [V, N] of weights, got {table}", [0])
    if not isinstance(index, IntType):
        raise ShapeError(f"a lookup needs an int as the row, got {index}", [1])
    return TensorType(table.dims[1:])


def attention(args: Sequence[Type], attrs: Attrs) -> TensorType:
    q = _matrix(args[0], 0, "attention")
    for i in (1, 2):
        if args[i] != q:
            raise ShapeError(f"attention of {q} and {args[i]}: all three are [S, H]", [0, i])
    heads, columns = Dim.of(attrs["heads"]).known, q.dims[1].known  # type: ignore[arg-type]
    if heads is not None and columns is not None and (heads < 1 or columns % heads):
        raise ShapeError(f"attention: {heads} heads do not divide {q}", [0])
    return q
