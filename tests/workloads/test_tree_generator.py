"""The generator's trees have the treebank's statistics, and other ways of splitting do not."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pytest

from tests.selection import some
from workloads.data import generator
from workloads.data.source import find_source

# Statistic of the treebank -> (value, tolerance), from docs/design.md, "Data".
TARGETS = {
    "height, mean": (9.85, 0.25),
    "height, standard deviation": (3.81, 0.35),
    "mean maximum height of 8": (15.6, 0.5),
    "mean maximum height of 64": (20.1, 0.8),
}
N_TREES = 6400


def statistics(heights: np.ndarray) -> dict[str, float]:
    values = (
        heights.mean(),
        heights.std(),
        heights.reshape(-1, 8).max(1).mean(),
        heights.reshape(-1, 64).max(1).mean(),
    )
    return dict(zip(TARGETS, map(float, values), strict=True))


def misses(heights: np.ndarray) -> list[str]:
    found = statistics(heights)
    return [name for name, (value, within) in TARGETS.items() if abs(found[name] - value) > within]


def heights_of(seed: int, count: int = N_TREES) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.array([generator.generate_tree(rng, 100).heights()[-1] for _ in range(count)])


@pytest.mark.slow
@pytest.mark.parametrize("seed", some([0, 1], always=lambda seed: seed == 0))
def test_heights_are_the_treebanks(seed: int) -> None:
    heights = heights_of(seed)
    assert misses(heights) == [], statistics(heights)


@pytest.mark.slow
def test_the_treebank_itself_passes() -> None:
    source = find_source()
    if source.folder is None:
        pytest.skip("the Stanford Sentiment Treebank is not at hand; set ACROBAT_SST_DIR")
    heights = np.array([t.heights()[-1] for t in source.sample(N_TREES, 0, 0)])
    assert misses(heights) == [], statistics(heights)


def balanced(n: int) -> np.ndarray:
    return np.eye(n - 1)[n // 2 - 1]


def uniform(n: int) -> np.ndarray:
    return np.full(n - 1, 1 / (n - 1))


def chain(n: int) -> np.ndarray:
    return np.eye(n - 1)[0]


@pytest.mark.parametrize("split", [balanced, uniform, chain])
def test_other_splits_fail(
    split: Callable[[int], np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generator, "split_probabilities", functools.cache(split))
    assert len(misses(heights_of(0, 1280))) == len(TARGETS)


@pytest.mark.parametrize("n", range(2, 60))
def test_split_probabilities_are_the_table(n: int) -> None:
    p = generator.split_probabilities(n)
    assert p.shape == (n - 1,)
    assert p.min() >= 0
    assert p.sum() == pytest.approx(1)
    row = next(row for top, row in generator.SPLITS if n <= top)
    if n >= 6:
        np.testing.assert_allclose(p[[0, 1, -1, -2]], row, atol=2e-3)
        np.testing.assert_allclose(p[2:-2], p[2], rtol=1e-9)
    elif n == 4:
        np.testing.assert_allclose(p, [row[0], row[1] + row[3], row[2]])


def test_leaves_and_words() -> None:
    rng = np.random.default_rng(0)
    trees = [generator.generate_tree(rng, 50) for _ in range(2000)]
    leaves = np.array([t.n_leaves for t in trees])
    assert leaves.min() >= 2
    assert leaves.max() <= 56
    # Gamma(4.336, 4.421): mean 19.17, standard deviation 9.21.
    assert leaves.mean() == pytest.approx(19.17, abs=0.6)
    assert leaves.std() == pytest.approx(9.2, abs=0.5)
    words = np.concatenate([t.word[t.left < 0] for t in trees])
    counts = np.bincount(words, minlength=50)
    assert len(counts) == 50
    # Zipf: the second word half as often as the first, the tenth a tenth.
    assert counts[1] / counts[0] == pytest.approx(1 / 2, rel=0.1)
    assert counts[9] / counts[0] == pytest.approx(1 / 10, rel=0.15)
    for tree in trees[:50]:
        inner = tree.left >= 0
        assert len(tree.left) == 2 * tree.n_leaves - 1
        assert (tree.left[inner] < np.flatnonzero(inner)).all()
        assert (tree.right[inner] < np.flatnonzero(inner)).all()
        assert (tree.word[inner] == -1).all()
        # Every node but the root is a child once.
        children = np.sort(np.concatenate([tree.left[inner], tree.right[inner]]))
        assert children.tolist() == list(range(len(tree.left) - 1))
