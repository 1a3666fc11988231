"""Ragged sequences as one flat array, step by step, like `nn.utils.rnn.PackedSequence`, but packed
by numpy from flat input without a Python loop over the sequences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Packed:
    """Packed sequences: `order` has their numbers from the longest to the shortest. Step t holds
    one item of each of the first `counts[t]` of them, whose positions in the flat input are
    `items[first[t]:first[t + 1]]`."""

    order: np.ndarray
    items: np.ndarray
    counts: list[int]
    first: list[int]

    def places(self, items: int) -> np.ndarray:
        """Return the position of each of `items` flat items; all of them must be packed."""
        places = np.empty(items, np.int64)
        # If an item occurs several times, the last assignment, its first place, wins.
        places[self.items[::-1]] = np.arange(len(self.items))[::-1]
        return places


def distinct_words(words: np.ndarray, vocabulary: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct words, and for each of `words` its index among them. (Without sorting:
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
    """Pack sequences of `lengths` items, at `starts` in a flat array, from the beginnings or ends.

    A sequence is padded by repeating its last item until its length is a multiple of `chunk`, so
    that the steps of a chunk have the same sequences. An item's first occurrence is the real one.
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
