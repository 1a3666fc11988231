"""A one-hot vector of an argmax is a comparison: what is computed from it does not wait."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from tests.agree import assert_agree

pytestmark = pytest.mark.usefixtures("interpreted_kernels")

Load = Callable[[str], ModuleType]

PARAMS = """
import numpy as np

@ab.params
class P:
    w: Tensor["H", "V"]
"""

# The two most likely tokens, in the language's own way and in numpy's.
TWO_BEST = """
@ab.model
def run(p: P, x: Tensor["H"]) -> tuple[int, float, int, float]:
    chances = ops.softmax(x @ p.w)
    first = ops.argmax(chances)
    best = ops.item(ops.max(chances))
    rest = chances - ops.one_hot(first, 9)
    second = ops.argmax(rest)
    return first, best, second, ops.item(ops.max(rest))
"""
IN_NUMPY = """
@ab.model
def run(p: P, x: Tensor["H"]) -> tuple[int, float, int, float]:
    chances = ops.softmax(x @ p.w)
    first = int(np.argmax(chances))
    best = float(chances[first])
    chances[first] = -1.0
    second = int(np.argmax(chances))
    return first, best, second, float(chances[second])
"""
# In a helper, in a loop over what is left, with a decision on each token.
LOOP = """
def without(x, i):
    return ops.where(ops.one_hot(i, 9) > 0, -1.0, x)

@ab.model
def run(p: P, x: Tensor["H"]) -> tuple[list[int], Tensor["V"]]:
    left = ops.softmax(x @ p.w)
    found: list[int] = []
    for _ in range(4):
        i = ops.argmax(left)
        left = without(left, i)
        if i == 0:
            break
        found.append(i)
    return found, left
"""
# A longer vector than the argmax needs, and one that is too short for it.
LONGER = """
@ab.model
def run(p: P, x: Tensor["H"]) -> Tensor[12]:
    return ops.one_hot(ops.argmax(x @ p.w), 12) * 2.0
"""
SHORTER = """
@ab.model
def run(p: P, x: Tensor["H"]) -> Tensor[3]:
    return ops.one_hot(ops.argmax(x @ p.w), 3) * 2.0
"""
# The larger of two: which one it is depends on a decision.
CHOSEN = """
@ab.model
def run(p: P, x: Tensor["H"]) -> Tensor["V"]:
    y = x @ p.w
    i = ops.argmax(y)
    if ops.item(ops.max(y)) > 0.5:
        i = ops.argmax(-y)
    return ops.one_hot(i, 9) * y
"""


def _weights(m: ModuleType) -> Any:
    return m.P(w=np.random.default_rng(3).normal(0, 1, (5, 9)).astype(np.float32))


def _instances() -> list[np.ndarray]:
    rows = list(np.random.default_rng(4).normal(0, 1, (6, 5)).astype(np.float32))
    rows[2][:] = 0.0  # all equal: the first one
    rows[3][1] = np.nan
    rows[4][0], rows[4][1] = np.inf, -np.inf
    return rows


def _compiled(m: ModuleType, **options: Any) -> Any:
    fast = ab.compile(m.run, _weights(m), options=ab.Options(**options))
    instances = _instances()
    with np.errstate(invalid="ignore"):
        expected = [m.run(_weights(m), x.copy()) for x in instances]
    for one, got in zip(expected, fast(instances), strict=True):
        assert_agree(one, got)
    return fast


@pytest.mark.parametrize("executor", ["aot", "vm"])
@pytest.mark.parametrize("source", [TWO_BEST, IN_NUMPY], ids=["own", "numpy"])
def test_two_argmaxes_are_one_node(load_model: Load, source: str, executor: str) -> None:
    m = load_model(PARAMS + source)
    on, off = (_compiled(m, speculation=s, executor=executor).last_profile for s in (True, False))
    assert (on.n_batches, on.n_syncs) == (1, 1)
    assert off.n_batches >= 2 and off.n_syncs >= 2


def test_a_loop_that_takes_the_largest(load_model: Load) -> None:
    m = load_model(PARAMS + LOOP)
    assert "eye" not in _compiled(m).ir("prune_dead_2")
    assert "eye" in _compiled(m, speculation=False).ir("prune_dead_2")


def test_a_vector_longer_than_the_argmax(load_model: Load) -> None:
    """Without a decision nothing waits, and no identity of a vocabulary's size is made."""
    fast = _compiled(load_model(PARAMS + LONGER))
    assert (fast.last_profile.n_batches, fast.last_profile.n_syncs) == (1, 0)
    assert "eye" not in fast.ir("prune_dead_2")


def test_a_vector_that_may_be_too_short(load_model: Load) -> None:
    """The index may be outside, which is the instance's fault."""
    m = load_model(PARAMS + SHORTER)
    fast = ab.compile(m.run, _weights(m))
    finite = [x for x in _instances() if np.isfinite(x).all()]
    inside = [x for x in finite if np.argmax(x @ _weights(m).w) < 3]
    for x, got in zip(inside, fast(inside), strict=True):
        assert_agree(m.run(_weights(m), x), got)
    with pytest.raises(ab.InstanceError, match=r"row 3 of .* does not exist"):
        fast(_instances())


def test_an_index_that_is_chosen_is_a_number(load_model: Load) -> None:
    _compiled(load_model(PARAMS + CHOSEN))


def test_gradients_do_not_pass(load_model: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    m = load_model(
        PARAMS
        + TWO_BEST.replace("tuple[int, float, int, float]", "Tensor[()]").replace(
            "return first, best, second, ops.item(ops.max(rest))",
            "return ops.sum(rest * chances) + ops.max(rest)",
        )
    )
    p, instances = _weights(m), _instances()[:2]
    losses, gradients = ab.gradients(m.run, p)(instances)
    monkeypatch.setenv("ACROBAT_DISABLE", "1")
    expected_losses, expected = ab.gradients(m.run, p)(instances)
    np.testing.assert_allclose(losses, expected_losses, rtol=1e-5)
    np.testing.assert_allclose(gradients.w, expected.w, rtol=1e-4, atol=1e-5)
