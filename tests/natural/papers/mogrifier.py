"""Mogrifier LSTM (Melis, Kocisky, Blunsom 2020): input and state gate each other before the cell.

A language model: the negative log-likelihood of a sentence, and the last state.
"""

from __future__ import annotations

import acrobat as ab
from acrobat import Float32, Tensor, ops

ROUNDS = 5


@ab.params
class Cell:
    w_ih: Float32[Tensor, "4H D"]
    w_hh: Float32[Tensor, "4H H"]
    bias: Float32[Tensor, "4H"]


@ab.params
class Mogrifier:
    embedding: Float32[Tensor, "V D"]
    q: list[Float32[Tensor, "D H"]]
    r: list[Float32[Tensor, "H D"]]
    cell: Cell
    out: Float32[Tensor, "V H"]


@ab.model
def mogrify(p: Mogrifier, x: Float32[Tensor, "D"], h: Float32[Tensor, "H"]):
    for i in range(1, ROUNDS + 1):
        if i % 2 == 1:
            x = 2 * ops.sigmoid(p.q[i // 2] @ h) * x
        else:
            h = 2 * ops.sigmoid(p.r[i // 2 - 1] @ x) * h
    return x, h


@ab.model
def lstm(p: Cell, x: Float32[Tensor, "D"], h: Float32[Tensor, "H"], c: Float32[Tensor, "H"]):
    i, f, o, g = ops.split(p.w_ih @ x + p.w_hh @ h + p.bias, 4)
    c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
    return ops.sigmoid(o) * ops.tanh(c), c


@ab.model
def language_model(p: Mogrifier, sentence: list[int]):
    size = p.out.shape[1]
    h, c = ops.zeros(size), ops.zeros(size)
    loss = 0.0
    for word, target in zip(sentence[:-1], sentence[1:]):
        x, h = mogrify(p, p.embedding[word], h)
        h, c = lstm(p.cell, x, h, c)
        loss -= ops.log_softmax(p.out @ h)[target]
    return loss / (len(sentence) - 1), h
