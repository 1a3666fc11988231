"""BiRNN over packed sequences: each direction is one projection of all words and a product per
step over the sequences that are still running; then all tokens are classified at once.

The classifier is applied to each direction separately, so that only 16 numbers per token, not two
states, have to be brought into a common order.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from .library import module_of, run_packed
from .packing import pack
from .vanilla import VanillaRNN
from .weights import Weights


def flatten(instances: Sequence[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return all words, and the lengths of the sentences."""
    lengths = np.array([len(s) for s in instances], np.int64)
    return np.fromiter(itertools.chain.from_iterable(instances), np.int64), lengths


class Batched:
    """Both directions and the classifier."""

    rnn: type[VanillaRNN] = VanillaRNN

    def __init__(self, params: Any, form: tuple[np.ndarray, np.ndarray], weights: Weights) -> None:
        self.words, self.lengths = form
        self.weights = weights
        self.emb = weights.place.weight(params.emb)
        self.start = self.rnn.state_of(self.emb.new_zeros(1, params.emb.shape[1]))
        self.directions = [
            self.rnn(self.weights, name, d.w, d.u, d.b)
            for name, d in (("forward", params.forward), ("backward", params.backward))
        ]
        w_out, more = self.rnn.fold(params.w_out)
        w_f, w_b = np.split(w_out, 2)
        self.out = [
            self.weights.linear("forward_out", w_f, (params.b_out + more).astype(np.float32)),
            self.weights.linear("backward_out", w_b),
        ]

    def assemble(self) -> None:
        """Pack both directions, and find each token's state in them."""
        starts = np.cumsum(self.lengths) - self.lengths
        chunk = self.rnn.chunk
        both = [pack(self.lengths, starts, backwards, chunk) for backwards in (False, True)]
        self.counts = both[0].counts
        found = self.weights.place.put(
            *(self.words[p.items] for p in both), *(p.places(len(self.words)) for p in both)
        )
        self.inputs, self.places = found[:2], found[2:]
        self.n_nodes = 3 * len(self.words)
        self.n_batches = 2 * len(self.counts) + 1

    def compute(self) -> None:
        """Compute the distributions of all tokens, [tokens, C], in the order of the words."""
        states = []
        start = self.start.expand(len(self.lengths), -1)
        for rnn, words in zip(self.directions, self.inputs, strict=True):
            z = rnn.read(self.emb, words)
            states.append(rnn.steps(z, self.counts, start))
        self.labels = self.classify(*states, *self.places)

    def classify(
        self, z_f: torch.Tensor, z_b: torch.Tensor, at_f: torch.Tensor, at_b: torch.Tensor
    ) -> torch.Tensor:
        """Return distributions [tokens, C] from the packed states of both directions, [tokens, H],
        and each token's position in them, [tokens]."""
        forward, backward = (out(z) for out, z in zip(self.out, (z_f, z_b), strict=True))
        return torch.softmax(forward.index_select(0, at_f).add_(backward.index_select(0, at_b)), 1)

    def results(self) -> list[list[np.ndarray]]:
        """Return, for each sentence, the list of its tokens' distributions."""
        ends = np.cumsum(self.lengths)[:-1]
        return [list(rows) for rows in np.split(self.weights.place.get(self.labels), ends)]


class Library(Batched):
    """Both directions in one call of `nn.RNN`."""

    def __init__(self, params: Any, form: tuple[np.ndarray, np.ndarray], weights: Weights) -> None:
        self.words, self.lengths = form
        self.weights = weights
        self.emb = weights.place.weight(params.emb)
        directions = ((d.w, d.u, d.b) for d in (params.forward, params.backward))
        self.module = module_of(weights.place, *directions)
        self.label = weights.linear("out", params.w_out, params.b_out)

    def assemble(self) -> None:
        """Pack the sentences, and find each token's states."""
        packed = pack(self.lengths, np.cumsum(self.lengths) - self.lengths)
        self.counts = packed.counts
        self.inputs = self.weights.place.put(
            self.words[packed.items], packed.places(len(self.words))
        )
        self.n_nodes = 3 * len(self.words)
        self.n_batches = 2 * len(self.counts) + 1

    def compute(self) -> None:
        """Compute the distributions of all tokens, [tokens, C], in the order of the words."""
        words, at = self.inputs
        states = run_packed(self.module, self.emb.index_select(0, words), self.counts)
        self.labels = torch.softmax(self.label(states).index_select(0, at), 1)
