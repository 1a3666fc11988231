"""Dynamic routing between capsules (Sabour et al. 2017), from any number of parts to a few wholes."""

from __future__ import annotations

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class Capsules:
    parts: Float32[Tensor, "5 I"]
    transform: list[Float32[Tensor, "I O"]]  # one per whole
    iterations: int = 3


def squash(s):
    n2 = (s * s).sum()
    return n2 / (1 + n2) * s / ops.sqrt(n2 + 1e-8)


@ab.model
def route(p: Capsules, seen: list[tuple[int, float]]) -> list[Float32[Tensor, "O"]]:
    u = [squash(p.parts[kind] * weight) for kind, weight in seen]
    u_hat = [[x @ w for w in p.transform] for x in u]
    n, m = len(u), len(p.transform)
    b = [[0.0] * m for _ in range(n)]
    v = [ops.zeros(p.transform[0].shape[1]) for _ in range(m)]
    for it in range(p.iterations):
        c = [ops.softmax(ops.stack(row)) for row in b]
        for j in range(m):
            s = ops.zeros_like(v[j])
            for i in range(n):
                s = s + c[i][j] * u_hat[i][j]
            v[j] = squash(s)
        if it < p.iterations - 1:
            for i in range(n):
                for j in range(m):
                    b[i][j] += float(ops.dot(u_hat[i][j], v[j]))
    return v
