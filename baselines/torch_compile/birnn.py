"""BiRNN: lookup with projection, the steps, and the classifier of all tokens are regions."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn

from ..torch_batched import birnn
from ..torch_batched.weights import Weights
from .regions import region
from .vanilla import CompiledRNN


class Compiled(birnn.Batched):
    """Both directions and the classifier."""

    rnn = CompiledRNN

    def __init__(self, params: Any, form: tuple[np.ndarray, np.ndarray], weights: Weights) -> None:
        super().__init__(params, form, weights)
        self.classify = region(Classify(self.out))


class Classify(nn.Module):
    def __init__(self, out: list[Any]) -> None:
        super().__init__()
        self.forward_out, self.backward_out = out

    def forward(
        self, z_f: torch.Tensor, z_b: torch.Tensor, at_f: torch.Tensor, at_b: torch.Tensor
    ) -> torch.Tensor:
        both = self.forward_out(z_f).index_select(0, at_f)
        return torch.softmax(both + self.backward_out(z_b).index_select(0, at_b), 1)
