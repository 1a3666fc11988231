"""DRNN: a wave's outputs, and the states that it passes down and to the right, are regions."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn

from ..torch_batched import drnn
from ..torch_batched.weights import Weights
from .regions import region

# The regions are functions from tensors to tensors, so they can be CUDA graphs.
GRAPHS = True


class Compiled(drnn.Batched):
    """The cell of one wave."""

    def __init__(self, params: Any, form: tuple[np.ndarray, np.ndarray], weights: Weights) -> None:
        super().__init__(params, form, weights)
        self.compiled_wave = region(Wave(self))
        self.down, self.right = region(Pass(self.ancestral)), region(Pass(self.fraternal))

    def wave(
        self, h_a: torch.Tensor, h_f: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        # The first wave's `h_f` is expanded; other strides would need a compilation of their own.
        found: tuple[torch.Tensor, torch.Tensor, torch.Tensor]
        found = self.compiled_wave(h_a, h_f.contiguous())
        return found


class Wave(nn.Module):
    def __init__(self, net: drnn.Batched) -> None:
        super().__init__()
        self.predict, self.output, self.labels = net.predict, net.output, net.labels
        self.n_labels = net.n_labels

    def forward(
        self, h_a: torch.Tensor, h_f: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        scores = self.output(self.predict(torch.cat([h_a, h_f], 1)))
        label = torch.softmax(scores[:, : self.n_labels], 1)
        return label, self.labels(label), torch.sigmoid(scores[:, self.n_labels :])


class Pass(nn.Module):
    def __init__(self, cell: Any) -> None:
        super().__init__()
        self.cell = cell

    def forward(self, h: torch.Tensor, x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        state: torch.Tensor = self.cell(
            torch.cat([h.index_select(0, rows), x.index_select(0, rows)], 1)
        )
        return state
