"""Universal Transformer (Dehghani et al. 2019): one block, applied until each position halts."""

from __future__ import annotations

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

THRESHOLD = 0.9
MAX_STEPS = 6


@ab.params
class Block:
    wq: Float32[Tensor, "N H K"]
    wk: Float32[Tensor, "N H K"]
    wv: Float32[Tensor, "N H K"]
    wo: Float32[Tensor, "N K H"]
    w1: Float32[Tensor, "H F"]
    w2: Float32[Tensor, "F H"]


@ab.params
class Universal:
    embedding: Float32[Tensor, "V H"]
    position: Float32[Tensor, "L H"]
    time: Float32[Tensor, "T H"]
    block: Block
    halt: Float32[Tensor, "H"]
    bias: float
    out: Float32[Tensor, "H C"]


def norm(x):
    x = x - x.mean(-1, keepdims=True)
    return x / ((x * x).mean(-1, keepdims=True) + 1e-6) ** 0.5


@ab.model
def block(p: Block, states: list[Float32[Tensor, "H"]]):
    x = ops.stack(states)
    attended = ops.zeros_like(x)
    for wq, wk, wv, wo in zip(p.wq, p.wk, p.wv, p.wo):
        scores = (x @ wq) @ (x @ wk).T / np.sqrt(wq.shape[1])
        attended += ops.softmax(scores, axis=-1) @ (x @ wv) @ wo
    x = norm(x + attended)
    x = norm(x + ops.relu(x @ p.w1) @ p.w2)
    return list(x)


@ab.model
def classify(p: Universal, words: list[int]) -> Float32[Tensor, "C"]:
    n = len(words)
    states = [p.embedding[w] + p.position[i] for i, w in enumerate(words)]
    halting = [0.0] * n
    running = [True] * n
    result = [ops.zeros_like(s) for s in states]
    t = 0
    while any(running) and t < MAX_STEPS:
        probability = [ops.item(ops.sigmoid(p.halt @ s + p.bias)) for s in states]
        states = block(p.block, [s + p.time[t] for s in states])
        for i in range(n):
            if not running[i]:
                continue
            last = halting[i] + probability[i] > THRESHOLD or t == MAX_STEPS - 1
            weight = 1.0 - halting[i] if last else probability[i]
            result[i] += weight * states[i]
            halting[i] += weight
            running[i] = not last
        t += 1
    return ops.softmax(sum(result) / n @ p.out)
