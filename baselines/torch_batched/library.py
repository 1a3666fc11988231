"""Vanilla RNN through `nn.RNN` on packed sequences: one call for all steps, cuDNN's on a GPU."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence

from ..shared.place import Place
from .vanilla import Fold
from .weights import Weights

# W [I, H], U [H, H] and b [H] of h' = tanh(x W + h U + b).
Direction = tuple[np.ndarray, np.ndarray, np.ndarray]


def module_of(place: Place, *directions: Direction) -> nn.RNN:
    """Return an `nn.RNN` with the weights of one or two directions, without gradients; its second
    bias is zero."""
    w, u, _ = directions[0]
    rnn = nn.RNN(*w.shape, bidirectional=len(directions) == 2, device=place.device)
    for suffix, (w, u, b) in zip(("", "_reverse"), directions, strict=False):
        values = {"weight_ih": w.T, "weight_hh": u.T, "bias_ih": b, "bias_hh": np.zeros_like(b)}
        for name, value in values.items():
            getattr(rnn, f"{name}_l0{suffix}").copy_(place.weight(value))
    return rnn.eval()


def run_packed(
    rnn: nn.RNN, x: torch.Tensor, counts: Sequence[int], first: torch.Tensor | None = None
) -> torch.Tensor:
    """Return the states [items, directions H] after packed items `x` [items, I]; `counts` as in
    `Packed`. `first` [directions, sequences, H] are the initial states, zeros by default."""
    if len(x) == 0:
        return x.new_empty(0, rnn.hidden_size * (1 + rnn.bidirectional))
    if first is None:
        first = x.new_zeros(1 + rnn.bidirectional, counts[0], rnn.hidden_size)
    # The steps' counts stay on the host; cuDNN does not accept an initial state made by `expand`.
    states: torch.Tensor = rnn(PackedSequence(x, torch.tensor(counts)), first.contiguous())[0].data
    return states


class LibraryRNN:
    """Like `VanillaRNN`, but it stores h itself, and the library projects the inputs."""

    chunk = 1

    def __init__(
        self, weights: Weights, name: str, w: np.ndarray, u: np.ndarray, b: np.ndarray
    ) -> None:
        self.rnn = module_of(weights.place, (w, u, b))

    @staticmethod
    def fold(w: np.ndarray) -> Fold:
        """Return the weights that read stored states in place of w [H, N], and a bias term."""
        return w, np.zeros(w.shape[1])

    @staticmethod
    def state_of(h: torch.Tensor) -> torch.Tensor:
        """Return a state as it is stored."""
        return h

    def read(self, emb: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        """Return the rows `words` of `emb`, [words, I]."""
        return emb.index_select(0, words)

    def steps(self, x: torch.Tensor, counts: Sequence[int], first: torch.Tensor) -> torch.Tensor:
        """Return the states [items, H] after items `x` [items, I], starting at `first` [n, H]."""
        return run_packed(self.rnn, x, counts, first[None])
