"""Nested RNN: the regions are those of the inner RNN, and the GRU's whole cell as one."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn

from ..torch_batched import nestedrnn
from ..torch_batched.weights import Weights
from .regions import region
from .vanilla import CompiledRNN


class Compiled(nestedrnn.Batched):
    """The inner RNN and the outer GRU."""

    inner = CompiledRNN

    def __init__(
        self, params: Any, form: tuple[np.ndarray, np.ndarray, np.ndarray], weights: Weights
    ) -> None:
        super().__init__(params, form, weights)
        self.gru = region(GRU(self.gru_x, self.gru_h))


class GRU(nn.Module):
    def __init__(self, gru_x: Any, gru_h: Any) -> None:
        super().__init__()
        self.gru_x, self.gru_h = gru_x, gru_h

    def forward(self, z: torch.Tensor, ends: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        r_x, update_x, new_x = self.gru_x(z.index_select(0, ends)).chunk(3, 1)
        r_h, update_h, new_h = self.gru_h(h).chunk(3, 1)
        r, update = torch.sigmoid(r_x + r_h), torch.sigmoid(update_x + update_h)
        return torch.lerp(torch.tanh(new_x + r * new_h), h, update)
