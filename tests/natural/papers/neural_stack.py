"""Neural stack (Grefenstette et al. 2015): an RNN controller with a differentiable stack."""

from __future__ import annotations

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class Controller:
    emb: Float32[Tensor, "20 H"]
    w: Float32[Tensor, "3H H"]
    b: Float32[Tensor, "H"]
    w_push: Float32[Tensor, "H 1"]
    w_pop: Float32[Tensor, "H 1"]
    w_value: Float32[Tensor, "H H"]
    out: Float32[Tensor, "H 20"]


@ab.model
def run(p: Controller, tokens: list[int]) -> list[Float32[Tensor, "20"]]:
    size = p.b.shape[0]
    values, strengths = [], []
    h = ops.zeros(size)
    read = ops.zeros(size)
    outputs = []
    for token in tokens:
        h = ops.tanh(ops.linear(ops.concat(p.emb[token], h, read), p.w, p.b))
        push = ops.sigmoid(h @ p.w_push)
        pop = ops.sigmoid(h @ p.w_pop)
        value = ops.tanh(h @ p.w_value)
        # pop from the top down
        left = pop
        for i in reversed(range(len(strengths))):
            s = strengths[i]
            strengths[i] = ops.relu(s - left)
            left = ops.relu(left - s)
        values.append(value)
        strengths.append(push)
        # read one unit from the top
        room = ops.ones(1)
        read = ops.zeros(size)
        for s, v in zip(strengths[::-1], values[::-1]):
            read = read + ops.minimum(s, room) * v
            room = ops.relu(room - s)
        outputs.append(ops.softmax(ops.concat(h + read) @ p.out))
    return outputs
