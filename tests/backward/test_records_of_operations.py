"""Both statements of a point-wise operation's derivative, in operations and in numpy: the same."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest

from acrobat.backward.emitter import Emitter
from acrobat.ir import typed as T
from acrobat.ir.dims import Dim
from acrobat.ir.ops import POINTWISE
from acrobat.ir.ops.definition import Pointwise
from acrobat.ir.types import FLOAT, TensorType

SIZE = 60
VECTOR = TensorType((Dim.of(SIZE),))


def derivatives(
    op: Pointwise, operands: Sequence[np.ndarray | float], y: np.ndarray, d: np.ndarray
) -> list[np.ndarray | None]:
    """What the operations of the derivative compute, in float64; a number is no tensor."""
    values: dict[T.Var, np.ndarray] = {}
    atoms: list[T.Atom] = []
    for i, x in enumerate(operands):
        if isinstance(x, float):
            atoms.append(T.Const(x, FLOAT))
        else:
            values[variable := T.Var(f"x{i}", VECTOR)] = x
            atoms.append(variable)
    values |= {(result := T.Var("y", VECTOR)): y, (gradient := T.Var("d", VECTOR)): d}
    e = Emitter()
    made = op.derivative(e, atoms, result, gradient)
    for step in e.ops:
        args = [
            values[a] if isinstance(a, T.Var) else np.float64(float(a.value)) for a in step.op.args
        ]
        with np.errstate(all="ignore"):
            values[step.out] = np.asarray(POINTWISE[step.op.name].exact(*args), np.float64)
    return [None if g is None else values[g] for g in made]


@pytest.mark.parametrize("op", POINTWISE.values(), ids=lambda op: op.name)
def test_operations_and_numpy_agree(op: Pointwise) -> None:
    """Where operands are tensors, where some are numbers, and where several are equal."""
    rng = np.random.default_rng(5)
    low, high = max(op.domain[0], -3.0), min(op.domain[1], 3.0)
    drawn = [rng.uniform(low, high, SIZE).round(1) for _ in range(op.arity)]
    d = rng.normal(size=SIZE)
    for numbers in itertools.product([False, True], repeat=op.arity):
        if all(numbers):
            continue
        operands = [0.5 if n else x for n, x in zip(numbers, drawn, strict=True)]
        with np.errstate(all="ignore"):
            y = np.asarray(op.exact(*operands), np.float64)
            wants = [p and p(d, y, *operands) for p in op.partials]
        got = derivatives(op, operands, y, d)
        for number, g, want in zip(numbers, got, wants, strict=True):
            assert number or (g is None) == (want is None)
            if not number and g is not None and want is not None:
                np.testing.assert_allclose(g, want, rtol=1e-9, atol=1e-12)
