"""Trees with the shape of the Stanford Sentiment Treebank, for use when the treebank is missing.

Number of leaves: Gamma(4.336, 4.421), rounded and clipped to [2, 56]. A span of n leaves is split
according to the measured distribution of the left part's size (docs/design.md, "Data"), which
reproduces the treebank's height (9.85 +- 3.81) and the mean maximum height of a batch (15.6 at 8
trees, 20.1 at 64), on which batching depends; balanced or uniformly split trees do not. Words:
ranks from a Zipf law with exponent 1 over the vocabulary.
"""

from __future__ import annotations

import functools

import numpy as np

from .tree import FlatTree

LEAVES_SHAPE, LEAVES_SCALE, LEAVES_MIN, LEAVES_MAX = 4.336, 4.421, 2, 56

# The largest n of a row, and P(left = 1), P(left = 2), P(left = n - 1), P(left = n - 2); the rest
# of the probability is uniform over 3 .. n - 3.
SPLITS: tuple[tuple[int, tuple[float, float, float, float]], ...] = (
    (2, (1.0, 0.0, 0.0, 0.0)),
    (3, (0.773, 0.0, 0.227, 0.0)),
    (5, (0.649, 0.141, 0.159, 0.051)),
    (8, (0.523, 0.124, 0.165, 0.042)),
    (12, (0.478, 0.109, 0.172, 0.017)),
    (18, (0.419, 0.092, 0.194, 0.007)),
    (26, (0.347, 0.073, 0.216, 0.004)),
    (1 << 30, (0.242, 0.057, 0.259, 0.002)),
)


@functools.cache
def split_probabilities(n: int) -> np.ndarray:
    """P(left = k) for k = 1 .. n - 1 in a span of `n` >= 2 leaves: a read-only float64 array of
    shape [n - 1]."""
    first, second, last, last_but_one = next(row for top, row in SPLITS if n <= top)
    p = np.zeros(n - 1)
    # For n = 4 the second and the second to last are the same split; their weights add up.
    for k, weight in ((1, first), (2, second), (n - 1, last), (n - 2, last_but_one)):
        if 1 <= k <= n - 1:
            p[k - 1] += weight
    if n >= 6:
        p[2 : n - 3] += (1.0 - p.sum()) / (n - 5)
    total: np.ndarray = p / p.sum()
    total.flags.writeable = False
    return total


@functools.cache
def _word_probabilities(vocabulary: int) -> np.ndarray:
    ranks = 1.0 / np.arange(1, vocabulary + 1)
    total: np.ndarray = ranks / ranks.sum()
    total.flags.writeable = False
    return total


def _draw(rng: np.random.Generator, p: np.ndarray, size: int) -> np.ndarray:
    """Draw like `rng.choice(len(p), size, p=p)`, which checks p, in a fifth of its time."""
    cumulative = p.cumsum()
    cumulative /= cumulative[-1]
    return cumulative.searchsorted(rng.random(size), side="right")


def generate_tree(rng: np.random.Generator, vocabulary: int) -> FlatTree:
    """One tree with word ids below `vocabulary`."""
    leaves = round(rng.gamma(LEAVES_SHAPE, LEAVES_SCALE))
    leaves = min(max(leaves, LEAVES_MIN), LEAVES_MAX)
    left: list[int] = []
    right: list[int] = []
    word: list[int] = []
    words = _draw(rng, _word_probabilities(vocabulary), leaves)
    # Post-order without recursion: a span is visited, split, and closed after both of its parts.
    work: list[tuple[str, int]] = [("span", leaves)]
    done: list[int] = []
    next_word = 0
    while work:
        kind, n = work.pop()
        if kind == "close":
            right_child, left_child = done.pop(), done.pop()
            left.append(left_child)
            right.append(right_child)
            word.append(-1)
            done.append(len(left) - 1)
        elif n == 1:
            left.append(-1)
            right.append(-1)
            word.append(int(words[next_word]))
            next_word += 1
            done.append(len(left) - 1)
        else:
            k = int(_draw(rng, split_probabilities(n), 1)[0]) + 1
            work += [("close", n), ("span", n - k), ("span", k)]
    return FlatTree(*(np.array(a, np.int32) for a in (left, right, word)))
