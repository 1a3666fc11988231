"""Adaptive computation time, all documents in step.

A sentence's encoding does not depend on the document's state, so all sentences of all documents are
read at once, packed. The documents then ponder sentence by sentence: every step runs the documents
that have not halted yet, and transfers their halting probabilities to the host at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from workloads.other.act import ENOUGH, MOST_STEPS

from .nestedrnn import flatten
from .packing import pack
from .vanilla import VanillaRNN
from .weights import Weights

__all__ = ["Batched", "flatten"]


class Batched:
    """The RNN that reads the sentences, and the one that ponders."""

    def __init__(
        self, params: Any, form: tuple[np.ndarray, np.ndarray, np.ndarray], weights: Weights
    ) -> None:
        self.words, self.lengths, self.counts = form
        self.weights = weights
        self.emb = weights.place.weight(params.emb)
        self.hidden = params.emb.shape[1]
        self.reader = VanillaRNN(weights, "read", params.w, params.u, params.b)
        w_x, w_s = np.split(params.w_ponder, 2)
        # A sentence's contribution is the same in every step.
        w_x, more = self.reader.fold(w_x)
        self.ponder_x = weights.linear(
            "ponder_input", w_x, (params.b_ponder + more).astype(np.float32)
        )
        self.ponder_s = weights.sum("ponder_state", w_s)
        self.halt = weights.linear("halt", params.w_halt, params.b_halt, "sigmoid")
        self.nothing = self.emb.new_zeros(1, self.hidden)

    def assemble(self) -> None:
        """Pack the words of all sentences, and find where each sentence ends among them."""
        starts = np.cumsum(self.lengths) - self.lengths
        packed = pack(self.lengths, starts)
        self.steps = packed.counts
        places = packed.places(len(self.words))
        self.inputs, self.ends = self.weights.place.put(
            self.words[packed.items], places[starts + self.lengths - 1]
        )

    def compute(self) -> None:
        """Compute the documents' last states, [documents, H]."""
        place, first = self.weights.place, np.cumsum(self.counts) - self.counts
        zero = self.reader.state_of(self.nothing).expand(len(self.lengths), -1)
        read = self.reader.steps(self.reader.read(self.emb, self.inputs), self.steps, zero)
        sentences = self.ponder_x(read.index_select(0, self.ends))
        self.last = sentences.new_zeros(len(self.counts), self.hidden)
        self.n_nodes, self.n_batches = len(self.words), len(self.steps) + 1
        for k in range(int(self.counts.max(initial=0))):
            documents = np.flatnonzero(self.counts > k)
            rows, mine = place.put(documents, first[documents] + k)
            new = self.ponder(sentences.index_select(0, mine), self.last.index_select(0, rows))
            self.last.index_copy_(0, rows, new)

    def ponder(self, x: torch.Tensor, state: torch.Tensor) -> torch.Tensor:
        """Return the next states [n, H]; the documents' sentences add `x` [n, H] to every step."""
        place, n = self.weights.place, len(x)
        total, running = np.zeros(n), np.arange(n)
        mean = torch.zeros_like(state)
        at: torch.Tensor | None = None
        for step in range(MOST_STEPS):
            state = torch.tanh(self.ponder_s(state, x))
            halt = place.get(self.halt(state))[:, 0].astype(np.float64)
            self.n_nodes += len(running)
            self.n_batches += 1
            enough = total[running] + halt > ENOUGH
            last = step + 1 == MOST_STEPS
            # At the step limit the total includes this step's probability as well; the state's
            # share is that probability plus the remainder.
            share = np.where(enough, 1 - total[running], halt)
            total[running] += np.where(enough, 0.0, halt)
            if last:
                share = np.where(enough, share, halt + 1 - total[running])
            (bits,) = place.put(share.view(np.int64))
            weight = bits.view(torch.float64).float()[:, None]
            if at is None:
                mean.addcmul_(state, weight)
            else:
                mean.index_add_(0, at, state * weight)
            stay = np.flatnonzero(~enough)
            if last or len(stay) == 0:
                break
            if len(stay) < len(running):
                running = running[stay]
                keep, at = place.put(stay, running)
                x, state = x.index_select(0, keep), state.index_select(0, keep)
        return mean

    def results(self) -> list[np.ndarray]:
        """One state per document."""
        return list(self.weights.place.get(self.last))
