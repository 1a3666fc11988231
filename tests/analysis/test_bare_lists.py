"""Lists that are nothing but their items: which these are, and that their programs agree."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.analysis.bare_lists import bare_lists
from acrobat.errors import InstanceError
from acrobat.pipeline import run_pipeline

pytestmark = pytest.mark.usefixtures("interpreted_kernels")

Load = Callable[[str], ModuleType]

MODELS = """
@ab.params
class P:
    emb: Tensor["V", "H"]
    w: Tensor["H", "H"]

@ab.model
def deepen(p: P, x: Tensor["H"], n: int) -> Tensor["H"]:
    if n == 0:
        return x
    return deepen(p, ops.tanh(x @ p.w), n - 1)

@ab.model
def in_turn(p: P, words: list[int]) -> Tensor["H"]:
    xs = [deepen(p, p.emb[word], word) for word in words]
    h = ops.zeros(p.emb.shape[1])
    for x in xs:
        h = ops.tanh(h @ p.w + x)
    return h

@ab.model
def with_its_length(p: P, words: list[int]) -> Tensor["H"]:
    xs = [deepen(p, p.emb[word], word) for word in words]
    h = ops.zeros(p.emb.shape[1])
    for i in range(len(xs)):
        h = ops.tanh(h @ p.w + xs[i]) * len(xs)
    return h

@ab.model
def another_range(p: P, words: list[int]) -> Tensor["H"]:
    xs = [deepen(p, p.emb[word], word) for word in words]
    h = ops.zeros(p.emb.shape[1])
    for i in range(words[0]):
        h = ops.tanh(h @ p.w + xs[i])
    return h

@ab.model
def backwards(p: P, words: list[int]) -> Tensor["H"]:
    xs = [deepen(p, p.emb[word], word) for word in words]
    h = ops.zeros(p.emb.shape[1])
    for x in reversed(xs):
        h = ops.tanh(h @ p.w + x)
    return h

@ab.model
def returned(p: P, words: list[int]) -> list[Tensor["H"]]:
    xs = [deepen(p, p.emb[word], word) for word in words]
    return [x * 2.0 for x in xs] if len(words) > 2 else xs

@ab.model
def carried(p: P, words: list[int]) -> list[Tensor["H"]]:
    xs = [deepen(p, p.emb[word], word) for word in words]
    for word in words:
        if word > 2:
            xs = xs[:1]
    return xs
"""

# The number of lists that are bare in the entry.
BARE = {
    "in_turn": 1,
    "with_its_length": 1,
    "another_range": 0,
    "backwards": 0,
    "returned": 0,
    "carried": 0,
}


def params(m: ModuleType) -> Any:
    rng = np.random.default_rng(0)
    return m.P(emb=rng.normal(0, 0.5, (6, 4)), w=rng.normal(0, 0.5, (4, 4)))


@pytest.mark.parametrize("name", BARE)
def test_which_lists_are_bare(name: str, load_model: Load) -> None:
    m = load_model(MODELS)
    module = run_pipeline(getattr(m, name), params(m), ab.Options()).module
    assert len(bare_lists(module.functions[module.entry].body)) == BARE[name]


@pytest.mark.parametrize("name", BARE)
def test_results_are_those_of_plain_python(name: str, load_model: Load) -> None:
    m = load_model(MODELS)
    model, p = getattr(m, name), params(m)
    given = [[2], [1, 5], [3, 0, 4, 4], [5, 1, 2, 3, 4, 0]]
    if name != "another_range":
        given.append([])
    else:
        given = [[0], [2, 1], [3, 0, 4]]
    for got, words in zip(ab.compile(model, p)(given), given, strict=True):
        expected = model(p, words)
        assert len(got) == len(expected)
        for a, b in zip(got, expected, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-5)


def test_an_index_beyond_the_list_is_the_instances_fault(load_model: Load) -> None:
    m = load_model(MODELS)
    with pytest.raises(InstanceError, match=r"list index 2 is out of range: the list has 2 items"):
        ab.compile(m.another_range, params(m))([[4, 1]])
