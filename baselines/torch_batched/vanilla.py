"""Vanilla RNN over packed sequences: h' = tanh(x W + h U + b).

All inputs are projected in one product; a step then adds the recurrent product to its rows of the
projection and applies the activation in place, so that the states are packed like the items, and
the previous states of a step are the first rows of the step before. As torch's tanh is slow, the
state stored is s = sigmoid(2 z), h = 2 s - 1; the factors, exact in floating point, and the sum
over U's rows are folded into weights and bias.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from .weights import Weights

# Weights that read a state in its stored form, and the resulting addition to the bias.
Fold = tuple[np.ndarray, np.ndarray]


class VanillaRNN:
    """A vanilla RNN with weights W [I, H], U [H, H], b [H], named `name`."""

    # For subclasses that run several steps at once: the sequences are the same in `chunk` steps
    # (see `pack`).
    chunk = 1

    def __init__(
        self, weights: Weights, name: str, w: np.ndarray, u: np.ndarray, b: np.ndarray
    ) -> None:
        folded = (2 * (b.astype(np.float64) - u.sum(0, dtype=np.float64))).astype(np.float32)
        self.project = weights.linear(f"{name}_input", 2 * w, folded)
        self.recur = weights.sum(f"{name}_state", 4 * u)

    @staticmethod
    def fold(w: np.ndarray) -> Fold:
        """Return the weights that read states s in place of w [H, N], which reads h = 2 s - 1, and
        the addition to the bias."""
        return 2 * w, -w.sum(0, dtype=np.float64)

    @staticmethod
    def state_of(h: torch.Tensor) -> torch.Tensor:
        """Return a state as it is stored."""
        return h.add(1).mul_(0.5)

    def read(self, emb: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
        """Return the projections, [words, H], of the rows `words` of `emb`."""
        return self.project(emb.index_select(0, words))

    def step(self, s: torch.Tensor, rows: torch.Tensor) -> None:
        """Turn projections `rows` [chunk n, H] into states, in place, step by step, starting from
        the states `s` [n, H]."""
        torch.sigmoid(self.recur(s, rows), out=rows)

    def steps(self, z: torch.Tensor, counts: Sequence[int], first: torch.Tensor) -> torch.Tensor:
        """Replace the projections `z` [items, H] by the states, and return them. `counts` as in
        `Packed`; `first` [sequences, H] are the states before the first step."""
        s, at = first, 0
        for n in counts[:: self.chunk]:
            end = at + n * self.chunk
            rows = z[at:end]
            self.step(s[:n], rows)
            s, at = rows if self.chunk == 1 else rows[-n:], end
        return z
