"""Ragged sequences as one flat array, step by step: what `nn.utils.rnn.PackedSequence` is, made by
numpy from flat input without a Python loop over the sequences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Packed:
    """`order` are the sequences from long to short. Step t holds one item of each of the first
    `counts[t]` of them: the items at `items[first[t]:first[t + 1]]` of the flat input."""

    order: np.ndarray
    items: np.ndarray
    counts: list[int]
    first: list[int]

    def places(self, items: int) -> np.ndarray:
        """Where each of `items` flat items is (they must all be there)."""
        places = np.empty(items, np.int64)
        # Of several places of an item the last one assigned stays.
        places[self.items[::-1]] = np.arange(len(self.items))[::-1]
        return places


def distinct_words(words: np.ndarray, vocabulary: int) -> tuple[np.ndarray, np.ndarray]:
    """The words that occur, and for every one of `words` which of them it is. (Without sorting:
    `numpy.unique` takes ten times as long.)"""
    occurs = np.zeros(vocabulary, bool)
    occurs[words] = True
    found = np.flatnonzero(occurs)
    number = np.empty(vocabulary, np.int64)
    number[found] = np.arange(len(found))
    return found, number[words]


def pack(
    lengths: np.ndarray, starts: np.ndarray, backwards: bool = False, chunk: int = 1
) -> Packed:
    """Sequences of `lengths` items, at `starts` in a flat array, from their beginnings or ends.

    A sequence goes on, with its last item again, until its steps are a multiple of `chunk`: as many
    steps have the same sequences. An item's first occurrence is its own.
    """
    order = np.argsort(-lengths, kind="stable")
    real, starts = lengths[order], starts[order]
    lengths = -(-real // chunk) * chunk
    longest = int(lengths[0]) if len(lengths) else 0
    steps = np.arange(longest)
    counts = np.searchsorted(-lengths, -steps, side="left")
    first = np.concatenate([[0], np.cumsum(counts)])
    step = np.repeat(steps, counts)
    rank = np.arange(first[-1]) - first[step]
    step = np.minimum(step, real[rank] - 1)
    at = real[rank] - 1 - step if backwards else step
    return Packed(order, starts[rank] + at, counts.tolist(), first.tolist())
