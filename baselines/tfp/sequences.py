"""Sequences as one table of words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from .program import Program


def flatten(instances: Sequence[Sequence[int]]) -> list[np.ndarray]:
    """Return the words of each sequence."""
    return [np.array(words, np.int32) for words in instances]


class OverSequences(Program):
    """A program over sequences: its table is `word`; its arguments are the positions in the table
    where an instance begins and ends."""

    def assemble(self) -> tuple[Mapping[str, np.ndarray], tuple[np.ndarray, ...]]:
        """Join all words to one array."""
        sizes = np.array([len(words) for words in self.form])
        ends = np.cumsum(sizes)
        begins = (ends - sizes).astype(np.int32)
        return {"word": np.concatenate(self.form)}, (begins, ends.astype(np.int32))

    def longest(self) -> int:
        """Return the greatest number of words of a sequence."""
        return max(map(len, self.form))
