"""MV-RNN: a scan over a tree's inner nodes; vectors and matrices have a table each."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from . import trees
from .mapped import Mapped
from .trees import FlatTree, flatten

__all__ = ["Batched", "flatten"]


def encode(p: Any, words: Any, children: Any, root: Any) -> Any:
    """Return the root's vector."""
    inner = len(children)

    def table_of(leaves: Any) -> Any:
        return jnp.concatenate([leaves, jnp.zeros((inner, *leaves.shape[1:]), leaves.dtype)])

    def node(tables: Any, at: Any) -> Any:
        vectors, matrices = tables
        pair, place = at
        (a, b), (a_matrix, b_matrix) = vectors[pair], matrices[pair]
        vector = jnp.tanh(jnp.concatenate([a @ b_matrix, b @ a_matrix]) @ p.w + p.b)
        matrix = jnp.concatenate([a_matrix, b_matrix], axis=1) @ p.w_m
        found = (
            lax.dynamic_update_index_in_dim(vectors, vector, place, 0),
            lax.dynamic_update_index_in_dim(matrices, matrix, place, 0),
        )
        return found, None

    tables = table_of(p.vectors[words]), table_of(p.matrices[words % len(p.matrices)])
    (vectors, _), _ = lax.scan(node, tables, (children, len(words) + jnp.arange(inner)))
    return vectors[root]


def read(_: list[FlatTree], vectors: Any) -> list[np.ndarray]:
    """Return the vector of every tree."""
    return list(np.asarray(vectors))


class Batched(Mapped):
    """`encode` over trees."""

    pad, model, read = trees.pad, encode, read
