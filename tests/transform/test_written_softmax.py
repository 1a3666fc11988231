"""A softmax that is written out takes as many nodes as `ops.softmax`, however it is written."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

import acrobat as ab

pytestmark = pytest.mark.usefixtures("interpreted_kernels")

MODEL = """
import numpy as np

@ab.params
class P:
    emb: Tensor["9", "H"]
    w: Tensor["H", "H"]

{function}

def heads(x):
    return x.reshape(len(x), 2, -1).transpose(1, 0, 2)

@ab.model
def of_rows(p: P, words: list[int]) -> Tensor["H"]:
    x = p.emb[words]
    s = x @ p.w @ x.T / 2.0
    return ({softmax} @ x).mean(axis=0)

@ab.model
def of_a_vector(p: P, words: list[int]) -> Tensor["H"]:
    x = p.emb[words]
    s = x @ x[0]
    return {softmax} @ x

@ab.model
def of_heads(p: P, words: list[int]) -> Tensor["H"]:
    x = p.emb[words]
    q = heads(x)
    s = heads(x @ p.w) @ q.transpose(0, 2, 1)
    return ({softmax} @ q).transpose(1, 0, 2).reshape(len(x), 4).mean(axis=0)
"""
LIBRARY = {"function": "", "softmax": "ops.softmax(s)"}
FUNCTION = """
def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
"""
TWO_POWERS = """
def softmax(x):
    z = x - np.max(x, -1, keepdims=True)
    return np.exp(z) / np.sum(np.exp(z), -1, keepdims=True)
"""
WITHOUT_LARGEST = """
def softmax(x):
    e = np.exp(x)
    return e / e.sum(axis=-1, keepdims=True)
"""
LENGTHS = (3, 9, 17)


def nodes(load_model: Callable[[str], ModuleType], written: dict[str, str], name: str) -> int:
    module = load_model(MODEL.format(**written))
    rng = np.random.default_rng(2)
    p = module.P(emb=rng.normal(size=(9, 4)), w=rng.normal(size=(4, 4)))
    model = getattr(module, name)
    fast = ab.compile(model, p, options=ab.Options(executor="vm"))
    instances = [[int(w) for w in rng.integers(0, 9, n)] for n in LENGTHS]
    for got, instance in zip(fast(instances), instances, strict=True):
        np.testing.assert_allclose(got, model(p, instance), rtol=1e-4, atol=1e-5)
    return fast.last_profile.n_nodes


@pytest.mark.parametrize("name", ["of_rows", "of_a_vector", "of_heads"])
@pytest.mark.parametrize("function", [FUNCTION, TWO_POWERS], ids=["function", "two powers"])
def test_as_many_nodes(load_model: Callable[[str], ModuleType], function: str, name: str) -> None:
    written = {"function": function, "softmax": "softmax(s)"}
    assert nodes(load_model, written, name) == nodes(load_model, LIBRARY, name)


def test_one_that_may_overflow_is_left_alone(load_model: Callable[[str], ModuleType]) -> None:
    """e^x of large scores is infinite, and the quotient NaN, in plain Python."""
    written = {"function": WITHOUT_LARGEST, "softmax": "softmax(s)"}
    assert nodes(load_model, written, "of_rows") > 2 * nodes(load_model, LIBRARY, "of_rows")
