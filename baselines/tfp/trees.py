"""Binary trees as tables of nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..shared.trees import HEIGHT, LEFT, RIGHT, WORD, flatten_tree
from .program import Program


def flatten(instances: Sequence[Any]) -> list[np.ndarray]:
    """Return flat trees (`trees.flatten_tree`)."""
    return [flatten_tree(tree) for tree in instances]


class OverTrees(Program):
    """A program over trees: its tables are `word` (-1 for inner nodes), `left` and `right`; its
    argument is the root."""

    def assemble(self) -> tuple[Mapping[str, np.ndarray], tuple[np.ndarray, ...]]:
        """Number the nodes of all trees consecutively."""
        sizes = np.array([len(tree) for tree in self.form])
        ends = np.cumsum(sizes)
        first = np.repeat(ends - sizes, sizes)
        rows = np.concatenate(self.form)
        children = {"left": rows[:, LEFT] + first, "right": rows[:, RIGHT] + first}
        tables = {"word": rows[:, WORD], **children}
        return (
            {name: column.astype(np.int32) for name, column in tables.items()},
            ((ends - 1).astype(np.int32),),
        )

    def depth(self) -> int:
        """Return the greatest height of a tree."""
        return int(max(tree[-1, HEIGHT] for tree in self.form))
