"""Trees as flat arrays: the in-memory form of the systems that batch by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

# Columns of a flat tree.
LEFT, RIGHT, WORD, HEIGHT = range(4)


def flatten_tree(tree: Any) -> np.ndarray:
    """A TreeLSTM workload's tree as int32 [nodes, 4] in post-order, the root last.

    Columns: left child's row, right child's row (-1, -1 for a leaf), word id (-1 for an inner
    node), height (0 for a leaf). Iterative: trees may be deeper than Python's stack.
    """
    # An inner node is popped twice: first to push its children, then, marked, to be emitted.
    stack: list[tuple[Any, bool]] = [(tree, False)]
    rows: list[tuple[int, int, int, int]] = []
    done: list[int] = []
    while stack:
        node, children_done = stack.pop()
        if not hasattr(node, "left"):
            done.append(len(rows))
            rows.append((-1, -1, node.word, 0))
        elif children_done:
            right, left = done.pop(), done.pop()
            height = 1 + max(rows[left][HEIGHT], rows[right][HEIGHT])
            done.append(len(rows))
            rows.append((left, right, -1, height))
        else:
            stack += [(node, True), (node.right, False), (node.left, False)]
    return np.array(rows, np.int32)


@dataclass(frozen=True, slots=True)
class Forest:
    """A mini-batch of trees, renumbered so that the nodes of one height are consecutive.

    `words` are the word ids of nodes 0 .. leaves - 1, in order; `children` [inner, 2] are the
    children of the nodes after them; `bounds` has the first node of every height (height 0 is that
    of the leaves), and last the number of nodes; `roots` has one node per tree, in input order.
    Indices are int64.
    """

    words: np.ndarray
    children: np.ndarray
    bounds: list[int]
    roots: np.ndarray


def assemble(trees: Sequence[np.ndarray]) -> Forest:
    """Join flat trees into one forest. Vectorised over all nodes."""
    sizes = np.fromiter((len(t) for t in trees), np.int64, len(trees))
    ends = np.cumsum(sizes)
    table = np.concatenate(trees)
    n = len(table)
    # numpy's stable sort of 16-bit integers is a radix sort, three times faster than on int32.
    heights = table[:, HEIGHT]
    highest = int(heights.max())
    order = np.argsort(heights.astype(np.uint16) if highest < 1 << 16 else heights, kind="stable")
    new_index = np.empty(n, np.int64)
    new_index[order] = np.arange(n)
    bounds = np.zeros(highest + 2, np.int64)
    np.cumsum(np.bincount(heights), out=bounds[1:])
    leaves = int(bounds[1])
    inner = order[leaves:]
    children = table[inner, LEFT : RIGHT + 1] + np.repeat(ends - sizes, sizes)[inner, None]
    return Forest(
        words=table[order[:leaves], WORD].astype(np.int64),
        children=new_index[children],
        bounds=bounds.tolist(),
        roots=new_index[ends - 1],
    )
