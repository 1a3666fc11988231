"""Trees of nodes with any number of children as flat arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

# Columns of a flat tree.
WORD, PARENT, HEIGHT = range(3)


def flatten_rooted(tree: Any) -> np.ndarray:
    """A child-sum TreeLSTM's tree as int32 [nodes, 3] in post-order, the root last.

    Columns: word id, the parent's row (-1 for the root), height (0 for a leaf). Iterative: trees
    may be deeper than Python's stack.
    """
    rows: list[list[int]] = []
    # Every node is popped twice: first to push its children, then to be emitted.
    stack: list[tuple[Any, bool]] = [(tree, False)]
    done: list[int] = []
    while stack:
        node, children_done = stack.pop()
        if not children_done:
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(node.children))
            continue
        n = len(node.children)
        mine, done = (done[len(done) - n :], done[: len(done) - n])
        height = 0
        for child in mine:
            rows[child][PARENT] = len(rows)
            height = max(height, rows[child][HEIGHT] + 1)
        done.append(len(rows))
        rows.append([node.word, -1, height])
    return np.array(rows, np.int32)
