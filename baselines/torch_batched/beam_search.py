"""Beam search, all sentences in step: the hypotheses of all beams are the rows of a product.

The sources are read packed; attention reads them padded to the longest, with a mask. On the device,
a step takes the two likeliest next words of every hypothesis, and keeps the two best candidates of
every beam. The chosen words come to the host in one transfer per step, and finished sentences are
removed.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from workloads.other.beam_search import BEGIN, END, REWARD

from .packing import pack
from .vanilla import VanillaRNN
from .weights import Weights

# Below every real score.
_NEVER = -1e30


def flatten(instances: Sequence[Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return all words, the lengths of the sentences, and the limits."""
    words = np.fromiter(itertools.chain.from_iterable(s.words for s in instances), np.int64)
    lengths = np.array([len(s.words) for s in instances], np.int64)
    return words, lengths, np.array([s.limit for s in instances], np.int64)


class Batched:
    """The RNN that reads, and the one that writes."""

    def __init__(
        self, params: Any, form: tuple[np.ndarray, np.ndarray, np.ndarray], weights: Weights
    ) -> None:
        self.words, self.lengths, self.limits = form
        self.weights = weights
        self.source = weights.place.weight(params.source)
        self.target = weights.place.weight(params.target)
        hidden = self.hidden = params.source.shape[1]
        w, u = np.split(params.w_read, 2)
        self.reader = VanillaRNN(weights, "read", w, u, params.b_read)
        self.query = weights.linear("query", params.w_query)
        self.write = weights.linear("write", params.w_write, params.b_write, "tanh")
        self.output = weights.linear("output", params.w_out, params.b_out)
        self.nothing = self.source.new_zeros(1, hidden)
        # Scores of a pair of hypotheses of which only the first exists.
        self.one = weights.place.weight(np.array([0.0, _NEVER], np.float32))

    def assemble(self) -> None:
        """Pack the words; find each sentence's states among them (padded) and its last state."""
        starts = np.cumsum(self.lengths) - self.lengths
        packed = pack(self.lengths, starts)
        self.counts = packed.counts
        places = packed.places(len(self.words))
        column = np.arange(int(self.lengths.max(initial=0)))
        behind = column >= self.lengths[:, None]
        padded = places[np.where(behind, 0, starts[:, None] + column)]
        self.inputs, self.padded, self.ends, masked = self.weights.place.put(
            self.words[packed.items], padded, places[starts + self.lengths - 1], behind.astype(int)
        )
        self.behind = masked.bool()

    def compute(self) -> None:
        """Compute the best hypotheses: states [batch, H] and words."""
        batch, hidden, place = len(self.lengths), self.hidden, self.weights.place
        first = self.reader.state_of(self.nothing).expand(batch, -1)
        states = self.reader.steps(self.reader.read(self.source, self.inputs), self.counts, first)
        states = states.mul(2).sub_(1)
        source = states.index_select(0, self.padded.view(-1)).view(batch, -1, hidden)
        behind = self.behind
        # [beams, 2, ...]; a beam begins with one hypothesis.
        h = states.index_select(0, self.ends)[:, None].expand(-1, 2, -1)
        score = self.one.expand(batch, 2)
        word = self.padded.new_full((batch, 2), BEGIN)
        running, self.history = np.arange(batch), [[[BEGIN], [BEGIN]] for _ in range(batch)]
        self.last = h.new_empty(batch, hidden)
        self.n_batches, self.n_nodes = len(self.counts), len(self.words)
        for step in range(1, int(self.limits.max(initial=0)) + 1):
            h, score, parent, word = self.step(h, score, word, source, behind)
            self.n_nodes += 2 * len(running)
            self.n_batches += 1
            parents, words = place.get(torch.stack([parent, word]))
            for i, came, new in zip(
                running.tolist(), parents.tolist(), words.tolist(), strict=True
            ):
                old = self.history[i]
                self.history[i] = [
                    old[c] if old[c][-1] == END else [*old[c], w]
                    for c, w in zip(came, new, strict=True)
                ]
            done = (words == END).all(1) | (self.limits[running] == step)
            if done.any():
                gone, stay = np.flatnonzero(done), np.flatnonzero(~done)
                to, leave, keep = place.put(running[gone], gone, stay)
                self.last.index_copy_(0, to, h[:, 0].index_select(0, leave))
                running = running[stay]
                if len(running) == 0:
                    break
                h, score, word = (x.index_select(0, keep) for x in (h, score, word))
                source, behind = source.index_select(0, keep), behind.index_select(0, keep)

    def step(
        self,
        h: torch.Tensor,
        score: torch.Tensor,
        word: torch.Tensor,
        source: torch.Tensor,
        behind: torch.Tensor,
    ) -> tuple[torch.Tensor, ...]:
        """Return every beam's next states [n, 2, H] and, each [n, 2], the scores, the hypotheses
        that they extend, and their last words; `behind` [n, S] masks the padding of the states
        `source` [n, S, H]."""
        n, hidden = len(h), self.hidden
        ended = word == END
        flat = h.reshape(-1, hidden)
        query = self.query(flat).view(n, 2, hidden)
        weights = self.weights.product(torch.bmm, query, source.transpose(1, 2))
        weights = torch.softmax(weights.masked_fill_(behind[:, None], _NEVER), 2)
        context = self.weights.product(torch.bmm, weights, source).view(-1, hidden)
        embedded = self.target.index_select(0, word.reshape(-1))
        new = self.write(torch.cat([embedded, flat, context], 1))
        chances, words = torch.log_softmax(self.output(new), 1).topk(2)
        new = torch.where(ended[..., None], h, new.view(n, 2, hidden))
        # The only candidate of a hypothesis that has ended is itself.
        as_it_is = score[..., None] + self.one
        longer = (score + REWARD)[..., None] + chances.view(n, 2, 2)
        offered = torch.where(ended[..., None], as_it_is, longer).view(n, 4)
        words = words.view(n, 2, 2).masked_fill(ended[..., None], END).view(n, 4)
        score, chosen = offered.topk(2)
        parent = chosen // 2
        h = new.gather(1, parent[..., None].expand(-1, -1, hidden))
        return h, score, parent, words.gather(1, chosen)

    def results(self) -> list[tuple[list[int], np.ndarray]]:
        """Return (words, state) of every best hypothesis."""
        best = [words for words, _ in self.history]
        return list(zip(best, self.weights.place.get(self.last), strict=True))
