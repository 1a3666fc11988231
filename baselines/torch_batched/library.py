"""Vanilla RNN through `nn.RNN` on packed sequences: on a GPU cuDNN's, one call for all steps."""

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
    """`nn.RNN` with the weights of one direction or two, without gradients; its second bias is
    zero."""
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
    """The states [items, directions H] after packed items `x` [items, I]; `counts` as in `Packed`.
    `first` [directions, sequences, H] are the states before, zeros by default."""
    if len(x) == 0:
        return x.new_empty(0, rnn.hidden_size * (1 + rnn.bidirectional))
    if first is None:
        first = x.new_zeros(1 + rnn.bidirectional, counts[0], rnn.hidden_size)
    # The steps' counts stay on the host; cuDNN takes no state that is expanded from one.
    states: torch.Tensor = rnn(PackedSequence(x, torch.tensor(counts)), first.contiguous())[0].data
    return states


class LibraryRNN:
    """As `VanillaRNN`; the states kept are h itself, and inputs are projected by the library."""

    chunk = 1

    def __init__(
        self, weights: Weights, name: str, w: np.ndarray, u: np.ndarray, b: np.ndarray
    ) -> None:
        self.rnn = module_of(weights.place, (w, u, b))

    @staticmethod
    def fold(w: np.ndarray) -> Fold:
        """Weights for reading the states in place of w [H, N], and what to add to the bias."""
        return w, np.zeros(w.shape[1])

    @staticmethod
    def state_of(h: torch.Tensor) -> torch.Tensor:
        """A state as it is kept."""
        return h

    def read(self, emb: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        """Rows of `emb`, [words, I]."""
        return emb.index_select(0, words)

    def steps(self, x: torch.Tensor, counts: Sequence[int], first: torch.Tensor) -> torch.Tensor:
        """The states [items, H] after items `x` [items, I], from the states `first` [n, H]."""
        return run_packed(self.rnn, x, counts, first[None])
