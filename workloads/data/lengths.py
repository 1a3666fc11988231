"""Sentence lengths as in XNLI (Conneau et al. 2018), half of them premises and half hypotheses.

Gamma distributions fitted to the lengths in tokens, rounded, at least 2 (docs/design.md, "Data").
"""

from __future__ import annotations

import numpy as np

PREMISE, HYPOTHESIS = (5.0, 4.16), (6.6, 1.60)  # shape, scale
SHORTEST = 2


def sentence_lengths(rng: np.random.Generator, count: int) -> list[int]:
    """`count` random lengths."""
    premise = rng.gamma(*PREMISE, count)
    hypothesis = rng.gamma(*HYPOTHESIS, count)
    chosen = np.where(rng.random(count) < 0.5, premise, hypothesis)
    return [max(SHORTEST, round(float(n))) for n in chosen]


def sentences(rng: np.random.Generator, count: int, vocabulary: int) -> list[list[int]]:
    """`count` sentences of uniformly drawn words."""
    return [rng.integers(0, vocabulary, n).tolist() for n in sentence_lengths(rng, count)]
