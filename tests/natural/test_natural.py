"""Natural models give what plain Python gives, in about as few batches as they need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.vm.choice import Choice

from . import NATURALS, nary
from .model import Natural

# Batches over the lower bound, where decisions do not keep them apart.
MOST = 1.5
# How often a look may fail before the program looks no more, and how many mini-batches go by then.
PATIENCE, PAUSE = 3, 63


def check(natural: Natural, results: Sequence[Any], instances: Sequence[Any], params: Any) -> None:
    for got, instance in zip(results, instances, strict=True):
        np.testing.assert_allclose(got, natural.model(params, instance), atol=1e-4)


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("natural", NATURALS, ids=lambda n: n.name)
def test_batches_are_near_their_bound(natural: Natural) -> None:
    fast = natural.compiled(executor="vm", scheduler="lookahead")
    instances = natural.mini_batch(8)
    inputs = fast.prepare(instances)
    check(natural, fast.run(inputs), instances, fast.params)
    # What every wait divides would be one batch without it.
    last = fast.last_profile
    assert last.n_batches - last.n_syncs <= MOST * fast.count_least_batches(inputs)


def batches(fast: ab.CompiledModel[Any, Any], instances: list[Any]) -> int:
    fast(instances)
    return fast.last_profile.n_batches


@pytest.mark.usefixtures("interpreted_kernels")
def test_compiled_programs_make_the_same_batches() -> None:
    """As the interpreter does, and where they choose, call by call."""
    wild, few = nary.NATURAL.mini_batch(8), nary.NATURAL.mini_batch(3)
    counts = {}
    for executor in ("aot", "vm"):
        fast = nary.NATURAL.compiled(256, executor=executor)
        check(nary.NATURAL, fast(wild), wild, fast.params)
        counts[executor] = [fast.last_profile.n_batches, batches(fast, few), batches(fast, wild)]
    assert counts["aot"] == counts["vm"]
    deep = nary.NATURAL.compiled(256, executor="vm", scheduler="inline_depth")
    # The first mini-batch is looked at already.
    assert counts["aot"][0] == counts["aot"][2] < 0.8 * batches(deep, wild)


def test_a_program_that_gains_nothing_looks_no_more_for_a_while() -> None:
    choice = Choice()
    for _ in range(2):
        assert choice.looks(8)
        choice.note(8, pays=False)
        assert choice.looks(64)  # mini-batches of another size are another matter
        assert [choice.looks(9) for _ in range(PAUSE)] == [False] * PAUSE
    assert choice.looks(8)
    choice.note(8, pays=True)
    for _ in range(PATIENCE + 1):
        assert choice.looks(8)
        choice.note(8, pays=False)
    assert not choice.looks(8)


@pytest.mark.usefixtures("interpreted_kernels")
def test_a_small_program_does_not_look_for_long() -> None:
    """To look at a node would take longer than the node."""
    fast = nary.NATURAL.compiled(8, executor="vm")
    plain = nary.NATURAL.compiled(8, executor="vm", scheduler="inline_depth")
    instances = nary.NATURAL.mini_batch(64)
    assert batches(fast, instances) == batches(plain, instances)
