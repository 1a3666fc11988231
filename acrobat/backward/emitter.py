"""Emit operations of the IR one after the other: those that make up an adjoint.

Equal operations are merged, so that a value that two derivatives recompute is computed once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..ir import batched as B
from ..ir import typed as T
from ..ir.ops import OPS
from ..ir.span import NOWHERE, Span
from ..ir.types import FLOAT, TensorType


def dims_of(atom: T.Atom) -> tuple[int, ...]:
    """The sizes of a tensor; () for a number."""
    if not isinstance(atom.type, TensorType):
        return ()
    return tuple(d.known or 0 for d in atom.type.dims)


def _atom(x: T.Atom | float) -> T.Atom:
    return x if isinstance(x, (T.Var, T.Const)) else T.Const(float(x), FLOAT)


@dataclass(slots=True)
class Emitter:
    """`ops` in order; `span`: the place in the source that the next operations come from."""

    ops: list[B.BlockOp] = field(default_factory=list)
    span: Span = NOWHERE
    known: dict[object, T.Var] = field(default_factory=dict)
    made_by: dict[T.Var, T.Op] = field(default_factory=dict)

    def op(self, name: str, *operands: T.Atom | float, **attrs: T.AttrValue) -> T.Var:
        """Emit an operation, and return its result."""
        args = tuple(map(_atom, operands))
        if name == "transpose" and isinstance(args[0], T.Var):
            inner = self.made_by.get(args[0])
            if inner is not None and inner.name == "transpose" and isinstance(inner.args[0], T.Var):
                return inner.args[0]
        made = T.Op(name, args, tuple(sorted(attrs.items())))
        key = (name, tuple(map(_key, args)), made.attrs)
        if key not in self.known:
            # A number counts as a tensor of rank 0 if no operand is a tensor.
            types = [a.type if isinstance(a, T.Var) else FLOAT for a in args]
            out = T.Var(name, OPS[name].result(types, attrs))
            self.known[key] = out
            self.made_by[out] = made
            self.ops.append(B.BlockOp(out, made, self.span))
        return self.known[key]

    # -- shorthands -----------------------------------------------------------------------

    def add(self, a: T.Atom | float, b: T.Atom | float) -> T.Var:
        return self.op("add", a, b)

    def sub(self, a: T.Atom | float, b: T.Atom | float) -> T.Var:
        return self.op("sub", a, b)

    def mul(self, a: T.Atom | float, b: T.Atom | float) -> T.Var:
        return self.op("mul", a, b)

    def div(self, a: T.Atom | float, b: T.Atom | float) -> T.Var:
        return self.op("div", a, b)

    def where(self, c: T.Atom, a: T.Atom | float, b: T.Atom | float) -> T.Var:
        return self.op("where", c, a, b)

    def zeros(self, shape: tuple[int, ...]) -> T.Var:
        return self.op("zeros", shape=shape)

    def reshape(self, x: T.Var, shape: tuple[int, ...]) -> T.Var:
        """`x` reshaped to `shape`; `x` itself if it has that shape."""
        return x if dims_of(x) == shape else self.op("reshape", x, shape=shape)

    def rows_sum(self, x: T.Var) -> T.Var:
        """The sum along the last axis, which can be broadcast to `x`."""
        dims = dims_of(x)
        if len(dims) < 2:
            return self.op("sum", x, axis="all")
        return self.reshape(self.op("sum", x, axis=-1), (dims[0], 1))

    def broadcast(self, x: T.Var, shape: tuple[int, ...]) -> T.Var:
        """`x` repeated to `shape`."""
        return x if dims_of(x) == shape else self.add(self.zeros(shape), x)

    def summed_to(self, x: T.Var, shape: tuple[int, ...]) -> T.Var:
        """The gradient of an operand of this shape, which was broadcast to the shape of `x`."""
        dims = dims_of(x)
        if dims == shape:
            return x
        if all(d == 1 for d in shape):
            return self.reshape(self.op("sum", x, axis="all"), shape)
        if len(dims) == 2 and shape[-1] == dims[1]:
            return self.reshape(self.op("sum", x, axis=0), shape)
        if len(dims) == 2 and len(shape) == 2 and shape[0] == dims[0]:
            return self.reshape(self.op("sum", x, axis=-1), shape)
        raise AssertionError(f"{dims} was broadcast from {shape}")

    def part(self, x: T.Var, axis: int, start: int, stop: int) -> T.Var:
        """x[start:stop] along an axis."""
        if (start, stop) == (0, dims_of(x)[axis]):
            return x
        return self.op("slice", x, axis=axis, start=start, stop=stop)


def _key(atom: T.Atom) -> object:
    # As text: 0.0 and -0.0 are equal, and NaN is not equal to itself.
    return atom if isinstance(atom, T.Var) else repr(atom.value)
