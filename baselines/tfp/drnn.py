"""DRNN: the model's recursion; the labels of a tree are a table by position, whose nonzero rows are
the generated nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from workloads.drnn import LEVELS, POSITIONS, SIBLINGS, Forest, Nothing, Tree

from . import program
from .program import array, row, with_row


def flatten(instances: Sequence[Any]) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """Return the token and both thresholds of each seed."""
    return [
        (s.token, np.array(s.child, np.float32), np.array(s.sibling, np.float32)) for s in instances
    ]


class Program(program.Program):
    """The program that gives the table of a seed's tree."""

    def define(self, context: Any) -> Any:
        """Return `decode`, batched."""
        p, tables = self.p, self.tables
        width, classes = len(p.b_a), p.w_label.shape[1]
        labels = array(POSITIONS, classes)

        def join(a: Any, b: Any, w: Any, bias: Any) -> Any:
            return tf.tanh(tf.concat([a, b], axis=1) @ w + bias)

        def above(parent: Any, parent_x: Any) -> Any:
            return join(parent, parent_x, p.w_a, p.b_a)

        def beside(before: Any, before_x: Any) -> Any:
            return join(before, before_x, p.w_f, p.b_f)

        def predict(h_a: Any, h_f: Any) -> Any:
            h = tf.tanh(h_a @ p.u_a + h_f @ p.u_f)
            label = tf.nn.softmax(h @ p.w_label)
            return h, label, label @ p.labels

        def grows(h: Any, w: Any, table: Any, seed: Any, at: Any) -> Any:
            return tf.sigmoid(h @ w)[:, 0] > row(table, seed * POSITIONS + at)

        def has_child(h: Any, seed: Any, at: Any, level: Any) -> Any:
            return (level < LEVELS) & grows(h, p.w_child, tables.child, seed, at)

        def has_sibling(h: Any, seed: Any, at: Any, level: Any, number: Any) -> Any:
            more = (level > 0) & (number < SIBLINGS - 1)
            return more & grows(h, p.w_sibling, tables.sibling, seed, at)

        def no_labels(at: Any) -> Any:
            return tf.zeros([tf.size(at), POSITIONS, classes])

        @context.batch(type_inference=lambda _: labels)
        def generate(
            seed: Any,
            parent: Any,
            parent_x: Any,
            before: Any,
            before_x: Any,
            at: Any,
            level: Any,
            number: Any,
            made: Any,
        ) -> Any:
            h_a = above(parent, parent_x)
            h_f = beside(before, before_x)
            h, label, x = predict(h_a, h_f)
            found = with_row(made, at, label)
            goes_on = has_sibling(h, seed, at, level, number)
            if has_child(h, seed, at, level):
                zero = tf.zeros_like(x)
                first = tf.zeros_like(number)
                below = generate(
                    seed, h_a, x, zero, zero, SIBLINGS * at + 1, level + 1, first, found
                )
            else:
                below = found
            if goes_on:
                everything = generate(
                    seed, parent, parent_x, h_f, x, at + 1, level, number + 1, below
                )
            else:
                everything = below
            return everything

        @context.batch(type_inference=lambda _: labels)
        def decode(seed: Any) -> Any:
            token = row(p.emb, row(tables.token, seed))
            zero = tf.zeros_like(token)
            none = tf.zeros_like(seed)
            made = no_labels(seed)
            return generate(seed, token, zero, zero, zero, none, none, none, made)

        assert width == p.emb.shape[1]
        return decode

    def assemble(self) -> tuple[Mapping[str, np.ndarray], tuple[np.ndarray, ...]]:
        """Join the thresholds of all seeds, child and sibling, to one array each."""
        tokens, child, sibling = zip(*self.form, strict=True)
        tables = {"child": np.concatenate(child), "sibling": np.concatenate(sibling)}
        seeds = np.arange(len(tokens), dtype=np.int32)
        return {"token": np.array(tokens, np.int32), **tables}, (seeds,)

    def depth(self) -> int:
        """Count the calls from the root through all siblings of every level, and the outermost."""
        return LEVELS * SIBLINGS + 2

    def results(self, values: Any) -> list[Forest]:
        """Return the trees, in left-child right-sibling form."""
        there = values.any(axis=2)

        def tree(i: int, at: int) -> Forest:
            if at >= POSITIONS or not there[i, at]:
                return Nothing()
            child = tree(i, SIBLINGS * at + 1)
            # The position after the last sibling belongs to another node's children.
            last = at == 0 or (at - 1) % SIBLINGS == SIBLINGS - 1
            return Tree(values[i, at], child, Nothing() if last else tree(i, at + 1))

        return [tree(i, 0) for i in range(len(values))]
