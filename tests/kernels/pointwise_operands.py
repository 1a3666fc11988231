"""Operands at which a point-wise operation is judged, and the kernel that applies it alone. All of
it follows from the operation's record."""

from __future__ import annotations

import numpy as np

from acrobat.ir.ops.definition import Code, Pointwise
from acrobat.kernels.specification.spec import Instr, KernelSpec, Operand, Store
from tests.kernels.kernel_specs import load, slot

_WHOLE = np.linspace(-12, 12, 2001)
_WIDE = np.linspace(-110, 110, 881)
_SMALL = np.geomspace(1e-30, 1, 200)
_LARGE = np.array([1e4, 1e30, np.finfo(np.float32).max, np.inf])
# Subnormal numbers, the least first.
_TINY = np.geomspace(1.5e-45, 1.1e-38, 30)
_SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-40, 1.17549e-38, 3.4e38, -3.4e38, 1.0]


def operands(op: Pointwise, code: Code, count: int = 0) -> list[np.ndarray]:
    """The operands, an array each, for which `code` keeps its promise; at most `count` elements if
    that is not 0."""
    if op.arity > 1:
        rng = np.random.default_rng(0)
        # Small integers meet each other; the others do not.
        drawn = [np.append(rng.integers(-2, 3, 60), rng.normal(0, 9, 60)) for _ in range(op.arity)]
        drawn[-1][0] = drawn[0][60] = np.nan
        drawn[-1][1], drawn[0][61] = np.inf, -np.inf
        # Of all that is special each with each; a third operand is one after the other.
        pairs = np.array(np.meshgrid(_SPECIAL, _SPECIAL)).reshape(2, -1)
        special = [*pairs, np.resize(_SPECIAL, pairs.shape[1])][: op.arity]
        joined = [np.append(x, s) for x, s in zip(drawn, special, strict=True)]
        return [x.astype(np.float32) for x in joined]
    xs = np.concatenate([_WHOLE, _WIDE, _SMALL, -_SMALL, _LARGE, -_LARGE]).astype(np.float32)
    if count:
        xs = xs[:: -(-len(xs) // count)]
    xs = np.concatenate([xs, _TINY, -_TINY, _LARGE, -_LARGE, *(_around(edge) for edge in op.edges)])
    xs = xs.astype(np.float32)
    low, high = (max(op.domain[0], code.within[0]), min(op.domain[1], code.within[1]))
    return [xs[(xs >= low) & (xs <= high)]]


def outside(op: Pointwise) -> np.ndarray:
    """Where the one operand has no result: NaN, and numbers outside of the domain."""
    low, high = op.domain
    xs = np.array([np.nan, -np.inf, -3.5, -1e-30, 1e-30, 3.5, np.inf], np.float32)
    return xs[~((xs >= low) & (xs <= high))]


def _around(edge: float) -> np.ndarray:
    """A number and its neighbours, of which 0's are the least normal numbers."""
    at = np.float32(edge)
    if edge == 0:
        least = np.finfo(np.float32).tiny
        return np.array([-least, 0, least], np.float32)
    return np.array([np.nextafter(at, -np.inf), at, np.nextafter(at, np.inf)], np.float32)


def assert_keeps(code: Code, got: np.ndarray, want: np.ndarray) -> None:
    """What the record promises of its code: numpy's bits (but for the sign of a zero), or an error
    below a limit."""
    if code.relative == code.absolute == 0:
        np.testing.assert_array_equal(got, want)
    else:
        np.testing.assert_allclose(got, want, rtol=code.relative, atol=code.absolute)


def single_operation(op: Pointwise, n: int) -> KernelSpec:
    """A kernel that applies `op` to n elements, each operand an operand of the node's own."""
    numbers = range(op.arity)
    return KernelSpec(
        name=f"apply_{op.name}",
        width=n,
        record=slot(n),
        operands=(Operand("gathered", n),) * op.arity,
        weights=(),
        vectors=(),
        gates=(),
        epilogue=(*map(load, numbers), Instr(op.name, tuple(numbers))),
        stores=(Store(0, op.arity),),
    )
