"""BiRNN over sequences sorted by length, several steps at a time: one product per direction for the
inputs of all their words, a scan over the steps with the sequences that are still running, and the
classifier per direction. The backward direction reads reversed sentences, so that nothing is
masked."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..jax_shared.padding import bucket, lengths_of, padded

# The number of steps of one call.
STEPS = 8


def flatten(instances: Sequence[list[int]]) -> list[np.ndarray]:
    """Return the words of each sentence."""
    return [np.array(words, np.int32) for words in instances]


@functools.partial(jax.jit, donate_argnums=0)
def steps(table: Any, p: Any, states: Any, words: Any, first: Any) -> Any:
    """Run several steps: return the table [rows, 2, C], with the scores of `words` [2, STEPS, n] of
    both directions in the rows from `first` on, and the final states of n sequences per direction.
    """
    n = words.shape[2]

    def step(states: Any, xs: Any) -> Any:
        states = tuple(
            jnp.tanh(x + h @ d.u)
            for x, h, d in zip(xs, states, (p.forward, p.backward), strict=True)
        )
        return states, states

    xs = tuple(p.emb[w] @ d.w + d.b for w, d in zip(words, (p.forward, p.backward), strict=True))
    last, every = lax.scan(step, tuple(h[:n] for h in states), xs)
    w_out = jnp.split(p.w_out, 2)
    scores = [(h.reshape(-1, h.shape[-1]) @ w) for h, w in zip(every, w_out, strict=True)]
    return lax.dynamic_update_slice_in_dim(table, jnp.stack(scores, axis=1), first, 0), last


@jax.jit
def classify(table: Any, b_out: Any, places: Any) -> Any:
    """Return distributions [tokens, C] from each token's places [2, tokens] in the table."""
    return jax.nn.softmax(table[places[0], 0] + table[places[1], 1] + b_out)


class Batched:
    """Both directions and the classifier."""

    def __init__(self, params: Any, sentences: list[np.ndarray]) -> None:
        self.p, self.sentences = params, sentences
        self.table = jnp.zeros((0, 2, params.w_out.shape[1]))

    def assemble(self) -> None:
        """Sort by length; find the words of both directions for every call, and the places of each
        token's scores."""
        lengths = lengths_of(self.sentences)
        order = np.argsort(-lengths, kind="stable")
        ordered = lengths[order]
        longest = -(-int(ordered[0]) // STEPS) * STEPS
        # Step-major, and reversed for the other direction; padding is word 0.
        words = np.zeros((2, longest, bucket(len(order), 8)), np.int32)
        firsts, self.calls, row = [], [], 0
        for k, i in enumerate(order.tolist()):
            words[0, : lengths[i], k] = self.sentences[i]
            words[1, : lengths[i], k] = self.sentences[i][::-1]
        widths = []
        for start in range(0, longest, STEPS):
            n = bucket(int(np.count_nonzero(ordered > start)), 8)
            self.calls.append((np.ascontiguousarray(words[:, start : start + STEPS, :n]), row))
            firsts.append(row)
            widths.append(n)
            row += STEPS * n
        self.rows = bucket(row)
        # Each token's step, counted from either end, and column, in the order of the input.
        column = np.empty(len(order), np.int64)
        column[order] = np.arange(len(order))
        ends = np.cumsum(lengths)
        step = np.arange(ends[-1]) - np.repeat(ends - lengths, lengths)
        steps_of = np.stack([step, np.repeat(lengths, lengths) - 1 - step])
        call, rest = steps_of // STEPS, steps_of % STEPS
        at = np.array(firsts)[call] + rest * np.array(widths)[call] + np.repeat(column, lengths)
        tokens = bucket(int(ends[-1]))
        self.places = np.stack([padded(a.astype(np.int32), tokens) for a in at])
        self.ends = ends[:-1]
        self.n_nodes, self.n_batches = 3 * int(ends[-1]), 2 * int(ordered[0]) + 1

    def compute(self) -> Any:
        """Compute the distributions of all tokens, in the order of the words, and padding."""
        if len(self.table) != self.rows:
            self.table = jnp.zeros((self.rows, *self.table.shape[1:]))
        hidden = self.p.emb.shape[1]
        states = tuple(jnp.zeros((self.calls[0][0].shape[2], hidden)) for _ in range(2))
        for words, first in self.calls:
            self.table, states = steps(self.table, self.p, states, words, first)
        self.labels = classify(self.table, self.p.b_out, self.places)
        return self.labels

    def results(self) -> list[list[np.ndarray]]:
        """Return, for each sentence, the list of its tokens' distributions."""
        count = sum(map(len, self.sentences))
        rows = np.split(np.asarray(self.labels)[:count], self.ends)
        return [list(found) for found in rows]
