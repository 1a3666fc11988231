"""Binary TreeLSTM, all trees of the mini-batch level by level: a level is one gather and one
product, and writes its states to the rows that the next gather reads."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.nn import sigmoid

from ..jax_shared.padding import bucket, padded
from ..jax_shared.weights import split
from ..shared.trees import assemble, flatten_tree


def flatten(instances: Sequence[Any]) -> list[np.ndarray]:
    """Return flat trees (`trees.flatten_tree`)."""
    return [flatten_tree(tree) for tree in instances]


@functools.partial(jax.jit, donate_argnums=0)
def leaves(table: Any, emb: Any, w: Any, b: Any, words: Any) -> Any:
    """Write the states of leaves to the table's first rows; `table` [rows, 2, H] has (h, c)."""
    i, o, u = split(emb[words] @ w + b, 3)
    c = sigmoid(i) * jnp.tanh(u)
    states = jnp.stack([sigmoid(o) * jnp.tanh(c), c], axis=1)
    return lax.dynamic_update_slice_in_dim(table, states, 0, 0)


@functools.partial(jax.jit, donate_argnums=0)
def level(table: Any, w: Any, b: Any, pairs: Any, first: Any) -> Any:
    """Write the states of nodes with children `pairs` [n, 2] to the rows from `first` on."""
    states = table[pairs]  # [n, 2 children, 2, H]
    h, c = states[:, :, 0], states[:, :, 1]
    i, o, u, f_l, f_r = split(h.reshape(len(pairs), -1) @ w + b, 5)
    c = sigmoid(i) * jnp.tanh(u) + sigmoid(f_l) * c[:, 0] + sigmoid(f_r) * c[:, 1]
    states = jnp.stack([sigmoid(o) * jnp.tanh(c), c], axis=1)
    return lax.dynamic_update_slice_in_dim(table, states, first, 0)


@jax.jit
def rows_of(table: Any, rows: Any) -> Any:
    """Return some rows of a table."""
    return table[rows]


class Batched:
    """The model over the levels of all trees."""

    def __init__(self, params: Any, trees: list[np.ndarray]) -> None:
        self.p, self.trees = params, trees
        self.table = jnp.zeros((0, 2, params.emb.shape[1]))

    def assemble(self) -> None:
        """Number all nodes by height, and pad every level."""
        forest = assemble(self.trees)
        bounds = forest.bounds
        sizes = [bucket(n, 8) for n in np.diff(bounds).tolist()]
        self.n_nodes, self.n_batches = bounds[-1], len(sizes)
        # The padding of any level needs rows, too.
        self.rows = bucket(self.n_nodes + max(sizes))
        self.words = padded(forest.words.astype(np.int32), sizes[0])
        children, leaf = forest.children.astype(np.int32), bounds[1]
        self.levels = [
            (padded(children[first - leaf : end - leaf], size), first)
            for first, end, size in zip(bounds[1:-1], bounds[2:], sizes[1:], strict=True)
        ]
        self.roots = padded(forest.roots.astype(np.int32), bucket(len(forest.roots)))

    def compute(self) -> Any:
        """Compute (h, c) of the roots, [trees, 2, H], and padding."""
        p = self.p
        if len(self.table) != self.rows:
            self.table = jnp.zeros((self.rows, *self.table.shape[1:]))
        self.table = leaves(self.table, p.emb, p.w_leaf, p.b_leaf, self.words)
        for pairs, first in self.levels:
            self.table = level(self.table, p.w, p.b, pairs, first)
        self.found = rows_of(self.table, self.roots)
        return self.found

    def results(self) -> list[tuple[np.ndarray, ...]]:
        """Return (h, c) of every root."""
        return [(h, c) for h, c in np.asarray(self.found)[: len(self.trees)]]
