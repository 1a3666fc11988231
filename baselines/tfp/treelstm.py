"""Binary TreeLSTM: the model's recursion, over node numbers."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from .program import array, row
from .trees import OverTrees, flatten

__all__ = ["Program", "flatten"]


class Program(OverTrees):
    """The program that gives (h, c) of a root."""

    def define(self, context: Any) -> Any:
        """Return `encode`, batched."""
        p, tables = self.p, self.tables
        state = array(p.emb.shape[1])

        def is_leaf(node: Any) -> Any:
            return row(tables.word, node) >= 0

        def leaf_cell(node: Any) -> Any:
            x = row(p.emb, row(tables.word, node))
            i, o, u = tf.split(x @ p.w_leaf + p.b_leaf, 3, axis=1)
            c = tf.sigmoid(i) * tf.tanh(u)
            return tf.sigmoid(o) * tf.tanh(c), c

        def node_cell(h_l: Any, c_l: Any, h_r: Any, c_r: Any) -> Any:
            z = tf.concat([h_l, h_r], axis=1) @ p.w + p.b
            i, o, u, f_l, f_r = tf.split(z, 5, axis=1)
            c = tf.sigmoid(i) * tf.tanh(u) + tf.sigmoid(f_l) * c_l + tf.sigmoid(f_r) * c_r
            return tf.sigmoid(o) * tf.tanh(c), c

        @context.batch(type_inference=lambda _: (state, state))
        def encode(node: Any) -> Any:
            if is_leaf(node):
                h, c = leaf_cell(node)
            else:
                h_l, c_l = encode(row(tables.left, node))
                h_r, c_r = encode(row(tables.right, node))
                h, c = node_cell(h_l, c_l, h_r, c_r)
            return h, c

        return encode

    def results(self, values: Any) -> list[Any]:
        """Return (h, c) of every root."""
        return list(zip(*values, strict=True))
