"""Relational memory core (Santoro et al. 2018): slots attend to each other and to the input.

The task is the paper's "Nth farthest": vectors in, one label out.
"""

from __future__ import annotations

import math

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.data
class Episode:
    vectors: list[Float32[Tensor, "I"]]
    n: int


@ab.params
class Head:
    query: Float32[Tensor, "M K"]
    key: Float32[Tensor, "M K"]
    value: Float32[Tensor, "M K"]


@ab.params
class Core:
    initial: Float32[Tensor, "S M"]
    rank: Float32[Tensor, "R M"]
    project: Float32[Tensor, "I M"]
    heads: list[Head]
    merge: Float32[Tensor, "NK M"]
    mlp: list[Float32[Tensor, "M M"]]
    gamma: Float32[Tensor, "2 M"]
    beta: Float32[Tensor, "2 M"]
    w_gate: Float32[Tensor, "M 2M"]
    u_gate: Float32[Tensor, "M 2M"]
    b_gate: Float32[Tensor, "2M"]
    classify: Float32[Tensor, "SM C"]


def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    var = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    return gamma * (x - mean) / ops.sqrt(var + eps) + beta


@ab.model
def attend(head: Head, memory, x):
    everything = ops.concat([memory, x[None]], axis=0)
    q = memory @ head.query
    k = everything @ head.key
    v = everything @ head.value
    weights = ops.softmax(q @ k.T / math.sqrt(k.shape[-1]), axis=-1)
    return weights @ v


@ab.model
def step(p: Core, memory, x):
    attended = ops.concat([attend(head, memory, x) for head in p.heads], axis=-1) @ p.merge
    new = layer_norm(memory + attended, p.gamma[0], p.beta[0])
    hidden = new
    for w in p.mlp:
        hidden = ops.relu(hidden @ w)
    new = layer_norm(new + hidden, p.gamma[1], p.beta[1])
    gates = x @ p.w_gate + ops.tanh(memory) @ p.u_gate + p.b_gate
    input_gate, forget_gate = ops.split(gates, 2, axis=-1)
    return ops.sigmoid(input_gate) * ops.tanh(new) + ops.sigmoid(forget_gate + 1.0) * memory


@ab.model
def farthest(p: Core, episode: Episode) -> Float32[Tensor, "C"]:
    memory = p.initial
    for x in episode.vectors:
        memory = step(p, memory, x @ p.project + p.rank[episode.n])
    return ops.softmax(memory.reshape(-1) @ p.classify)
