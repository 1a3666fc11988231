"""Child-sum TreeLSTM: the children of a node are a chain, which a second function follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from ..shared.rooted import PARENT, WORD, flatten_rooted
from . import program
from .program import array, row

_NONE = -1


def flatten(instances: Sequence[Any]) -> list[np.ndarray]:
    """Return, per tree, int32 [nodes, 3] in post-order: word, first child, next sibling."""
    return [_chained(flatten_rooted(tree)) for tree in instances]


def _chained(rows: np.ndarray) -> np.ndarray:
    made = np.full((len(rows), 3), _NONE, np.int32)
    made[:, 0] = rows[:, WORD]
    # From the last node to the first, so that a right sibling is visited before those to its left.
    for at in range(len(rows) - 1, -1, -1):
        parent = rows[at, PARENT]
        if parent >= 0:
            made[at, 2], made[parent, 1] = made[parent, 1], at
    return made


def _depth(rows: np.ndarray) -> int:
    """Return the depth of nested calls of both functions: `encode` for a node, and `add_up` for a
    child and all to its left, or for all children and the end of the chain."""
    deepest, stack = 0, [(len(rows) - 1, 1)]
    while stack:
        node, depth = stack.pop()
        child, depth = rows[node, 1], depth + 1
        while child != _NONE:
            stack.append((child, depth + 1))
            child, depth = rows[child, 2], depth + 1
        deepest = max(deepest, depth)
    return deepest


class Program(program.Program):
    """The program that gives (h, c) of a root."""

    def define(self, context: Any) -> Any:
        """Return `encode`, batched."""
        p, tables = self.p, self.tables
        state = array(p.emb.shape[1])

        def words_part(node: Any) -> Any:
            return tf.split(row(p.emb, row(tables.word, node)) @ p.w + p.b, 4, axis=1)

        def kept(total: Any, f_x: Any, h: Any, c: Any) -> Any:
            return total + tf.sigmoid(f_x + h @ p.u_f) * c

        def cell(i_x: Any, o_x: Any, u_x: Any, h_sum: Any, c_sum: Any) -> Any:
            i_h, o_h, u_h = tf.split(h_sum @ p.u, 3, axis=1)
            c = tf.sigmoid(i_x + i_h) * tf.tanh(u_x + u_h) + c_sum
            return tf.sigmoid(o_x + o_h) * tf.tanh(c), c

        @context.batch(type_inference=lambda _: (state, state))
        def add_up(child: Any, f_x: Any, h_sum: Any, c_sum: Any) -> Any:
            if child >= 0:
                h, c = encode(child)
                h_sums, c_sums = add_up(
                    row(tables.next, child), f_x, h_sum + h, kept(c_sum, f_x, h, c)
                )
            else:
                h_sums, c_sums = h_sum, c_sum
            return h_sums, c_sums

        @context.batch(type_inference=lambda _: (state, state))
        def encode(node: Any) -> Any:
            i_x, o_x, u_x, f_x = words_part(node)
            nothing = tf.zeros_like(f_x)
            h_sum, c_sum = add_up(row(tables.child, node), f_x, nothing, nothing)
            h, c = cell(i_x, o_x, u_x, h_sum, c_sum)
            return h, c

        return encode

    def assemble(self) -> tuple[Mapping[str, np.ndarray], tuple[np.ndarray, ...]]:
        """Number the nodes of all trees consecutively."""
        sizes = np.array([len(tree) for tree in self.form])
        ends = np.cumsum(sizes)
        first = np.repeat(ends - sizes, sizes)
        rows = np.concatenate(self.form)
        word, child, following = rows.T
        numbered = (np.where(c == _NONE, _NONE, c + first) for c in (child, following))
        tables = dict(zip(("word", "child", "next"), (word, *numbered), strict=True))
        return (
            {name: column.astype(np.int32) for name, column in tables.items()},
            ((ends - 1).astype(np.int32),),
        )

    def depth(self) -> int:
        """Return the depth of calls for the deepest tree."""
        return max(map(_depth, self.form))

    def results(self, values: Any) -> list[Any]:
        """Return (h, c) of every root."""
        return list(zip(*values, strict=True))
