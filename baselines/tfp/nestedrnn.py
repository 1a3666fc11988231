"""An RNN inside a GRU: two recursions, the outer of which calls the inner."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from . import program
from .program import array, row


def flatten(instances: Sequence[Any]) -> list[list[np.ndarray]]:
    """Return the words of each sentence of each document."""
    return [[np.array(words, np.int32) for words in d.sentences] for d in instances]


class Program(program.Program):
    """The program that gives the last state of a document."""

    def define(self, context: Any) -> Any:
        """Return `encode`, batched."""
        p, tables = self.p, self.tables
        state = array(len(p.b))

        def step(at: Any, h: Any) -> Any:
            return tf.tanh(row(p.emb, row(tables.word, at)) @ p.w + h @ p.u + p.b)

        def gru(x: Any, h: Any) -> Any:
            x_r, x_z, x_n = tf.split(x @ p.w_gru + p.b_gru, 3, axis=1)
            h_r, h_z, h_n = tf.split(h @ p.u_gru, 3, axis=1)
            z = tf.sigmoid(x_z + h_z)
            n = tf.tanh(x_n + tf.sigmoid(x_r + h_r) * h_n)
            return (1 - z) * n + z * h

        def no_state(at: Any) -> Any:
            return tf.zeros([tf.size(at), len(p.b)])

        @context.batch(type_inference=lambda _: state)
        def read(at: Any, end: Any, h: Any) -> Any:
            if at < end:
                last = read(at + 1, end, step(at, h))
            else:
                last = h
            return last

        @context.batch(type_inference=lambda _: state)
        def go_on(sentence: Any, end: Any, h: Any) -> Any:
            if sentence < end:
                x = read(row(tables.begin, sentence), row(tables.end, sentence), h)
                last = go_on(sentence + 1, end, gru(x, h))
            else:
                last = h
            return last

        @context.batch(type_inference=lambda _: state)
        def encode(sentence: Any, end: Any) -> Any:
            return go_on(sentence, end, no_state(sentence))

        return encode

    def assemble(self) -> tuple[Mapping[str, np.ndarray], tuple[np.ndarray, ...]]:
        """Join all words to one array, and number all sentences consecutively."""
        sentences = list(itertools.chain.from_iterable(self.form))
        ends = np.cumsum([len(words) for words in sentences], dtype=np.int32)
        begins = np.concatenate([[0], ends[:-1]]).astype(np.int32)
        last = np.cumsum([len(document) for document in self.form], dtype=np.int32)
        first = np.concatenate([[0], last[:-1]]).astype(np.int32)
        return {"word": np.concatenate(sentences), "begin": begins, "end": ends}, (first, last)

    def depth(self) -> int:
        """Count one call per sentence, and one per word of a single sentence."""
        longest = max(len(words) for document in self.form for words in document)
        return max(map(len, self.form)) + longest + 3

    def results(self, values: Any) -> list[Any]:
        """Return the states."""
        return list(values)
