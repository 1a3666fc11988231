"""BiRNN as one recursion through a sentence: the way down computes the states from the left, and
the way back those from the right, and the labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from .program import array, row, with_row
from .sequences import OverSequences, flatten

__all__ = ["Program", "flatten"]


class Program(OverSequences):
    """The program that gives the distribution at every word."""

    def define(self, context: Any) -> Any:
        """Return `label`, batched."""
        p, tables = self.p, self.tables
        width, classes, longest = p.emb.shape[1], len(p.b_out), self.longest()
        state, labels = array(width), array(longest, classes)

        def step(d: Any, at: Any, h: Any) -> Any:
            return tf.tanh(row(p.emb, row(tables.word, at)) @ d.w + h @ d.u + d.b)

        def forward(at: Any, h: Any) -> Any:
            return step(p.forward, at, h)

        def backward(at: Any, h: Any) -> Any:
            return step(p.backward, at, h)

        def classify(f: Any, b: Any) -> Any:
            return tf.nn.softmax(tf.concat([f, b], axis=1) @ p.w_out + p.b_out)

        def no_state(at: Any) -> Any:
            return tf.zeros([tf.size(at), width])

        def no_labels(at: Any) -> Any:
            return tf.zeros([tf.size(at), longest, classes])

        @context.batch(type_inference=lambda _: (state, labels))
        def walk(begin: Any, at: Any, end: Any, h: Any) -> Any:
            if at < end:
                f = forward(at, h)
                after, later = walk(begin, at + 1, end, f)
                b = backward(at, after)
                found = with_row(later, at - begin, classify(f, b))
            else:
                b = no_state(at)
                found = no_labels(at)
            return b, found

        @context.batch(type_inference=lambda _: labels)
        def label(begin: Any, end: Any) -> Any:
            _, found = walk(begin, begin, end, no_state(begin))
            return found

        return label

    def depth(self) -> int:
        """Count one call per word, one after the last word, and the outermost call."""
        return self.longest() + 2

    def results(self, values: Any) -> list[list[np.ndarray]]:
        """Return, for each sentence, the list of its words' distributions."""
        pairs = zip(self.form, values, strict=True)
        return [list(rows[: len(words)]) for words, rows in pairs]
