"""BERxiT: nested calls, one per layer, until an instance is certain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from . import program
from .program import array, own_row

_HEAD, _EPSILON = 64, 1e-5


def flatten(instances: Sequence[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return tokens [batch, S, H] and thresholds [batch, layers], float32."""
    tokens = np.stack([s.tokens for s in instances])
    return tokens, np.array([s.thresholds for s in instances], np.float32)


def norm(x: Any, g: Any, b: Any) -> Any:
    """Apply layer norm along the last axis."""
    mean, variance = tf.nn.moments(x, axes=-1, keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + _EPSILON) * g + b


def linear(x: Any, w: Any, b: Any) -> Any:
    """Apply a linear layer, [batch, S, in] to [batch, S, out], in one product."""
    rows = tf.reshape(x, [-1, w.shape[0]]) @ w + b
    return tf.reshape(rows, [*x.shape[:2], w.shape[1]])


def attention(q: Any, k: Any, v: Any) -> Any:
    """Return the attention of heads of 64 columns, [batch, S, H]."""
    shape = q.shape

    def heads(x: Any) -> Any:
        return tf.transpose(tf.reshape(x, [*shape[:2], -1, _HEAD]), [0, 2, 1, 3])

    scores = tf.matmul(heads(q), heads(k), transpose_b=True) / _HEAD**0.5
    mixed = tf.nn.softmax(scores) @ heads(v)
    return tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), shape)


class Program(program.Program):
    """The program that gives the class distribution and the number of layers run."""

    def define(self, context: Any) -> Any:
        """Return `classify`, batched."""
        p, q = self.p, self.p.layer
        tokens, thresholds = self.form
        most = thresholds.shape[1]
        sequence, number = array(*tokens.shape[1:]), array(dtype=np.int32)
        distribution = array(len(p.b_class))

        def layer(x: Any) -> Any:
            mixed = attention(*tf.split(linear(x, q.w_qkv, q.b_qkv), 3, axis=2))
            x = norm(x + linear(mixed, q.w_o, q.b_o), q.g_1, q.b_1)
            up = tf.nn.gelu(linear(x, q.w_up, q.b_up), approximate=False)
            return norm(x + linear(up, q.w_down, q.b_down), q.g_2, q.b_2)

        def goes_on(x: Any, thresholds: Any, layers: Any) -> Any:
            certain = tf.sigmoid(x[:, 0] @ p.w_certain)[:, 0]
            return (layers < most) & (certain <= own_row(thresholds, layers - 1))

        def label(x: Any) -> Any:
            pooled = tf.tanh(x[:, 0] @ p.w_pool + p.b_pool)
            return tf.nn.softmax(pooled @ p.w_class + p.b_class)

        def no_layers(tokens: Any) -> Any:
            return tf.zeros([tf.shape(tokens)[0]], tf.int32)

        @context.batch(type_inference=lambda _: (sequence, number))
        def run(x: Any, thresholds: Any, layers: Any) -> Any:
            y = layer(x)
            more = layers + 1
            if goes_on(y, thresholds, more):
                last, ran = run(y, thresholds, more)
            else:
                last, ran = y, more
            return last, ran

        @context.batch(type_inference=lambda _: (distribution, number))
        def classify(tokens: Any, thresholds: Any) -> Any:
            last, ran = run(tokens + q.positions, thresholds, no_layers(tokens))
            found = label(last)
            return found, ran

        return classify

    def assemble(self) -> tuple[Mapping[str, np.ndarray], tuple[np.ndarray, ...]]:
        """Return no tables: the arguments are the arrays of the instances."""
        return {}, self.form

    def depth(self) -> int:
        """Count one call per layer, and the outermost call."""
        return int(self.form[1].shape[1]) + 1

    def results(self, values: Any) -> list[tuple[np.ndarray, int]]:
        """Return (distribution, layers) per sequence."""
        labels, layers = values
        return list(zip(labels, layers.tolist(), strict=True))
