"""Child-sum TreeLSTM, all trees level by level: the inputs of all nodes are projected in one
product; a level has a product over the children (forget gates), sums by parent, and a product over
the nodes."""

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
from ..shared.rooted import HEIGHT, PARENT, WORD, flatten_rooted
from .treelstm import rows_of


def flatten(instances: Sequence[Any]) -> list[np.ndarray]:
    """Return flat trees (`rooted.flatten_rooted`)."""
    return [flatten_rooted(tree) for tree in instances]


@jax.jit
def project(emb: Any, w: Any, b: Any, words: Any) -> Any:
    """Return the words' contributions to the gates, [words, 4 H]."""
    return emb[words] @ w + b


@functools.partial(jax.jit, static_argnums=2, donate_argnums=0)
def leaves(table: Any, x: Any, n: int) -> Any:
    """Write the states of the first `n` nodes, which are leaves, to the table [rows, 2, H]."""
    i, o, u, _ = split(x[:n], 4)
    c = sigmoid(i) * jnp.tanh(u)
    states = jnp.stack([sigmoid(o) * jnp.tanh(c), c], axis=1)
    return lax.dynamic_update_slice_in_dim(table, states, 0, 0)


@functools.partial(jax.jit, static_argnums=7, donate_argnums=0)
def level(table: Any, x: Any, u: Any, u_f: Any, child: Any, parent: Any, first: Any, n: int) -> Any:
    """Write the states of `n` nodes from `first` on; `child` [edges] are rows, and `parent` [edges]
    numbers within the level, of at least `n` for padding."""
    h, c = (table[child, k] for k in (0, 1))
    x = lax.dynamic_slice_in_dim(x, first, n, 0)
    i, o, g, f = split(x, 4)
    kept = sigmoid(f[jnp.minimum(parent, n - 1)] + h @ u_f) * c
    sums = jax.ops.segment_sum(
        jnp.stack([h, kept], axis=1), parent, num_segments=n, indices_are_sorted=True
    )
    i_h, o_h, g_h = split(sums[:, 0] @ u, 3)
    c = sigmoid(i + i_h) * jnp.tanh(g + g_h) + sums[:, 1]
    states = jnp.stack([sigmoid(o + o_h) * jnp.tanh(c), c], axis=1)
    return lax.dynamic_update_slice_in_dim(table, states, first, 0)


class Batched:
    """The model over the levels of all trees."""

    def __init__(self, params: Any, trees: list[np.ndarray]) -> None:
        self.p, self.trees = params, trees
        self.table = jnp.zeros((0, 2, params.emb.shape[1]))

    def assemble(self) -> None:
        """Number all nodes by height, sort the children by their parents, and pad every level."""
        counts = np.array([len(t) for t in self.trees], np.int32)
        ends = np.cumsum(counts)
        nodes = np.concatenate(self.trees)
        order = np.argsort(nodes[:, HEIGHT], kind="stable")
        number = np.empty(len(nodes), np.int32)
        number[order] = np.arange(len(nodes), dtype=np.int32)
        bounds = np.concatenate([[0], np.cumsum(np.bincount(nodes[:, HEIGHT]))]).tolist()
        child = np.flatnonzero(nodes[:, PARENT] >= 0)
        parent = number[nodes[child, PARENT] + np.repeat(ends - counts, counts)[child]]
        by_parent = np.argsort(parent, kind="stable")
        parents, children = parent[by_parent], number[child][by_parent]
        cuts = np.searchsorted(parents, bounds).tolist()
        sizes = [bucket(n, 8) for n in np.diff(bounds).tolist()]
        self.rows = bucket(len(nodes) + max(sizes))
        self.words = padded(nodes[order, WORD], self.rows)
        self.leaves, self.levels = sizes[0], []
        for k in range(1, len(sizes)):
            edges = slice(cuts[k], cuts[k + 1])
            length = bucket(cuts[k + 1] - cuts[k], 8)
            to = padded(parents[edges] - np.int32(bounds[k]), length, sizes[k])
            self.levels.append((padded(children[edges], length), to, bounds[k], sizes[k]))
        self.roots = padded(number[ends - 1], bucket(len(ends)))
        self.n_nodes, self.n_batches = len(nodes), len(sizes)

    def compute(self) -> Any:
        """Compute (h, c) of the roots, [trees, 2, H], and padding."""
        p = self.p
        if len(self.table) != self.rows:
            self.table = jnp.zeros((self.rows, *self.table.shape[1:]))
        x = project(p.emb, p.w, p.b, self.words)
        self.table = leaves(self.table, x, self.leaves)
        for child, parent, first, n in self.levels:
            self.table = level(self.table, x, p.u, p.u_f, child, parent, first, n)
        self.found = rows_of(self.table, self.roots)
        return self.found

    def results(self) -> list[tuple[np.ndarray, ...]]:
        """Return (h, c) of every root."""
        return [(h, c) for h, c in np.asarray(self.found)[: len(self.trees)]]
