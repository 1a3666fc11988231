"""Loss of every document's class: all documents in step, sentence by sentence and word by word;
finished documents are left out.

Documents are sorted by their numbers of sentences; the k-th sentences are packed by length. All
words are projected beforehand.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.nn.functional import cross_entropy, embedding

from ..packing import pack

TURNED = ()
# For each document: the words of its sentences, and its class.
Form = list[tuple[list[np.ndarray], int]]


def flatten(instances: Sequence[Any]) -> Form:
    """Return words and labels."""
    return [
        ([np.array(s, np.int64) for s in given.document.sentences], given.label)
        for given in instances
    ]


def chosen(form: Form, which: np.ndarray) -> Form:
    """Select some documents by number."""
    return [form[i] for i in which]


@dataclass(frozen=True, slots=True)
class _Iteration:
    """The k-th sentences of all documents that have one: their packed words, the documents in the
    order of the packed sentences, and the rows of the documents' last states."""

    counts: list[int]
    items: torch.Tensor
    order: torch.Tensor
    ends: torch.Tensor


class BatchedLoss:
    """The loss; `p` has the weights as leaves, with matrices as [in, out]."""

    def __init__(self, p: Any, form: Form) -> None:
        self.p, self.form = p, form

    def assemble(self) -> None:
        """Sort the documents, and pack their first sentences, their second ones, and so on."""
        counts = np.array([len(sentences) for sentences, _ in self.form])
        sentences = list(itertools.chain.from_iterable(of for of, _ in self.form))
        lengths = np.array([len(s) for s in sentences])
        order = np.argsort(-counts, kind="stable")
        first, counts = (np.cumsum(counts) - counts)[order], counts[order]
        starts = np.cumsum(lengths) - lengths
        self.iterations = []
        for k in range(int(counts[0])):
            at = first[: int(np.searchsorted(-counts, -k, side="left"))] + k
            packed = pack(lengths[at], starts[at])
            # Rank i of the packed sentences ends at the i-th item of its last step.
            last = np.array(packed.first)[lengths[at][packed.order] - 1] + np.arange(len(at))
            parts = (packed.items, packed.order, last[np.argsort(packed.order)])
            self.iterations.append(_Iteration(packed.counts, *map(torch.from_numpy, parts)))
        self.words = torch.from_numpy(np.concatenate(sentences))
        self.place = torch.from_numpy(np.argsort(order))
        self.labels = torch.tensor([label for _, label in self.form])
        self.n_nodes = len(self.words) + len(sentences)
        self.n_batches = sum(len(iteration.counts) + 1 for iteration in self.iterations)

    def compute(self) -> torch.Tensor:
        """Compute the losses, [documents]."""
        p = self.p.inner
        hidden = p.emb.shape[1]
        projected = torch.addmm(p.b, embedding(self.words, p.emb, sparse=True), p.w)
        h = projected.new_zeros(len(self.form), hidden)
        for iteration in self.iterations:
            mine, finished = h.split([len(iteration.order), len(h) - len(iteration.order)])
            z = projected.index_select(0, iteration.items)
            s = mine.index_select(0, iteration.order)
            states = []
            for rows in z.split(iteration.counts):
                s = torch.tanh(torch.addmm(rows, s[: len(rows)], p.u))
                states.append(s)
            inner = torch.cat(states).index_select(0, iteration.ends)
            x = torch.addmm(p.b_gru, inner, p.w_gru)
            old = torch.mm(mine, p.u_gru)
            gates = torch.sigmoid(x[:, : 2 * hidden] + old[:, : 2 * hidden])
            r, update = gates.chunk(2, 1)
            new = torch.tanh(x[:, 2 * hidden :] + r * old[:, 2 * hidden :])
            h = torch.cat((torch.lerp(new, mine, update), finished))
        logits = torch.addmm(self.p.b_out, h.index_select(0, self.place), self.p.w_out)
        return cross_entropy(logits, self.labels, reduction="none")
