"""MV-RNN: the model's recursion, over node numbers; an instance's values include a matrix."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from .program import array, row
from .trees import OverTrees, flatten

__all__ = ["Program", "flatten"]


class Program(OverTrees):
    """The program that gives the vector of a root."""

    def define(self, context: Any) -> Any:
        """Return `root_vector`, batched."""
        p, tables = self.p, self.tables
        width = p.vectors.shape[1]
        vector, matrix = array(width), array(width, width)

        def is_leaf(node: Any) -> Any:
            return row(tables.word, node) >= 0

        def leaf(node: Any) -> Any:
            word = row(tables.word, node)
            return row(p.vectors, word), row(p.matrices, word % 256)

        def compose(a: Any, a_matrix: Any, b: Any, b_matrix: Any) -> Any:
            crossed = tf.concat([a[:, None] @ b_matrix, b[:, None] @ a_matrix], axis=2)[:, 0]
            both = tf.reshape(tf.concat([a_matrix, b_matrix], axis=2), [-1, 2 * width])
            return tf.tanh(crossed @ p.w + p.b), tf.reshape(both @ p.w_m, a_matrix.shape)

        @context.batch(type_inference=lambda _: (vector, matrix))
        def encode(node: Any) -> Any:
            if is_leaf(node):
                v, m = leaf(node)
            else:
                a, a_matrix = encode(row(tables.left, node))
                b, b_matrix = encode(row(tables.right, node))
                v, m = compose(a, a_matrix, b, b_matrix)
            return v, m

        @context.batch(type_inference=lambda _: vector)
        def root_vector(node: Any) -> Any:
            v, _ = encode(node)
            return v

        return root_vector

    def depth(self) -> int:
        """Count the calls of the recursion, and the outermost call."""
        return super().depth() + 1

    def results(self, values: Any) -> list[Any]:
        """Return the vectors."""
        return list(values)
