"""Tiny recursive model (Jolicoeur-Martineau 2025): one small network applied again and again to answer y and latent z, with a halting head."""

from __future__ import annotations

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class Block:
    w_token: Float32[Tensor, "S S"]
    norm1: Float32[Tensor, "H"]
    w_up: Float32[Tensor, "H 2F"]
    w_down: Float32[Tensor, "F H"]
    norm2: Float32[Tensor, "H"]

    def __call__(self, x):
        x = ops.rms_norm(x + self.w_token @ x, self.norm1)
        gate, up = ops.split(x @ self.w_up, 2)
        return ops.rms_norm(x + (ops.silu(gate) * up) @ self.w_down, self.norm2)


@ab.params
class TRM:
    embed: Float32[Tensor, "12 H"]
    y_init: Float32[Tensor, "H"]
    z_init: Float32[Tensor, "H"]
    blocks: list[Block]
    head: Float32[Tensor, "H 12"]
    q_head: Float32[Tensor, "H 1"]
    n: int = 3
    T: int = 2
    max_steps: int = 4
    threshold: float = 0.0

    def net(self, x):
        for block in self.blocks:
            x = block(x)
        return x

    @staticmethod
    def mean(x):
        return ops.mean(x, axis=0)


@ab.model
def solve(p: TRM, puzzle: list[int]) -> tuple[list[int], int]:
    x = ops.stack([p.embed[c] for c in puzzle[:9]])
    y = x * 0 + p.y_init
    z = x * 0 + p.z_init
    steps = 0
    for step in range(p.max_steps):
        for _ in range(p.T):
            for _ in range(p.n):
                z = p.net(x + y + z)
            y = p.net(y + z)
        steps = step + 1
        if (p.mean(y) @ p.q_head).item() > p.threshold:
            break
    logits = y @ p.head
    return [ops.argmax(row) for row in logits], steps
