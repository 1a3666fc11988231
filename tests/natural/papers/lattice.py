"""Lattice LSTM (Zhang & Yang 2018): characters, and words that end at them, as (start, word)."""

from __future__ import annotations

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.data
class Sentence:
    chars: list[int]
    words: list[list[tuple[int, int]]]


@ab.params
class LSTMCell:
    w: Float32[Tensor, "2H 4H"]
    b: Float32[Tensor, "4H"]


@ab.params
class Lattice:
    chars: Float32[Tensor, "40 H"]
    words: Float32[Tensor, "30 H"]
    cell: LSTMCell
    word_cell: Float32[Tensor, "2H 3H"]
    word_b: Float32[Tensor, "3H"]
    w_gate: Float32[Tensor, "2H H"]


@ab.model
def encode(p: Lattice, s: Sentence) -> Float32[Tensor, "H"]:
    size = p.w_gate.shape[1]
    h, c = ops.zeros(size), ops.zeros(size)
    states = []
    for t, char in enumerate(s.chars):
        x = p.chars[char]
        i, f, o, g = ops.split(ops.linear(ops.concat(x, h), p.cell.w, p.cell.b), 4)
        i, f, o, g = ops.sigmoid(i), ops.sigmoid(f), ops.sigmoid(o), ops.tanh(g)
        candidates = [(i, g)]
        for start, word in s.words[t]:
            hs, cs = states[start]
            wi, wf, wg = ops.split(
                ops.linear(ops.concat(p.words[word], hs), p.word_cell, p.word_b), 3
            )
            cw = ops.sigmoid(wf) * cs + ops.sigmoid(wi) * ops.tanh(wg)
            gate = ops.sigmoid(ops.concat(x, cw) @ p.w_gate)
            candidates.append((gate, cw))
        if len(candidates) == 1:
            c = f * c + i * g
        else:
            total = sum(ops.exp(gate) for gate, _ in candidates)
            c = sum(ops.exp(gate) / total * value for gate, value in candidates)
        h = o * ops.tanh(c)
        states.append((h, c))
    return h
