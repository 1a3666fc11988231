"""DRNN: a scan over all positions that a tree may have, parents and left siblings first; nodes that
are not generated are computed all the same, and left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.nn import sigmoid, softmax

from workloads.drnn import LEVELS, POSITIONS, SIBLINGS, Forest, Nothing, Tree

from .mapped import Mapped

_AT = np.arange(POSITIONS)
# The last row stays zero: the state to the left of a first child, and above the root.
_NONE = POSITIONS
_NUMBER = np.where(_AT > 0, (_AT - 1) % SIBLINGS, 0)
_PARENT = np.where(_AT > 0, (_AT - 1) // SIBLINGS, _NONE)
_BEFORE = np.where(_NUMBER > 0, _AT - 1, _NONE)
# Positions that may have children, or a sibling to the right.
_INNER = SIBLINGS * _AT + 1 < POSITIONS
_FOLLOWED = (_AT > 0) & (_NUMBER < SIBLINGS - 1)
assert _INNER.sum() == (SIBLINGS**LEVELS - 1) // (SIBLINGS - 1)


def flatten(instances: Sequence[Any]) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """Return the token and both thresholds of each seed."""
    return [
        (s.token, np.array(s.child, np.float32), np.array(s.sibling, np.float32)) for s in instances
    ]


def pad(seeds: list[tuple[int, np.ndarray, np.ndarray]]) -> tuple[np.ndarray, ...]:
    """Return tokens [batch] and thresholds [batch, positions]: there is nothing to pad."""
    tokens, child, sibling = zip(*seeds, strict=True)
    return np.array(tokens, np.int32), np.stack(child), np.stack(sibling)


def generate(p: Any, token: Any, child: Any, sibling: Any) -> Any:
    """Return labels [positions, C], and whether each position has children and a next sibling."""
    # h_a, h_f and x of every position. The token's embedding takes the place of the root's parent.
    table = jnp.zeros((POSITIONS + 1, 3, p.b_a.shape[0]))

    def node(table: Any, at: Any) -> Any:
        place, parent, before, child_over, sibling_over = at
        above, left = table[parent], table[before]
        above_h = jnp.where(place == 0, p.emb[token], above[0])
        h_a = jnp.tanh(jnp.concatenate([above_h, above[2]]) @ p.w_a + p.b_a)
        h_f = jnp.tanh(jnp.concatenate([left[1], left[2]]) @ p.w_f + p.b_f)
        h = jnp.tanh(h_a @ p.u_a + h_f @ p.u_f)
        label = softmax(h @ p.w_label)
        has_child = sigmoid(h @ p.w_child)[0] > child_over
        has_sibling = sigmoid(h @ p.w_sibling)[0] > sibling_over
        state = jnp.stack([h_a, h_f, label @ p.labels])
        table = lax.dynamic_update_index_in_dim(table, state, place, 0)
        return table, (label, has_child, has_sibling)

    xs = (_AT, _PARENT, _BEFORE, child, sibling)
    _, (labels, has_child, has_sibling) = lax.scan(node, table, xs)
    return labels, has_child & _INNER, has_sibling & _FOLLOWED


def read(_: Any, found: Any) -> list[Forest]:
    """Return the trees, in left-child right-sibling form."""
    labels, child, sibling = (np.asarray(a) for a in found)

    def tree(i: int, at: int) -> Forest:
        return Tree(
            labels[i, at],
            tree(i, SIBLINGS * at + 1) if child[i, at] else Nothing(),
            tree(i, at + 1) if sibling[i, at] else Nothing(),
        )

    return [tree(i, 0) for i in range(len(labels))]


class Batched(Mapped):
    """`generate` over seeds."""

    pad, model, read = pad, generate, read
