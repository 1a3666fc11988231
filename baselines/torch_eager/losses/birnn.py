"""The tagging loss over all tokens."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import cross_entropy, embedding, linear

from ..birnn import Net

TURNED = ("w", "u", "w_out")


class LossNet:
    """Sentence by sentence, like the workload's `Net`."""

    def __init__(self, p: Any) -> None:
        self.p = p

    def __call__(self, sentence: Any) -> torch.Tensor:
        p = self.p
        xs = embedding(torch.tensor(sentence.words), p.emb, sparse=True)
        forward = Net.rnn(p.forward, xs)
        backward = Net.rnn(p.backward, xs.flip(0)).flip(0)
        logits = linear(torch.cat((forward, backward), dim=1), p.w_out, p.b_out)
        return cross_entropy(logits, torch.tensor(sentence.tags), reduction="sum")
