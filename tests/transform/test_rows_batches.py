"""Attention over as many vectors as an instance has: a tree, whose nodes have eight keys each."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from tests.transform.count_batches import count_batches as batches

pytestmark = pytest.mark.usefixtures("interpreted_kernels")

Load = Callable[[str], ModuleType]

MODELS = """
@ab.params
class P:
    w: Tensor["H", "H"]
    b: Tensor["H"]

@ab.model
def attend(p: P, xs: list[Tensor["H"]]) -> Tensor["H"]:
    m = ops.stack(xs)
    return ops.softmax(m @ p.b / 2.0) @ m

@ab.model
def heads(p: P, xs: list[Tensor["H"]]) -> Tensor["H"]:
    m = ops.stack(xs)
    return ops.attention(p.b, m, m, 2)

@ab.model
def between(p: P, xs: list[Tensor["H"]]) -> list[Tensor["H"]]:
    m = ops.stack(xs)
    return [row for row in ops.softmax(m @ ops.transpose(m)) @ m]

@ab.model
def decoder(p: P, xs: list[Tensor["H"]]) -> Tensor["H"]:
    keys, values = [], []
    h = p.b
    for x in xs:
        keys.append(x @ p.w)
        values.append(h)
        h = ops.tanh(ops.attention(h, ops.stack(keys), ops.stack(values), 2) + x)
    return h
"""


def params(m: ModuleType) -> Any:
    rng = np.random.default_rng(1)
    return m.P(w=rng.normal(0, 0.3, (4, 4)), b=rng.normal(0, 0.3, 4))


def vectors(*lengths: int) -> list[Any]:
    rng = np.random.default_rng(0)
    return [[rng.normal(0, 0.5, 4).astype(np.float32) for _ in range(n)] for n in lengths]


@pytest.mark.parametrize("name", ["attend", "heads", "between"])
def test_up_to_64_keys_take_two_batches(load_model: Load, name: str) -> None:
    m = load_model(MODELS)
    model, p = getattr(m, name), params(m)
    # The leaves; what joins the last eight and divides.
    assert batches(model, p, vectors(1, 2, 8, 9, 20, 64), executor="vm")[0] == 2
    assert batches(model, p, vectors(1, 65), executor="vm")[0] <= 4


def test_no_score_is_a_node_of_its_own(load_model: Load) -> None:
    m = load_model(MODELS)
    fast = ab.compile(m.attend, params(m), options=ab.Options(executor="vm"))
    fast(vectors(64))
    assert fast.last_profile.n_nodes == 8 + 1  # its leaves, and the rest


def test_a_cache_of_any_length_takes_two_depths_a_step(load_model: Load) -> None:
    m = load_model(MODELS)
    # The key, the leaves, the tree and the cell of each step.
    assert batches(m.decoder, params(m), vectors(1, 3, 5, 12), executor="vm")[0] <= 4 * 12


def test_results_do_not_depend_on_the_mini_batch(load_model: Load) -> None:
    m = load_model(MODELS)
    fast = ab.compile(m.heads, params(m), options=ab.Options(executor="vm"))
    given = vectors(1, 9, 30)
    for alone, expected in zip(given, fast(given), strict=True):
        assert fast([alone])[0].tobytes() == expected.tobytes()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_stays_so(load_model: Load, value: float) -> None:
    m = load_model(MODELS)
    given = vectors(3, 12, 20)
    given[1][10][:] = value
    p = params(m)
    p.b[:] = np.abs(p.b)
    with np.errstate(invalid="ignore"):
        batches(m.attend, p, given, executor="vm")


def test_an_empty_list_names_its_instance(load_model: Load) -> None:
    m = load_model(MODELS)
    fast = ab.compile(m.attend, params(m), options=ab.Options(executor="vm"))
    with pytest.raises(ab.InstanceError) as caught:
        fast(vectors(2, 0))
    assert str(caught.value) == "instances[1]: ValueError: `ops.stack(xs)` of an empty list"
    with pytest.raises(ValueError, match="at least one array"):
        m.attend(params(m), [])
