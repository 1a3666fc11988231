"""Loops whose iterations do nothing but collect what they compute."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.transform.count_batches import count_batches as batches

pytestmark = pytest.mark.usefixtures("interpreted_kernels")

MODELS = """
@ab.params
class P:
    emb: Tensor["V", "H"]
    w: Tensor["2H", "H"]

@ab.model
def in_loops(p: P, document: list[list[int]]) -> list[Tensor["H"]]:
    hs = [p.emb[0] for _ in document]
    for _ in range(2):
        new = []
        for i, words in enumerate(document):
            near = [hs[w % len(hs)] for w in words]
            x = ops.max(ops.stack(near), axis=0) if near else ops.zeros_like(hs[i])
            x = ops.tanh(ops.concat(hs[i], x) @ p.w)
            new.append(x / ops.maximum(ops.sqrt(ops.sum(x * x)), 0.5))
        hs = new
    return hs

@ab.model
def reads(p: P, words: list[int]) -> list[Tensor["H"]]:
    new = [p.emb[0]]
    for w in words:
        new.append(ops.tanh(ops.concat(p.emb[w], new[-1]) @ p.w))
    return new
"""


@pytest.mark.parametrize("name", ["in_loops", "reads"])
def test_collecting(name: str, load_model: Callable[[str], ModuleType]) -> None:
    module = load_model(MODELS)
    rng = np.random.default_rng(0)
    emb, w = (np.asarray(rng.normal(size=s), np.float32) for s in ((6, 4), (8, 4)))
    params = module.P(emb=emb, w=w)
    few: list[Any] = [[1, 2], [2, 0], [4, 1]]
    many: list[Any] = [[n % 5, n % 3] for n in range(12)]
    if name == "reads":
        few, many = [1, 2, 3], [1, 2, 3, 4, 5, 1]
    model = getattr(module, name)
    counts = [batches(model, params, [instance]) for instance in (few, many)]
    # An iteration that reads the list is behind the ones before; others all run at once.
    assert (counts[0] < counts[1]) == (name == "reads")
