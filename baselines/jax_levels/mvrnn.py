"""MV-RNN level by level, with a batched product for the nodes' own matrices: the vectors and
matrices of all nodes lie in two tables."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ..jax_shared.padding import bucket, padded
from ..shared.trees import assemble, flatten_tree
from .treelstm import rows_of


def flatten(instances: Sequence[Any]) -> list[np.ndarray]:
    """Return flat trees (`trees.flatten_tree`)."""
    return [flatten_tree(tree) for tree in instances]


@functools.partial(jax.jit, donate_argnums=(0, 1))
def leaves(vectors: Any, matrices: Any, p: Any, words: Any) -> Any:
    """Write the words' vectors and matrices to the tables' first rows."""
    found = p.vectors[words], p.matrices[words % len(p.matrices)]
    return tuple(
        lax.dynamic_update_slice_in_dim(table, rows, 0, 0)
        for table, rows in zip((vectors, matrices), found, strict=True)
    )


@functools.partial(jax.jit, donate_argnums=(0, 1))
def level(vectors: Any, matrices: Any, p: Any, pairs: Any, first: Any) -> Any:
    """Write vectors and matrices of nodes with children `pairs` [n, 2] to the rows from `first`."""
    pair, own = vectors[pairs], matrices[pairs]  # [n, 2, H], [n, 2, H, H]
    crossed = jnp.einsum("nkh,nkhj->nkj", pair, own[:, ::-1])
    vector = jnp.tanh(crossed.reshape(len(pairs), -1) @ p.w + p.b)
    matrix = jnp.concatenate([own[:, 0], own[:, 1]], axis=2) @ p.w_m
    return tuple(
        lax.dynamic_update_slice_in_dim(table, rows, first, 0)
        for table, rows in zip((vectors, matrices), (vector, matrix), strict=True)
    )


class Batched:
    """The model over the levels of all trees."""

    def __init__(self, params: Any, trees: list[np.ndarray]) -> None:
        self.p, self.trees = params, trees
        self.tables = self.new_tables(0)

    def new_tables(self, rows: int) -> tuple[Any, Any]:
        """Return tables of vectors [rows, H] and matrices [rows, H, H]."""
        hidden = self.p.b.shape[0]
        return jnp.zeros((rows, hidden)), jnp.zeros((rows, hidden, hidden))

    def assemble(self) -> None:
        """Number all nodes by height, and pad every level."""
        forest = assemble(self.trees)
        bounds, leaf = forest.bounds, forest.bounds[1]
        sizes = [bucket(n, 8) for n in np.diff(bounds).tolist()]
        self.n_nodes, self.n_batches = bounds[-1], len(sizes)
        # The padding of any level needs rows, too.
        self.rows = bucket(self.n_nodes + max(sizes))
        self.words = padded(forest.words.astype(np.int32), sizes[0])
        children = forest.children.astype(np.int32)
        self.levels = [
            (padded(children[first - leaf : end - leaf], size), first)
            for first, end, size in zip(bounds[1:-1], bounds[2:], sizes[1:], strict=True)
        ]
        self.roots = padded(forest.roots.astype(np.int32), bucket(len(forest.roots)))

    def compute(self) -> Any:
        """Compute the vectors of the roots, [trees, H], and padding."""
        if len(self.tables[0]) != self.rows:
            self.tables = self.new_tables(self.rows)
        self.tables = leaves(*self.tables, self.p, self.words)
        for pairs, first in self.levels:
            self.tables = level(*self.tables, self.p, pairs, first)
        self.found = rows_of(self.tables[0], self.roots)
        return self.found

    def results(self) -> list[np.ndarray]:
        """Return the roots' vectors."""
        return list(np.asarray(self.found)[: len(self.trees)])
