"""All workloads as plain Python: seeded, finite, neither vanishing nor saturated; and what is
stated of single ones."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
import pytest

import workloads
from workloads import nestedrnn
from workloads.data.lengths import sentence_lengths
from workloads.data.source import TreeSource
from workloads.results import flatten
from workloads.treelstm import Leaf, Node
from workloads.treelstm_childsum import Word

SOURCE = TreeSource(None)


@functools.cache
def results(name: str, batch: int, seed: int) -> list[tuple[str, list[np.ndarray]]]:
    """Structure and tensors of every result at `tiny`, everything made anew."""
    workload = workloads.get(name)
    params = workload.make_params("tiny", seed, SOURCE)
    instances = workload.make_instances("tiny", batch, seed, SOURCE)
    return [flatten(r) for r in workload.reference(params, instances)]


def bits(found: list[tuple[str, list[np.ndarray]]]) -> list[Any]:
    return [(structure, [a.tobytes() for a in arrays]) for structure, arrays in found]


@pytest.mark.parametrize("name", workloads.NAMES)
@pytest.mark.parametrize("batch", [1, 7])
def test_same_seed_same_result(name: str, batch: int) -> None:
    first = results(name, batch, 3)
    assert len(first) == batch
    results.cache_clear()
    assert bits(results(name, batch, 3)) == bits(first)
    assert bits(results(name, batch, 4)) != bits(first)


@pytest.mark.parametrize("name", workloads.NAMES)
def test_results_are_finite_and_alive(name: str) -> None:
    found = results(name, 16, 0)
    tensors = [a for _, arrays in found for a in arrays]
    assert all(a.dtype == np.float32 and np.isfinite(a).all() for a in tensors)
    values = np.concatenate([a.ravel() for a in tensors])
    assert 0.01 < np.abs(values).mean() < 0.8
    assert np.abs(values).max() < 4
    # Instances differ: nothing swamps the input.
    assert len({a.tobytes() for a in tensors}) == len(tensors)


@pytest.mark.parametrize("name", workloads.NAMES)
def test_sizes_grow(name: str) -> None:
    workload = workloads.get(name)
    assert list(workload.sizes) == ["tiny", "small", "large"]
    sizes = [list(workload.dims(size).values()) for size in workload.sizes]
    for smaller, larger in itertools.pairwise(sizes):
        assert smaller < larger
        assert all(a <= b for a, b in zip(smaller, larger, strict=True))


@pytest.mark.parametrize("name", ["birnn", "drnn", "berxit"])
def test_label_distributions_are_distributions(name: str) -> None:
    for _, arrays in results(name, 16, 0):
        for a in arrays:
            assert a.shape == (16,)
            assert a.min() > 0
            assert a.sum() == pytest.approx(1, abs=1e-5)
            assert a.max() < 0.9


def socher(p: Any, tree: Any) -> tuple[np.ndarray, np.ndarray]:
    """Equations 2 and 3 of Socher et al. 2012 in float64, with columns as there."""
    if isinstance(tree, Leaf):
        return p.vectors[tree.word].astype(float), p.matrices[tree.word % 256].T.astype(float)
    (a, a_matrix), (b, b_matrix) = socher(p, tree.left), socher(p, tree.right)
    phrase = np.tanh(p.w.T @ np.concatenate([b_matrix @ a, a_matrix @ b]) + p.b)
    return phrase, p.w_m.T.astype(float) @ np.concatenate([a_matrix, b_matrix])


def test_mvrnn_is_the_papers() -> None:
    workload = workloads.get("mvrnn")
    params = workload.make_params("tiny", 0, SOURCE)
    trees = [*workload.make_instances("tiny", 5, 0, SOURCE), Leaf(300), Node(Leaf(3), Leaf(259))]
    for tree, got in zip(trees, workload.reference(params, trees), strict=True):
        np.testing.assert_allclose(got, socher(params, tree)[0], atol=2e-6)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def tai(p: Any, tree: Word) -> tuple[np.ndarray, np.ndarray]:
    """Equations 2 to 8 of Tai et al. 2015 in float64, gate by gate."""
    H = p.emb.shape[1]
    below = [tai(p, child) for child in tree.children]
    x = p.emb[tree.word].astype(float)
    h_sum = sum((h for h, _ in below), np.zeros(H))

    def gate(k: int, h: np.ndarray, u: np.ndarray) -> np.ndarray:
        return x @ p.w[:, k * H : (k + 1) * H] + h @ u + p.b[k * H : (k + 1) * H]

    i, o, u = (gate(k, h_sum, p.u[:, k * H : (k + 1) * H]) for k in range(3))
    c = sigmoid(i) * np.tanh(u)
    for h_k, c_k in below:
        c = c + sigmoid(gate(3, h_k, p.u_f)) * c_k
    return sigmoid(o) * np.tanh(c), c


def test_child_sum_is_the_papers() -> None:
    workload = workloads.get("treelstm_childsum")
    params = workload.make_params("tiny", 0, SOURCE)
    trees = [*workload.make_instances("tiny", 5, 0, SOURCE), Word(3, [])]
    for tree, result in zip(trees, workload.reference(params, trees), strict=True):
        for got, want in zip(result, tai(params, tree), strict=True):
            np.testing.assert_allclose(got, want, atol=2e-6)


def words(tree: Word) -> list[int]:
    return [tree.word, *(w for child in tree.children for w in words(child))]


def height(tree: Word) -> int:
    return 1 + max(map(height, tree.children), default=0)


def test_dependency_trees_have_the_sentences_words_and_any_number_of_children() -> None:
    trees = workloads.get("treelstm_childsum").make_instances("tiny", 256, 0, SOURCE)
    for tree, flat in zip(trees, SOURCE.sample(256, 0, 18_000), strict=True):
        assert sorted(words(tree)) == sorted(w for w in flat.word.tolist() if w >= 0)
    assert 5 < np.mean([height(t) for t in trees]) < 9
    assert {len(t.children) for t in trees} >= {1, 2, 3, 4, 5}


def test_birnn_labels_every_word() -> None:
    workload = workloads.get("birnn")
    sentences = workload.make_instances("tiny", 16, 0, SOURCE)
    found = results("birnn", 16, 0)
    assert [len(arrays) for _, arrays in found] == [len(s) for s in sentences]


def test_sentences_are_as_long_as_xnlis() -> None:
    lengths = np.array(sentence_lengths(np.random.default_rng(0), 20_000))
    # Half Gamma(5.0, 4.16), half Gamma(6.6, 1.60): means 20.8 and 10.56.
    assert lengths.mean() == pytest.approx((20.8 + 10.56) / 2, abs=0.2)
    within, between = (5.0 * 4.16**2 + 6.6 * 1.6**2) / 2, ((20.8 - 10.56) / 2) ** 2
    assert lengths.std() == pytest.approx((within + between) ** 0.5, abs=0.2)
    assert lengths.min() >= 2


@pytest.mark.parametrize("size", nestedrnn.SIZES)
def test_trip_counts_are_uniform(size: str) -> None:
    least, most = nestedrnn.SIZES[size]["least"], nestedrnn.SIZES[size]["most"]
    documents = nestedrnn.make_instances(size, 200, 0, SOURCE)
    inner = [len(s) for d in documents for s in d.sentences]
    counts = np.bincount(inner, minlength=most + 1)
    assert counts[:least].sum() == 0
    assert len(counts) == most + 1
    expected = len(inner) / (most - least + 1)
    assert np.abs(counts[least:] - expected).max() < 5 * expected**0.5
    outer = [len(d.sentences) for d in documents]
    assert (min(outer), max(outer)) == (least, most)
    assert np.mean(outer) == pytest.approx((least + most) / 2, rel=0.1)


def test_scalars_of_numpy_are_tensors() -> None:
    x = np.ones(3, np.float32)
    assert flatten(x @ x)[0] == flatten(np.asarray(x @ x))[0] == "tensor[]"
