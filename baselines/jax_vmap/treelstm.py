"""Binary TreeLSTM: all leaves of a tree at once, then a scan over its inner nodes, whose states are
written to a table that later nodes read."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.nn import sigmoid

from ..jax_shared.weights import split
from . import trees
from .mapped import Mapped
from .trees import FlatTree, flatten

__all__ = ["Batched", "flatten"]


def encode(p: Any, words: Any, children: Any, root: Any) -> Any:
    """Return (h, c) of the root of one tree."""
    i, o, u = split(p.emb[words] @ p.w_leaf + p.b_leaf, 3)
    c = sigmoid(i) * jnp.tanh(u)
    states = jnp.stack([sigmoid(o) * jnp.tanh(c), c], axis=1)  # [leaves, 2, H]
    inner = len(children)
    table = jnp.concatenate([states, jnp.zeros((inner, *states.shape[1:]), states.dtype)])

    def node(table: Any, at: Any) -> Any:
        pair, place = at
        (h_l, c_l), (h_r, c_r) = table[pair]
        i, o, u, f_l, f_r = split(jnp.concatenate([h_l, h_r]) @ p.w + p.b, 5)
        c = sigmoid(i) * jnp.tanh(u) + sigmoid(f_l) * c_l + sigmoid(f_r) * c_r
        state = jnp.stack([sigmoid(o) * jnp.tanh(c), c])
        return lax.dynamic_update_index_in_dim(table, state, place, 0), None

    table, _ = lax.scan(node, table, (children, len(words) + jnp.arange(inner)))
    return table[root]


def read(_: list[FlatTree], states: Any) -> list[tuple[np.ndarray, ...]]:
    """Return (h, c) of every tree."""
    return [(h, c) for h, c in np.asarray(states)]


class Batched(Mapped):
    """`encode` over trees."""

    pad, model, read = trees.pad, encode, read
