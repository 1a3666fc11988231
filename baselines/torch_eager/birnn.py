"""BiRNN sentence by sentence. The input projection of a sentence and the classifier are one call
each for all its words, as is usual; the recurrence is a loop."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import linear

from .weights import as_torch


class Net:
    """Two vanilla RNNs and a classifier."""

    def __init__(self, params: Any, device: str) -> None:
        self.device = device
        self.p = as_torch(params, ("w", "u", "w_out"), device)

    def __call__(self, words: list[int]) -> list[torch.Tensor]:
        p = self.p
        xs = p.emb[torch.tensor(words, device=self.device)]
        forward = self.rnn(p.forward, xs)
        backward = self.rnn(p.backward, xs.flip(0)).flip(0)
        logits = linear(torch.cat((forward, backward), dim=1), p.w_out, p.b_out)
        return list(torch.softmax(logits, dim=1))

    @staticmethod
    def rnn(d: Any, xs: torch.Tensor) -> torch.Tensor:
        """Return the states at all words, [n, H]."""
        h = torch.zeros_like(d.b)
        states = []
        for x in linear(xs, d.w, d.b):
            h = torch.tanh(x + linear(h, d.u))
            states.append(h)
        return torch.stack(states)
