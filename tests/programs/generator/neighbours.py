"""Model functions of another module, whose names programs use for their own functions, too."""

from __future__ import annotations

import acrobat as ab
from acrobat import Float32, Tensor, ops

STEPS = 2


@ab.data
class Pair:
    first: Float32[Tensor, "H"]
    count: int


@ab.model
def step(x: Float32[Tensor, "H"], n: int) -> Float32[Tensor, "H"]:
    """Calls a function of this module whose name programs have for another one."""
    h = x
    for _ in range(min(n, STEPS)):
        h = ops.tanh(cell(h, n) - h * 0.5)
    return h


@ab.model
def cell(x: Float32[Tensor, "H"], n: int) -> Float32[Tensor, "H"]:
    """One step."""
    return ops.sigmoid(x * 0.7) if n % 2 == 0 else ops.relu(x - 0.1)


@ab.model
def walk(x: Float32[Tensor, "H"], n: int) -> Pair:
    """A recursion."""
    if n <= 0:
        return Pair(x, 0)
    below = walk(cell(x, n), min(n, 3) - 1)
    return Pair(ops.tanh(below.first + x), below.count + n)


@ab.model
def far(x: Float32[Tensor, "H"], n: int) -> Float32[Tensor, "H"]:
    """Data that stays in here."""
    pair = walk(x, n)
    return pair.first * pair.count
