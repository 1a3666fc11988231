"""StackRNN: the regions of the buffer's RNN, and one each to score, reduce and read a phrase."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn

from ..torch_batched import stackrnn
from ..torch_batched.weights import Weights
from .regions import region
from .vanilla import CompiledRNN

# The regions are functions from tensors to tensors, so they can be CUDA graphs.
GRAPHS = True


class Compiled(stackrnn.Batched):
    """All parsers in step."""

    rnn = CompiledRNN

    def __init__(self, params: Any, form: tuple[np.ndarray, np.ndarray], weights: Weights) -> None:
        super().__init__(params, form, weights)
        self.score = region(Score(self.action))
        self.reduce = region(Reduce(self.compose))
        self.read = region(Read(self.push))


class Score(nn.Module):
    def __init__(self, action: Any) -> None:
        super().__init__()
        self.action = action

    def forward(
        self, states: torch.Tensor, top: torch.Tensor, ahead: torch.Tensor, rest: torch.Tensor
    ) -> torch.Tensor:
        both = torch.cat([states.index_select(0, top), ahead.index_select(0, rest)], 1)
        scores: torch.Tensor = self.action(both)
        return scores


class Reduce(nn.Module):
    def __init__(self, compose: Any) -> None:
        super().__init__()
        self.compose = compose

    def forward(self, phrases: torch.Tensor, pairs: torch.Tensor) -> torch.Tensor:
        parts = [phrases.index_select(0, pairs[:, side]) for side in (0, 1)]
        phrase: torch.Tensor = self.compose(torch.cat(parts, 1))
        return phrase


class Read(nn.Module):
    def __init__(self, push: Any) -> None:
        super().__init__()
        self.push = push

    def forward(self, states: torch.Tensor, below: torch.Tensor, new: torch.Tensor) -> torch.Tensor:
        state: torch.Tensor = self.push(torch.cat([states.index_select(0, below), new], 1))
        return state
