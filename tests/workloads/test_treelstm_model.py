"""The TreeLSTM workload: its model against the paper's equations, its weights, its registry."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import workloads
from workloads.data.source import find_source
from workloads.treelstm import Leaf, Node, Tree

GENERATED = find_source("generated")


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def tai(p: Any, tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """Equations 9 to 14 of Tai et al. 2015 in float64, gate by gate."""
    H = p.emb.shape[1]
    f64 = {name: getattr(p, name).astype(np.float64) for name in ("emb", "w_leaf", "w")}

    def gate(k: int, x: np.ndarray, w: np.ndarray, b: np.ndarray) -> np.ndarray:
        return x @ w[:, k * H : (k + 1) * H] + b[k * H : (k + 1) * H]

    if isinstance(tree, Leaf):
        x = f64["emb"][tree.word]
        i, o, u = (gate(k, x, f64["w_leaf"], p.b_leaf) for k in range(3))
        c = sigmoid(i) * np.tanh(u)
    else:
        (h_l, c_l), (h_r, c_r) = tai(p, tree.left), tai(p, tree.right)
        x = np.concatenate([h_l, h_r])
        i, o, u, f_l, f_r = (gate(k, x, f64["w"], p.b) for k in range(5))
        c = sigmoid(i) * np.tanh(u) + sigmoid(f_l) * c_l + sigmoid(f_r) * c_r
    return sigmoid(o) * np.tanh(c), c


def test_model_is_the_papers() -> None:
    workload = workloads.get("treelstm")
    params = workload.make_params("tiny", 0, GENERATED)
    trees = [*workload.make_instances("tiny", 5, 0, GENERATED), Leaf(3)]
    results = workload.reference(params, trees)
    assert len(results) == 6
    for tree, result in zip(trees, results, strict=True):
        for got, want in zip(result, tai(params, tree), strict=True):
            assert got.dtype == np.float32
            np.testing.assert_allclose(got, want, atol=2e-6)


@pytest.mark.parametrize("size", ["tiny", "small", "large"])
def test_activations_neither_vanish_nor_saturate(size: str) -> None:
    workload = workloads.get("treelstm")
    params = workload.make_params(size, 0, GENERATED)
    trees = workload.make_instances(size, 4, 0, GENERATED)
    for h, c in workload.reference(params, trees):
        assert 0.02 < np.abs(h).mean() < 0.6
        assert np.abs(c).max() < 4


def test_params_are_seeded() -> None:
    workload = workloads.get("treelstm")
    a, b, c = (workload.make_params("tiny", seed, GENERATED) for seed in (0, 0, 1))
    assert (a.w == b.w).all()
    assert (a.emb == b.emb).all()
    assert (a.w != c.w).any()


def test_sizes() -> None:
    workload = workloads.get("treelstm")
    assert {size: workload.dims(size)["H"] for size in workload.sizes} == {
        "tiny": 32,
        "small": 256,
        "large": 512,
    }
    with pytest.raises(ValueError) as error:
        workload.dims("huge")
    assert str(error.value) == "treelstm has no size 'huge'; it has tiny, small, large"


def test_unknown_workload() -> None:
    with pytest.raises(ValueError) as error:
        workloads.get("treelstn")
    assert str(error.value) == (
        f"there is no workload 'treelstn'; there is {', '.join(workloads.ALL)}. "
        "Did you mean 'treelstm'?"
    )


@pytest.mark.slow
@pytest.mark.skipif(
    (3, 12) <= sys.version_info < (3, 14),
    reason="CPython 3.12 and 3.13 count calls that pass through C by a limit of their own",
)
def test_reference_of_a_very_deep_tree() -> None:
    """A chain of 6,000 nodes: far beyond Python's usual recursion limit."""
    workload = workloads.get("treelstm")
    params = workload.make_params("tiny", 0, GENERATED)
    tree: Tree = Leaf(0)
    for _ in range(6_000):
        tree = Node(tree, Leaf(1))
    ((h, c),) = workload.reference(params, [tree])
    assert np.isfinite(h).all()
    # The deep end is forgotten: a third of the chain gives the same.
    short: Tree = Leaf(0)
    for _ in range(2000):
        short = Node(short, Leaf(1))
    ((h_short, c_short),) = workload.reference(params, [short])
    np.testing.assert_allclose(h, h_short, atol=1e-5)
    np.testing.assert_allclose(c, c_short, atol=1e-5)


def test_reference_passes_errors_on() -> None:
    workload = workloads.get("treelstm")
    params = workload.make_params("tiny", 0, GENERATED)
    with pytest.raises(IndexError):
        workload.reference(params, [Leaf(10**9)])
