"""Nested RNN, all documents in step, sentence by sentence and word by word; finished documents are
left out.

Documents are sorted by their numbers of sentences, so that those with a k-th sentence come first;
the k-th sentences are packed by length. Every word that occurs is projected once, however often it
occurs; a sentence's projections are gathered just before it is read.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from .library import LibraryRNN
from .packing import distinct_words, pack
from .vanilla import VanillaRNN
from .weights import Weights


def flatten(instances: Sequence[Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return all words, the lengths of all sentences, and the sentence counts of the documents."""
    sentences = [s for d in instances for s in d.sentences]
    words = np.fromiter(itertools.chain.from_iterable(sentences), np.int64)
    lengths = np.array([len(s) for s in sentences], np.int64)
    return words, lengths, np.array([len(d.sentences) for d in instances], np.int64)


@dataclass(frozen=True, slots=True)
class _Iteration:
    """The k-th sentences of all documents that have one: their packed words, as numbers of
    distinct words; the documents in the order of the packed sentences; and the rows of the
    documents' last states."""

    counts: list[int]
    words: torch.Tensor
    order: torch.Tensor
    ends: torch.Tensor


class Batched:
    """The inner RNN and the outer GRU."""

    inner: type[VanillaRNN | LibraryRNN] = VanillaRNN

    def __init__(
        self, params: Any, form: tuple[np.ndarray, np.ndarray, np.ndarray], weights: Weights
    ) -> None:
        self.words, self.lengths, self.counts = form
        self.weights = weights
        self.emb = weights.place.weight(params.emb)
        self.hidden = params.emb.shape[1]
        self.rnn = self.inner(self.weights, "inner", params.w, params.u, params.b)
        w_gru, more = self.inner.fold(params.w_gru)
        self.gru_x = self.weights.linear(
            "gru_input", w_gru, (params.b_gru + more).astype(np.float32)
        )
        self.gru_h = self.weights.linear("gru_state", params.u_gru)

    def assemble(self) -> None:
        """Sort the documents, and pack their first sentences, their second ones, and so on."""
        order = np.argsort(-self.counts, kind="stable")
        first = (np.cumsum(self.counts) - self.counts)[order]
        starts = np.cumsum(self.lengths) - self.lengths
        counts = self.counts[order]
        distinct, number = distinct_words(self.words, len(self.emb))
        arrays, steps = [np.argsort(order), distinct], []
        for k in range(int(counts.max(initial=0))):
            running = int(np.searchsorted(-counts, -k, side="left"))
            at = first[:running] + k
            packed = pack(self.lengths[at], starts[at], chunk=self.inner.chunk)
            if len(packed.items) == 0 or packed.counts[0] < running:
                raise ValueError(f"a document's sentence {k} is empty; this model reads words")
            # Rank i of the packed sentences ends at the i-th item of its last step.
            ends = np.array(packed.first)[self.lengths[at][packed.order] - 1] + np.arange(running)
            steps.append(packed.counts)
            arrays += [number[packed.items], packed.order, ends[np.argsort(packed.order)]]
        self.place, self.distinct, *parts = self.weights.place.put(*arrays)
        iterations = zip(steps, parts[::3], parts[1::3], parts[2::3], strict=True)
        self.iterations = [_Iteration(*iteration) for iteration in iterations]
        self.n_nodes = len(self.words) + len(self.lengths)
        self.n_batches = sum(len(iteration.counts) + 1 for iteration in self.iterations)

    def compute(self) -> None:
        """Compute the last states, [documents, H], in input order."""
        h = self.emb.new_zeros(len(self.counts), self.hidden)
        projected = self.rnn.read(self.emb, self.distinct)
        for iteration in self.iterations:
            mine = h[: len(iteration.order)]
            z = projected.index_select(0, iteration.words)
            first = self.rnn.state_of(mine.index_select(0, iteration.order))
            states = self.rnn.steps(z, iteration.counts, first)
            mine.copy_(self.gru(states, iteration.ends, mine))
        self.last = h.index_select(0, self.place)

    def gru(self, z: torch.Tensor, ends: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        """Return the documents' next states [n, H] from their previous states `h` and the rows
        `ends` [n] of the inner states `z`."""
        hidden = self.hidden
        x = self.gru_x(z.index_select(0, ends))
        old = self.gru_h(h)
        r, update = x[:, : 2 * hidden].add_(old[:, : 2 * hidden]).sigmoid_().chunk(2, 1)
        new = torch.addcmul(x[:, 2 * hidden :], r, old[:, 2 * hidden :]).tanh_()
        return torch.lerp(new, h, update)

    def results(self) -> list[np.ndarray]:
        """Return one state per document."""
        return list(self.weights.place.get(self.last))


class Library(Batched):
    """One sentence of every document per call of `nn.RNN`."""

    inner = LibraryRNN
