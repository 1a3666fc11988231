"""Neural Turing machine with one head (Graves et al. 2014): content addressing, interpolation, shift, sharpening."""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class Head:
    key: Float32[Tensor, "H M"]
    beta: Float32[Tensor, "H 1"]
    gate: Float32[Tensor, "H 1"]
    shift: Float32[Tensor, "H 3"]
    gamma: Float32[Tensor, "H 1"]


@ab.params
class NTM:
    w: Float32[Tensor, "IM H"]
    b: Float32[Tensor, "H"]
    read: Head
    write: Head
    erase: Float32[Tensor, "H M"]
    add: Float32[Tensor, "H M"]
    memory: Float32[Tensor, "N M"]
    out: Float32[Tensor, "HM O"]


EPS = np.float32(1e-6)


@ab.model
def address(head: Head, h, memory, last):
    k = ops.tanh(h @ head.key)
    beta = ops.softplus(h @ head.beta)
    norm = ops.sqrt(ops.sum(memory**2, axis=-1)) * ops.sqrt(ops.sum(k**2)) + EPS
    content = ops.softmax(beta * (memory @ k) / norm)
    g = ops.sigmoid(h @ head.gate)
    w = g * content + (1 - g) * last
    s = ops.softmax(h @ head.shift)
    rolled = s[0] * ops.concat(w[1:], w[:1]) + s[1] * w + s[2] * ops.concat(w[-1:], w[:-1])
    sharp = rolled ** (1 + ops.softplus(h @ head.gamma))
    return sharp / ops.sum(sharp)


@ab.model
def run(p: NTM, xs: list[Float32[Tensor, "I"]]) -> list[Float32[Tensor, "O"]]:
    memory = p.memory
    n = memory.shape[0]
    state = {"read": ops.one_hot(0, n), "write": ops.one_hot(0, n)}
    r = ops.zeros(memory.shape[1])
    ys = []
    for x in xs:
        h = ops.tanh(ops.linear(ops.concat(x, r), p.w, p.b))
        state["write"] = address(p.write, h, memory, state["write"])
        memory = memory * (1 - ops.outer(state["write"], ops.sigmoid(h @ p.erase)))
        memory = memory + ops.outer(state["write"], ops.tanh(h @ p.add))
        state["read"] = address(p.read, h, memory, state["read"])
        r = state["read"] @ memory
        ys.append(ops.sigmoid(ops.concat(h, r) @ p.out))
    return ys
