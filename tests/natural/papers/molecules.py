"""Message passing over molecules (Gilmer et al. 2017): typed bonds, GRU updates, readout by attention."""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

CHARGE = {"C": 0.0, "N": 0.5}
MASS = np.array([1.0, 12.0, 14.0, 16.0, 19.0], dtype=np.float32) / 19


@ab.data
class Molecule:
    atoms: list[int]
    bonds: list[tuple[int, int, int]]


@ab.params
class MPNN:
    atoms: Float32[Tensor, "5 H"]
    mass: Float32[Tensor, "H"]
    bonds: Float32[Tensor, "4 H H"]
    w: Float32[Tensor, "2H 3H"]
    b: Float32[Tensor, "3H"]
    gate: Float32[Tensor, "2H H"]
    out: Float32[Tensor, "H 1"]
    rounds: int


@ab.model
def predict(p: MPNN, m: Molecule) -> Float32[Tensor, "1"]:
    first = [p.atoms[a] + MASS[a] * p.mass for a in m.atoms]
    states = first
    for _ in range(p.rounds):
        inbox: list[list[Float32[Tensor, "H"]]] = [[] for _ in states]
        for a, b, kind in m.bonds:
            inbox[a].append(states[b] @ p.bonds[kind])
            inbox[b].append(states[a] @ p.bonds[kind])
        new = []
        for h, messages in zip(states, inbox):
            message = sum(messages) if messages else ops.zeros_like(h)
            r, z, n = ops.split(ops.linear(ops.concat(h, message), p.w, p.b), 3)
            z = ops.sigmoid(z)
            new.append(z * h + (1 - z) * ops.tanh(ops.sigmoid(r) * n))
        states = new
    total = sum(ops.sigmoid(ops.concat(h, x) @ p.gate) * ops.tanh(h) for h, x in zip(states, first))
    return total @ p.out
