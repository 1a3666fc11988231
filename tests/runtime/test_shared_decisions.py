"""Calls that suspend at a decision and are made once: other fibers wait for those in flight."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops
from workloads.treelstm import Leaf, Node, Tree


@ab.params
class Weights:
    emb: Float32[Tensor, "V H"]
    w: Float32[Tensor, "2H H"]


@ab.model
def encode(p: Weights, tree: Tree, scale: int) -> Float32[Tensor, "H"]:
    match tree:
        case Leaf(word):
            return p.emb[word] * float(scale)
        case Node(left, right):
            x, y = ab.parallel(encode(p, left, scale), encode(p, right, scale))
            h = ops.tanh(ops.concat(x, y) @ p.w)
            if ops.item(ops.sum(h)) > 0.0:
                return -h
            return h


@ab.model
def both(p: Weights, tree: Tree) -> Float32[Tensor, "H"]:
    return encode(p, tree, 1) + encode(p, tree, 2)


EMB = np.random.default_rng(0).normal(size=(5, 8)).astype(np.float32)
WEIGHT = np.random.default_rng(1).normal(size=(16, 8)).astype(np.float32)
PARAMS = Weights(emb=EMB, w=WEIGHT)


def expected(tree: Tree, scale: int, known: dict[tuple[int, int], np.ndarray]) -> np.ndarray:
    """The model in plain Python, each object once."""
    key = (id(tree), scale)
    if key not in known:
        if isinstance(tree, Leaf):
            known[key] = EMB[tree.word] * scale
        else:
            x = [expected(t, scale, known) for t in (tree.left, tree.right)]
            h = np.tanh(np.concatenate(x) @ WEIGHT)
            known[key] = -h if h.sum() > 0 else h
    return known[key]


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["aot", "vm"])
@pytest.mark.parametrize("fibers", [True, False])
def test_doubled_mentions(executor: Literal["aot", "vm"], fibers: bool) -> None:
    fast = ab.compile(both, PARAMS, "cpu", ab.Options(executor=executor, fibers=fibers, threads=1))
    rng = np.random.default_rng(3)
    made: list[Tree] = [Leaf(1), Leaf(2)]
    for _ in range(24):
        made.append(Node(made[-1], made[-int(rng.integers(1, 3))]))
    batch = [made[-1], made[10], made[-1], Node(Leaf(0), Leaf(3))]
    known: dict[tuple[int, int], np.ndarray] = {}
    for got, tree in zip(fast(batch), batch, strict=True):
        want = expected(tree, 1, known) + expected(tree, 2, known)
        np.testing.assert_allclose(got, want, atol=1e-4)
    assert fast.last_profile.n_nodes < 400
