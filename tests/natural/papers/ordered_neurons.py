"""Ordered-neuron LSTM (Shen et al. 2019): master gates by cumax, and the tree that the distances
of the first layer imply (split where the distance is largest)."""

from __future__ import annotations

from typing import NamedTuple

import acrobat as ab
from acrobat import Float32, Tensor, ops


class State(NamedTuple):
    h: Float32[Tensor, "H"]
    c: Float32[Tensor, "C K"]


@ab.params
class Layer:
    w: Float32[Tensor, "D G"]
    u: Float32[Tensor, "H G"]
    b: Float32[Tensor, "G"]
    chunks: int


@ab.params
class OnLSTM:
    embedding: Float32[Tensor, "V H"]
    layers: list[Layer]
    out: Float32[Tensor, "H V"]


def cumax(x):
    return ops.cumsum(ops.softmax(x))


@ab.model
def cell(p: Layer, x, state: State):
    h, c = state
    n = p.chunks
    gates = x @ p.w + h @ p.u + p.b
    master_in = 1 - cumax(gates[:n])
    master_forget = cumax(gates[n : 2 * n])
    o, g, i, f = gates[2 * n :].reshape(4, n, -1)
    distance = 1 - master_forget.sum() / n
    overlap = (master_in * master_forget)[:, None]
    forget = ops.sigmoid(f) * overlap + (master_forget[:, None] - overlap)
    write = ops.sigmoid(i) * overlap + (master_in[:, None] - overlap)
    c = forget * c + write * ops.tanh(g)
    h = ops.sigmoid(o) * ops.tanh(c)
    return State(h.reshape(-1), c), distance


@ab.data
class Leaf:
    word: int


@ab.data
class Node:
    left: Leaf | Node
    right: Leaf | Node


@ab.model
def build(words: list[int], distances: list[float]) -> Leaf | Node:
    if len(words) == 1:
        return Leaf(words[0])
    split = 1 + distances[1:].index(max(distances[1:]))
    return Node(
        build(words[:split], distances[:split]),
        build(words[split:], distances[split:]),
    )


@ab.model
def parse(p: OnLSTM, sentence: list[int]):
    size = p.out.shape[0]
    states = [
        State(ops.zeros(size), ops.zeros((layer.chunks, size // layer.chunks)))
        for layer in p.layers
    ]
    distances = []
    logits = []
    for word in sentence:
        x = p.embedding[word]
        for k, layer in enumerate(p.layers):
            states[k], distance = cell(layer, x, states[k])
            x = states[k].h
            if k == 0:
                distances.append(float(distance))
        logits.append(x @ p.out)
    return build(sentence, distances), logits[-1]
