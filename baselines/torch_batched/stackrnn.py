"""Shift-reduce parsing, all parsers in step: each takes its next transition at the same time.

The stacks are thin (Bowman et al., "A Fast Unified Model for Parsing and Sentence Understanding",
ACL 2016): phrases and their states are appended to one table each, and a stack is a row of indices
into the tables. A step is a product for the actions of the parsers that may choose, one for the
phrases of those that reduce, and one for the new states of all; pointers move in numpy. The actions
come to the host in one transfer per step.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from .library import LibraryRNN
from .packing import pack
from .vanilla import VanillaRNN
from .weights import Weights


def flatten(instances: Sequence[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return all words, and the lengths of the sentences."""
    lengths = np.array([len(s) for s in instances], np.int64)
    return np.fromiter(itertools.chain.from_iterable(instances), np.int64), lengths


class Batched:
    """The buffer's RNN, the stack's RNN, the composition and the classifier."""

    rnn: type[VanillaRNN | LibraryRNN] = VanillaRNN

    def __init__(self, params: Any, form: tuple[np.ndarray, np.ndarray], weights: Weights) -> None:
        self.words, self.lengths = form
        self.weights = weights
        linear = self.weights.linear
        self.emb = weights.place.weight(params.emb)
        hidden = self.hidden = params.emb.shape[1]
        w, u = np.split(params.w_buffer, 2)
        self.buffer = self.rnn(self.weights, "buffer", w, u, params.b_buffer)
        self.push = linear("push", params.w_stack, params.b_stack, "tanh")
        self.compose = linear("compose", params.w_phrase, params.b_phrase, "tanh")
        # The lower half of the classifier reads the buffer's states.
        upper, lower = np.split(params.w_action, 2)
        lower, more = self.rnn.fold(lower)
        joined = np.concatenate([upper, lower])
        self.action = linear("action", joined, (params.b_action + more).astype(np.float32))
        self.empty_stack = weights.place.weight(params.empty_stack)
        self.empty_buffer = weights.place.weight(params.empty_buffer).view(1, hidden)

    def assemble(self) -> None:
        """Pack the words from the ends of the sentences, and find each position's summary."""
        self.starts = np.cumsum(self.lengths) - self.lengths
        packed = pack(self.lengths, self.starts, backwards=True, chunk=self.rnn.chunk)
        self.counts = packed.counts
        self.items, self.inputs = self.weights.place.put(self.words, self.words[packed.items])
        self.summary = packed.places(len(self.words))
        self.n_nodes = 3 * len(self.words)
        self.n_batches = len(self.counts) + max(0, 2 * int(self.lengths.max(initial=0)) - 1)

    def compute(self) -> None:
        """Compute the last phrases [batch, H] and the greatest heights of the stacks."""
        batch, hidden, place = len(self.lengths), self.hidden, self.weights.place
        embedded = self.emb.index_select(0, self.items)
        ahead = self.buffer.read(self.emb, self.inputs)
        first = self.buffer.state_of(self.empty_buffer).expand(batch, -1)
        ahead = self.buffer.steps(ahead, self.counts, first)
        # Row 0 of the tables is the empty stack; a transition adds a row for its parser.
        rows = 1 + 2 * len(self.words)
        phrases, states = (ahead.new_empty(rows, hidden) for _ in range(2))
        phrases[0] = states[0] = self.empty_stack
        stack = np.zeros((batch, int(self.lengths.max(initial=0)) + 1), np.int64)
        size, at = np.zeros(batch, np.int64), np.zeros(batch, np.int64)
        self.deepest = np.zeros(batch, np.int64)
        end = 1
        while True:
            more = at < self.lengths
            running = np.flatnonzero(more | (size > 1))
            if len(running) == 0:
                break
            reduces = ~more
            choose = np.flatnonzero(more & (size > 1))
            if len(choose):
                top, rest = place.put(
                    stack[choose, size[choose]], self.summary[self.starts[choose] + at[choose]]
                )
                scores = place.get(self.score(states, top, ahead, rest))
                reduces[choose] = scores[:, 1] > scores[:, 0]
            shift = running[~reduces[running]]
            reduce = running[reduces[running]]
            read = self.starts[shift] + at[shift]
            joined = stack[reduce[:, None], size[reduce, None] + np.array([-1, 0])]
            at[shift] += 1
            size[shift] += 1
            size[reduce] -= 1
            np.maximum(self.deepest, size, out=self.deepest)
            acts = np.concatenate([shift, reduce])
            words, pairs, below = place.put(read, joined, stack[acts, size[acts] - 1])
            new = phrases[end : end + len(running)]
            if len(shift):
                torch.index_select(embedded, 0, words, out=new[: len(shift)])
            if len(reduce):
                new[len(shift) :] = self.reduce(phrases, pairs)
            states[end : end + len(acts)] = self.read(states, below, new)
            stack[acts, size[acts]] = end + np.arange(len(acts))
            end += len(acts)
        self.last = phrases.index_select(0, *place.put(stack[np.arange(batch), size]))

    def score(
        self, states: torch.Tensor, top: torch.Tensor, ahead: torch.Tensor, rest: torch.Tensor
    ) -> torch.Tensor:
        """Return the actions' scores, [n, 2], from rows `top` of the stack's states and rows `rest`
        of the buffer's, both [n]."""
        return self.action(torch.cat([states.index_select(0, top), ahead.index_select(0, rest)], 1))

    def reduce(self, phrases: torch.Tensor, pairs: torch.Tensor) -> torch.Tensor:
        """Compose one phrase from every pair of rows: `pairs` [n, 2] give phrases [n, H]."""
        return self.compose(phrases.index_select(0, pairs.view(-1)).view(len(pairs), -1))

    def read(self, states: torch.Tensor, below: torch.Tensor, new: torch.Tensor) -> torch.Tensor:
        """Return the stack's next states [n, H] from rows `below` [n] and phrases `new` [n, H]."""
        return self.push(torch.cat([states.index_select(0, below), new], 1))

    def results(self) -> list[tuple[np.ndarray, int]]:
        """Return (phrase, greatest height) per sentence."""
        return list(zip(self.weights.place.get(self.last), self.deepest.tolist(), strict=True))


class Library(Batched):
    """The buffer's RNN in one call of `nn.RNN`."""

    rnn = LibraryRNN
