"""Child-sum TreeLSTM: a scan over a tree's nodes in post-order. A node adds its state,
once computed, to its parent's sums, so that any number of children needs no padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.nn import sigmoid

from ..jax_shared.padding import bucket, lengths_of, stack_padded
from ..jax_shared.weights import split
from ..shared.rooted import PARENT, WORD, flatten_rooted
from .mapped import Mapped


def flatten(instances: Sequence[Any]) -> list[np.ndarray]:
    """Return, per tree, int32 [nodes, 3] (`rooted.flatten_rooted`)."""
    return [flatten_rooted(tree) for tree in instances]


def pad(trees: list[np.ndarray]) -> tuple[np.ndarray, ...]:
    """Return words and parents' rows [batch, nodes], and the root's row [batch]. Nodes without a
    parent, and padding, add to an extra row after those of the nodes."""
    last = lengths_of(trees) - 1
    nodes = bucket(int(last.max()) + 1)
    parents = stack_padded([tree[:, PARENT] for tree in trees], nodes, -1)
    words = stack_padded([tree[:, WORD] for tree in trees], nodes)
    return words, np.where(parents < 0, nodes, parents), last


def encode(p: Any, words: Any, parents: Any, root: Any) -> Any:
    """Return (h, c) of the root of one tree, [2, H]."""
    x = p.emb[words] @ p.w + p.b
    nodes, hidden = len(words), p.u_f.shape[0]
    x = jnp.concatenate([x, jnp.zeros_like(x[:1])])
    sums = jnp.zeros((nodes + 1, 2, hidden), x.dtype)

    def node(sums: Any, at: Any) -> Any:
        place, parent = at
        i, o, u, _ = split(x[place], 4)
        total, kept = lax.dynamic_index_in_dim(sums, place, 0, keepdims=False)
        i_h, o_h, u_h = split(total @ p.u, 3)
        c = sigmoid(i + i_h) * jnp.tanh(u + u_h) + kept
        h = sigmoid(o + o_h) * jnp.tanh(c)
        f = sigmoid(x[parent, 3 * hidden :] + h @ p.u_f)
        return sums.at[parent].add(jnp.stack([h, f * c])), jnp.stack([h, c])

    _, states = lax.scan(node, sums, (jnp.arange(nodes), parents))
    return states[root]


def read(_: list[np.ndarray], states: Any) -> list[tuple[np.ndarray, ...]]:
    """Return (h, c) of every tree."""
    return [(h, c) for h, c in np.asarray(states)]


class Batched(Mapped):
    """`encode` over trees."""

    pad, model, read = pad, encode, read
