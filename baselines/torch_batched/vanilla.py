"""Vanilla RNN over packed sequences: h' = tanh(x W + h U + b).

All inputs are projected in one product; a step then adds the recurrent product to its rows of the
projection and applies the activation in place, so that the states lie packed like the items, and
the previous states of a step are the first rows of the step before. torch's tanh is slow: the state
kept is s = sigmoid(2 z), h = 2 s - 1, with the factors, exact in floating point, and the sum over
U's rows folded into weights and bias.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from .weights import Weights

# Weights that read a state in the form in which it is kept, and what that adds to the bias.
Fold = tuple[np.ndarray, np.ndarray]


class VanillaRNN:
    """Weights W [I, H], U [H, H], b [H] under `name`."""

    # The sequences are the same in so many steps (`pack`), for those who do them at once.
    chunk = 1

    def __init__(
        self, weights: Weights, name: str, w: np.ndarray, u: np.ndarray, b: np.ndarray
    ) -> None:
        folded = (2 * (b.astype(np.float64) - u.sum(0, dtype=np.float64))).astype(np.float32)
        self.project = weights.linear(f"{name}_input", 2 * w, folded)
        self.recur = weights.sum(f"{name}_state", 4 * u)

    @staticmethod
    def fold(w: np.ndarray) -> Fold:
        """Weights for reading the states s in place of w [H, N] for h, and what to add to the bias:
        h = 2 s - 1."""
        return 2 * w, -w.sum(0, dtype=np.float64)

    @staticmethod
    def state_of(h: torch.Tensor) -> torch.Tensor:
        """A state as it is kept."""
        return h.add(1).mul_(0.5)

    def read(self, emb: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        """The projections of `words`, [words, H], rows of `emb`."""
        return self.project(emb.index_select(0, words))

    def step(self, s: torch.Tensor, rows: torch.Tensor) -> None:
        """Turn projections `rows` [chunk n, H] into states, in place, after the states `s` [n, H]:
        one step after the other."""
        torch.sigmoid(self.recur(s, rows), out=rows)

    def steps(self, z: torch.Tensor, counts: Sequence[int], first: torch.Tensor) -> torch.Tensor:
        """The states [items, H] of projections `z` [items, H], which they replace. `counts` as in
        `Packed`; `first` [sequences, H] are the states before the first step."""
        s, at = first, 0
        for n in counts[:: self.chunk]:
            end = at + n * self.chunk
            rows = z[at:end]
            self.step(s[:n], rows)
            s, at = rows if self.chunk == 1 else rows[-n:], end
        return z
