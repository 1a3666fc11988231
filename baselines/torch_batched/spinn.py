"""SPINN, all parsers in step: each takes its next transition at the same time (thin stacks: Bowman
et al. 2016, section 3.3).

Phrases are appended to one table, and a stack is a row of indices into it. A step is a product for
the tracking LSTM of all running parsers, which gives the actions, and one for the phrases of those
that reduce; pointers move in numpy. The actions come to the host in one transfer per step.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from .packing import distinct_words
from .stackrnn import flatten
from .weights import Weights

__all__ = ["Batched", "flatten"]


class Batched:
    """The tracking LSTM and the composition."""

    def __init__(self, params: Any, form: tuple[np.ndarray, np.ndarray], weights: Weights) -> None:
        self.flat, self.lengths = form
        self.weights, self.hidden = weights, params.emb.shape[1]
        linear = weights.linear
        self.emb = weights.place.weight(params.emb)
        self.word = linear("word", params.w_word, params.b_word)
        self.track = linear("track", params.w_track, params.b_track)
        self.compose = linear("compose", params.w_reduce, params.b_reduce)
        self.action = linear("action", params.w_action, params.b_action)
        self.tracking = params.w_action.shape[0]

    def assemble(self) -> None:
        """Find the words that occur, and where every sentence's words begin."""
        self.starts = np.cumsum(self.lengths) - self.lengths
        words, number = distinct_words(self.flat, len(self.emb))
        self.words, self.number = self.weights.place.put(words, number)
        self.n_nodes = 4 * len(self.flat)

    def compute(self) -> None:
        """Compute the last phrases [batch, H] and the greatest heights of the stacks."""
        batch, hidden, place = len(self.lengths), self.hidden, self.weights.place
        n_words = len(self.flat)
        # Row 0 stands for what is absent; the words follow, then the phrases.
        phrases = self.emb.new_zeros(1 + 2 * n_words, 2 * hidden)
        embedded = self.word(self.emb.index_select(0, self.words))
        torch.index_select(embedded, 0, self.number, out=phrases[1 : 1 + n_words])
        t_h, t_c = (phrases.new_zeros(batch, self.tracking) for _ in range(2))
        # Every stack has two empty places at the bottom.
        stack = np.zeros((batch, int(self.lengths.max(initial=0)) + 3), np.int64)
        size, at, self.deepest = (np.zeros(batch, np.int64) for _ in range(3))
        end, self.n_batches = 1 + n_words, 1
        running = np.arange(batch)
        while True:
            more = at < self.lengths
            goes_on = (more | (size > 1))[running]
            if not goes_on.all():
                (keep,) = place.put(np.flatnonzero(goes_on))
                t_h, t_c = t_h.index_select(0, keep), t_c.index_select(0, keep)
                running = running[goes_on]
            if len(running) == 0:
                break
            here, height = at[running], size[running] + 1
            word = np.where(more[running], 1 + self.starts[running] + here, 0)
            read = np.stack([word, stack[running, height], stack[running, height - 1]], 1)
            (seen,) = place.put(read)
            t_h, t_c = self.step(phrases, seen, t_h, t_c)
            reduces = ~more[running]
            chooses = more[running] & (size[running] > 1)
            if chooses.any():
                scores = place.get(self.action(t_h))
                reduces |= chooses & (scores[:, 1] > scores[:, 0])
            shift, reduce = running[~reduces], running[reduces]
            size[shift] += 1
            stack[shift, size[shift] + 1] = word[~reduces]
            at[shift] += 1
            np.maximum(self.deepest, size, out=self.deepest)
            if len(reduce):
                rows = np.flatnonzero(reduces)
                pairs, which = place.put(read[rows, :0:-1].copy(), rows)
                new = self.reduce(phrases, pairs, t_h.index_select(0, which))
                phrases[end : end + len(reduce)] = new
                size[reduce] -= 1
                stack[reduce, size[reduce] + 1] = end + np.arange(len(reduce))
                end += len(reduce)
            self.n_batches += 1 + bool(len(reduce))
        (tops,) = place.put(stack[np.arange(batch), size + 1])
        self.last = phrases.index_select(0, tops)[:, :hidden]

    def step(
        self, phrases: torch.Tensor, read: torch.Tensor, h: torch.Tensor, c: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the tracking LSTM's next (h, c), [n, D], after reading rows `read` [n, 3]."""
        seen = phrases.index_select(0, read.view(-1))[:, : self.hidden]
        x = torch.cat([seen.reshape(len(read), -1), h], 1)
        gates = self.track(x)
        i, o = torch.sigmoid(gates[:, : 2 * self.tracking]).chunk(2, 1)
        u, f = gates[:, 2 * self.tracking :].chunk(2, 1)
        c = torch.sigmoid(f).mul_(c).addcmul_(i, torch.tanh(u))
        return o * torch.tanh(c), c

    def reduce(
        self, phrases: torch.Tensor, pairs: torch.Tensor, tracking: torch.Tensor
    ) -> torch.Tensor:
        """Reduce rows `pairs` [n, 2], left and right, to phrases (h, c), side by side, [n, 2 H]."""
        hidden = self.hidden
        both = phrases.index_select(0, pairs.view(-1)).view(-1, 2, 2 * hidden)
        h, c = both[..., :hidden].reshape(-1, 2 * hidden), both[..., hidden:]
        gates = self.compose(torch.cat([h, tracking], 1))
        i, o = torch.sigmoid(gates[:, : 2 * hidden]).chunk(2, 1)
        u = torch.tanh(gates[:, 2 * hidden : 3 * hidden])
        f_l, f_r = torch.sigmoid(gates[:, 3 * hidden :]).chunk(2, 1)
        new = (i * u).addcmul_(f_l, c[:, 0]).addcmul_(f_r, c[:, 1])
        return torch.cat([o * torch.tanh(new), new], 1)

    def results(self) -> list[tuple[np.ndarray, int]]:
        """Return (phrase, greatest height) per sentence."""
        return list(zip(self.weights.place.get(self.last), self.deepest.tolist(), strict=True))
