"""The accuracy of sentiment: the classes of all nodes, computed by numpy level by level.

The weights of all systems are evaluated by this module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .treelstm import Labelled, Leaf, post_order


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The fractions of the roots and of all nodes that are classified correctly."""

    roots: float
    nodes: float


def accuracy(weights: Mapping[str, np.ndarray], trees: Sequence[Labelled]) -> Accuracy:
    """The accuracy on `trees`, with weights named by their paths in `Sentiment`."""
    labels: list[int] = []
    words: list[tuple[int, int]] = []
    # By height: the nodes and their children.
    levels: list[list[tuple[int, int, int]]] = []
    roots: list[int] = []
    for tree in trees:
        done: list[tuple[int, int]] = []  # node and height
        for node in post_order(tree):
            number = len(labels)
            labels.append(node.label)
            if isinstance(node, Leaf):
                words.append((number, node.word))
                done.append((number, 0))
                continue
            (right, right_height), (left, left_height) = done.pop(), done.pop()
            height = 1 + max(left_height, right_height)
            if height > len(levels):
                levels.append([])
            levels[height - 1].append((number, left, right))
            done.append((number, height))
        roots.append(done[0][0])
    hidden = weights["inner.emb"].shape[1]
    h, c = np.zeros((2, len(labels), hidden), np.float32)
    nodes, ids = np.array(words).T
    z = weights["inner.emb"][ids] @ weights["inner.w_leaf"] + weights["inner.b_leaf"]
    i, o, u = np.split(z, 3, 1)
    c[nodes] = _sigmoid(i) * np.tanh(u)
    h[nodes] = _sigmoid(o) * np.tanh(c[nodes])
    for level in levels:
        nodes, left, right = np.array(level).T
        x = np.concatenate((h[left], h[right]), 1)
        i, o, u, f_l, f_r = np.split(x @ weights["inner.w"] + weights["inner.b"], 5, 1)
        c[nodes] = _sigmoid(i) * np.tanh(u) + _sigmoid(f_l) * c[left] + _sigmoid(f_r) * c[right]
        h[nodes] = _sigmoid(o) * np.tanh(c[nodes])
    found = (h @ weights["w_out"] + weights["b_out"]).argmax(1) == np.array(labels)
    return Accuracy(float(found[roots].mean()), float(found.mean()))


def _sigmoid(x: np.ndarray) -> np.ndarray:
    """The logistic function, without overflow."""
    result: np.ndarray = 0.5 * (np.tanh(0.5 * x) + 1)
    return result
