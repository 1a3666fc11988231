"""PonderNet (Banino et al. 2021): a cell that halts with a probability, the outputs weighted by when it halts."""

from __future__ import annotations

import math
from typing import NamedTuple

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class GRUCell:
    w: Float32[Tensor, "I 3H"]
    u: Float32[Tensor, "H 3H"]
    b: Float32[Tensor, "3H"]

    def __call__(self, x, h):
        xr, xz, xn = ops.split(x @ self.w + self.b, 3)
        hr, hz, hn = ops.split(h @ self.u, 3)
        z = ops.sigmoid(xz + hz)
        return (1 - z) * ops.tanh(xn + ops.sigmoid(xr + hr) * hn) + z * h


@ab.params
class PonderNet:
    cell: GRUCell
    halt: Float32[Tensor, "H 1"]
    out: Float32[Tensor, "H 1"]
    max_steps: int = 8
    lambda_prior: float = 0.4


class Output(NamedTuple):
    y: Float32[Tensor, "1"]
    steps: int
    kl: float


@ab.model
def ponder(p: PonderNet, x: Float32[Tensor, "I"]) -> Output:
    h = ops.zeros_like(p.halt[:, 0])
    left, ys, probs = 1.0, [], []
    for n in range(p.max_steps):
        h = p.cell(x, h)
        lam = ops.item(ops.sigmoid(h @ p.halt)) if n < p.max_steps - 1 else 1.0
        ys.append(h @ p.out)
        probs.append(left * lam)
        left *= 1.0 - lam
        if left < 1e-2:
            break
    prior = [p.lambda_prior * (1 - p.lambda_prior) ** n for n in range(len(probs))]
    kl = 0.0
    for q, r in zip(probs, prior):
        if q > 0:
            kl += q * math.log(q / r)
    y = sum(q * y for q, y in zip(probs, ys))
    return Output(y, len(ys), kl)
