"""Tagging loss over all tokens: both directions over packed sequences, then all tokens at once.

A direction is one projection of all words, a product per step over the sequences that are still
running, and one gather at its end.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn.functional import cross_entropy, embedding

from ..packing import pack

TURNED = ()
# All words, the lengths of the sentences, and all tags.
Form = tuple[np.ndarray, np.ndarray, np.ndarray]


def flatten(instances: Sequence[Any]) -> Form:
    """Return words, lengths and tags."""
    lengths = np.array([len(s.words) for s in instances], np.int64)
    words, tags = (
        np.fromiter(itertools.chain.from_iterable(items), np.int64)
        for items in ((s.words for s in instances), (s.tags for s in instances))
    )
    return words, lengths, tags


def chosen(form: Form, which: np.ndarray) -> Form:
    """Select some sentences by number."""
    words, lengths, tags = form
    ends = np.cumsum(lengths)
    places = np.concatenate([np.arange(ends[i] - lengths[i], ends[i]) for i in which])
    return words[places], lengths[which], tags[places]


class BatchedLoss:
    """The loss; `p` has the weights as leaves, with matrices as [in, out]."""

    def __init__(self, p: Any, form: Form) -> None:
        self.p, (self.words, self.lengths, self.tags) = p, form

    def assemble(self) -> None:
        """Pack both directions, and find each token's state in them."""
        starts = np.cumsum(self.lengths) - self.lengths
        both = [pack(self.lengths, starts, backwards) for backwards in (False, True)]
        self.counts = both[0].counts
        self.items = [torch.from_numpy(p.items) for p in both]
        self.places = [torch.from_numpy(p.places(len(self.words))) for p in both]
        self.tokens, self.labels = torch.from_numpy(self.words), torch.from_numpy(self.tags)
        sentences = np.repeat(np.arange(len(self.lengths)), self.lengths)
        self.sentences = torch.from_numpy(sentences)
        self.n_nodes, self.n_batches = 3 * len(self.words), 2 * len(self.counts) + 1

    def compute(self) -> torch.Tensor:
        """Compute the sums of the tokens' losses, [sentences]."""
        p = self.p
        x = embedding(self.tokens, p.emb, sparse=True)
        both = [
            self.states(d, x.index_select(0, items)).index_select(0, places)
            for d, items, places in zip(
                (p.forward, p.backward), self.items, self.places, strict=True
            )
        ]
        logits = torch.addmm(p.b_out, torch.cat(both, 1), p.w_out)
        found = cross_entropy(logits, self.labels, reduction="none")
        return found.new_zeros(len(self.lengths)).index_add(0, self.sentences, found)

    def states(self, d: Any, x: torch.Tensor) -> torch.Tensor:
        """Return the states [items, H] after packed items `x` [items, H]."""
        z = torch.addmm(d.b, x, d.w)
        h = z.new_zeros(self.counts[0], z.shape[1])
        found = []
        for rows in z.split(self.counts):
            h = torch.tanh(torch.addmm(rows, h[: len(rows)], d.u))
            found.append(h)
        return torch.cat(found)
