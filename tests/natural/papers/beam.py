"""Beam search in a sequence-to-sequence model with attention (Bahdanau et al. 2015)."""

from __future__ import annotations

import dataclasses

import acrobat as ab
from acrobat import Float32, Tensor, ops

BOS, EOS = 0, 1


@ab.data
class Hypothesis:
    tokens: tuple[int, ...]
    score: float
    state: Float32[Tensor, "H"]

    @property
    def done(self) -> bool:
        return self.tokens[-1] == EOS

    def normalised(self, alpha: float = 0.6) -> float:
        return self.score / len(self.tokens) ** alpha


@ab.params
class Seq2Seq:
    source: Float32[Tensor, "12 H"]
    target: Float32[Tensor, "12 H"]
    encoder: Float32[Tensor, "2H H"]
    decoder: Float32[Tensor, "3H H"]
    out: Float32[Tensor, "H 12"]
    beam: int = 3
    max_len: int = 5


@ab.model
def encode(p: Seq2Seq, words: list[int]) -> list[Float32[Tensor, "H"]]:
    h = ops.zeros(p.encoder.shape[1])
    states = []
    for word in words:
        states.append(h := ops.tanh(ops.concat(p.source[word], h) @ p.encoder))
    return states


@ab.model
def step(p: Seq2Seq, hyp: Hypothesis, memory):
    query = hyp.state
    context = ops.softmax(memory @ query) @ memory
    state = ops.tanh(ops.concat(p.target[hyp.tokens[-1]], query, context) @ p.decoder)
    return state, ops.log_softmax(state @ p.out)


@ab.model
def translate(p: Seq2Seq, words: list[int]) -> list[tuple[list[int], float]]:
    states = encode(p, words)
    memory = ops.stack(states)
    beam = [Hypothesis((BOS,), 0.0, states[-1])]
    for _ in range(p.max_len):
        if all(hyp.done for hyp in beam):
            break
        candidates = []
        for hyp in beam:
            if hyp.done:
                candidates.append(hyp)
                continue
            state, scores = step(p, hyp, memory)
            for token, score in enumerate(scores):
                new = dataclasses.replace(
                    hyp, tokens=hyp.tokens + (token,), score=hyp.score + float(score), state=state
                )
                candidates.append(new)
        beam = sorted(candidates, key=Hypothesis.normalised, reverse=True)[: p.beam]
    return [(list(hyp.tokens[1:]), round(hyp.score, 3)) for hyp in beam]
