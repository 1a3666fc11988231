"""Sequences as one table of words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from .program import Program


def flatten(instances: Sequence[Sequence[int]]) -> list[np.ndarray]:
    """The words of each."""
    return [np.array(words, np.int32) for words in instances]


class OverSequences(Program):
    """The table is `word`; the arguments are where an instance begins and ends in it."""

    def assemble(self) -> tuple[Mapping[str, np.ndarray], tuple[np.ndarray, ...]]:
        """All words in one row."""
        sizes = np.array([len(words) for words in self.form])
        ends = np.cumsum(sizes)
        begins = (ends - sizes).astype(np.int32)
        return {"word": np.concatenate(self.form)}, (begins, ends.astype(np.int32))

    def longest(self) -> int:
        """The greatest number of words."""
        return max(map(len, self.form))
