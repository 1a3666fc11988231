"""Adaptive computation time document by document; a sentence's input projection in one call."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import linear

from workloads.other.act import ENOUGH, MOST_STEPS

from .weights import as_torch


class Net:
    """A network that decides by `.item()` when to stop pondering."""

    def __init__(self, params: Any, device: str) -> None:
        self.device = device
        self.p = as_torch(params, ("w", "u", "w_ponder", "w_halt"), device)

    def __call__(self, document: Any) -> torch.Tensor:
        state = torch.zeros_like(self.p.b)
        for words in document.sentences:
            state = self.ponder(self.read(words), state)
        return state

    def read(self, words: list[int]) -> torch.Tensor:
        """Return the last state of a sentence."""
        p = self.p
        h = torch.zeros_like(p.b)
        for x in linear(p.emb[torch.tensor(words, device=self.device)], p.w, p.b):
            h = torch.tanh(x + linear(h, p.u))
        return h

    def ponder(self, x: torch.Tensor, state: torch.Tensor) -> torch.Tensor:
        """Return the document's next state."""
        p, total, mean = self.p, 0.0, torch.zeros_like(state)
        for _ in range(MOST_STEPS):
            state = torch.tanh(linear(torch.cat((x, state)), p.w_ponder, p.b_ponder))
            halt = torch.sigmoid(linear(state, p.w_halt, p.b_halt)).item()
            if total + halt > ENOUGH:
                break
            mean = mean + state * halt
            total += halt
        return mean + state * (1 - total)
