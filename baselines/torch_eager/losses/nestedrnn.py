"""The loss of every document's class."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import cross_entropy, embedding, linear

TURNED = ("w", "u", "w_gru", "u_gru", "w_out")


class LossNet:
    """Both cells written out; the words of a document are one lookup and one projection."""

    def __init__(self, p: Any) -> None:
        self.p = p

    def __call__(self, given: Any) -> torch.Tensor:
        p = self.p.inner
        sentences = given.document.sentences
        words = torch.tensor([word for sentence in sentences for word in sentence])
        projected = linear(embedding(words, p.emb, sparse=True), p.w, p.b)
        h = torch.zeros_like(p.b)
        for xs in projected.split([len(sentence) for sentence in sentences]):
            inner = h
            for x in xs:
                inner = torch.tanh(x + linear(inner, p.u))
            x_r, x_z, x_n = linear(inner, p.w_gru, p.b_gru).chunk(3)
            h_r, h_z, h_n = linear(h, p.u_gru).chunk(3)
            z = torch.sigmoid(x_z + h_z)
            n = torch.tanh(x_n + torch.sigmoid(x_r + h_r) * h_n)
            h = (1 - z) * n + z * h
        logits = linear(h, self.p.w_out, self.p.b_out)
        return cross_entropy(logits, torch.tensor(given.label), reduction="sum")
