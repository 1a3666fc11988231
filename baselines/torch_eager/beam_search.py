"""Beam search sentence by sentence; the hypotheses of a beam one after the other."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import linear

from workloads.other.beam_search import BEGIN, END, REWARD

from .weights import as_torch

# State, score, words.
Hypothesis = tuple[torch.Tensor, float, list[int]]


class Net:
    """An RNN that reads, and one that writes."""

    def __init__(self, params: Any, device: str) -> None:
        self.p = as_torch(params, ("w_read", "w_query", "w_write", "w_out"), device)

    def __call__(self, sentence: Any) -> tuple[list[int], torch.Tensor]:
        p = self.p
        h = torch.zeros_like(p.b_read)
        states = []
        for word in sentence.words:
            h = torch.tanh(linear(torch.cat((p.source[word], h)), p.w_read, p.b_read))
            states.append(h)
        source = torch.stack(states)
        beam: list[Hypothesis] = [(h, 0.0, [BEGIN])]
        for _ in range(sentence.limit):
            offered = [new for hypothesis in beam for new in self.extend(source, hypothesis)]
            beam = sorted(offered, key=lambda hypothesis: -hypothesis[1])[:2]
            if all(words[-1] == END for _, _, words in beam):
                break
        return beam[0][2], beam[0][0]

    def extend(self, source: torch.Tensor, hypothesis: Hypothesis) -> list[Hypothesis]:
        """Extend a hypothesis by each of its two likeliest next words, unless it has ended."""
        p = self.p
        h, score, words = hypothesis
        if words[-1] == END:
            return [hypothesis]
        context = torch.softmax(source @ linear(h, p.w_query), dim=0) @ source
        x = torch.cat((p.target[words[-1]], h, context))
        h = torch.tanh(linear(x, p.w_write, p.b_write))
        best = torch.log_softmax(linear(h, p.w_out, p.b_out), dim=0).topk(2)
        pairs = zip(best.values.to("cpu").tolist(), best.indices.to("cpu").tolist(), strict=True)
        return [(h, score + REWARD + chance, [*words, word]) for chance, word in pairs]
