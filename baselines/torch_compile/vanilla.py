"""Vanilla RNN in two regions: lookup with projection, and several steps.

Calling a compiled region takes longer than a step on few rows, so the region has a fixed number of
unrolled steps; sequences are padded to a multiple of that number by repeating inputs.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from ..torch_batched.vanilla import VanillaRNN
from ..torch_batched.weights import Weights
from .regions import region


class CompiledRNN(VanillaRNN):
    """`VanillaRNN` with compiled regions, in the same folded form."""

    chunk = 8

    def __init__(
        self, weights: Weights, name: str, w: np.ndarray, u: np.ndarray, b: np.ndarray
    ) -> None:
        super().__init__(weights, name, w, u, b)
        self.compiled_read, self.compiled_step = region(Read(self)), region(Steps(self))

    def read(self, emb: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        z: torch.Tensor = self.compiled_read(emb, words)
        return z

    def step(self, s: torch.Tensor, rows: torch.Tensor) -> None:
        self.compiled_step(s, rows)


class Read(nn.Module):
    def __init__(self, rnn: VanillaRNN) -> None:
        super().__init__()
        self.project = rnn.project

    def forward(self, emb: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        z: torch.Tensor = self.project(emb.index_select(0, words))
        return z


class Steps(nn.Module):
    def __init__(self, rnn: VanillaRNN) -> None:
        super().__init__()
        self.recur, self.chunk = rnn.recur, rnn.chunk

    def forward(self, s: torch.Tensor, rows: torch.Tensor) -> None:
        states = []
        for z in rows.view(self.chunk, s.shape[0], -1).unbind(0):
            s = torch.sigmoid(self.recur(s, z))
            states.append(s)
        rows.copy_(torch.cat(states))
