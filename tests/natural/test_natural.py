"""Natural models give what plain Python gives, in about as few batches as they need."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.vm.choice import FOLLOW_NS, Advice, Choice, Compared
from acrobat.vm.order import Order
from tests.selection import some

from . import NATURALS, cache, child_sum, code, nary
from .model import Natural

# Batches over the lower bound, where decisions do not keep them apart.
MOST = 1.5
# How often a look may fail before the program looks no more, and how many mini-batches go by then.
PATIENCE, PAUSE = 3, 63
# For how many mini-batches an order is kept that took the place of one that did not fit.
REST = 7
# By inline depth these take 1.9 to 20 times their bound.
FAR = (nary.NATURAL, child_sum.NATURAL, code.NATURAL, cache.NATURAL)


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


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(
    ("natural", "executor"),
    some(
        itertools.product(FAR, ["aot", "vm"]),
        # The interpreter chooses and follows orders by the same code, whatever the model.
        always=lambda natural, executor: executor == "aot" or natural is nary.NATURAL,
    ),
    ids=lambda x: getattr(x, "name", x),
)
def test_orders_serve_other_mini_batches(natural: Natural, executor: str) -> None:
    """At hidden 64 lookahead by itself would take longer than it saves, but not to go by an order
    that it found; and results stay those of inline depth to the bit."""
    fast = natural.compiled(64, executor=executor)
    deep = natural.compiled(64, executor=executor, scheduler="inline_depth")
    counts = []
    for seed in (1, 2, 3, 1):
        instances = natural.instances(np.random.default_rng(seed), 64)
        inputs = fast.prepare(instances)
        results = fast.run(inputs)
        counts.append(fast.last_profile.n_batches)
        assert counts[-1] <= MOST * fast.count_least_batches(inputs)
        for got, want in zip(results, deep(instances), strict=True):
            np.testing.assert_array_equal(got, want)
        assert counts[-1] < 0.8 * deep.last_profile.n_batches
        check(natural, results[:8], instances[:8], fast.params)
    again = natural.compiled(64, executor=executor)
    for seed, count in zip((1, 2), counts, strict=False):
        assert batches(again, natural.instances(np.random.default_rng(seed), 64)) == count


def test_an_order_pays_sooner_than_a_look() -> None:
    assert Compared(4000, 10**8, 70, 40).pays(FOLLOW_NS)
    assert not Compared(4000, 10**8, 70, 40).pays()
    assert not Compared(4000, 10**8, 70, 60).pays(FOLLOW_NS)  # nearly as many batches
    assert not Compared(40000, 0, 70, 50).pays(FOLLOW_NS)  # hardly any work


def test_nodes_go_where_their_block_comes_next() -> None:
    order = Order([0, 1, 0, 2], n_blocks=3)
    assert [order.next(0, start) for start in range(5)] == [0, 2, 2, 4, 4]
    assert [order.next(1, start) for start in (0, 1, 2, 5, 6, 8, 9)] == [1, 1, 5, 5, 8, 8, 11]


def test_an_order_that_does_not_fit_is_renewed_now_and_then() -> None:
    choice = Choice()
    first, second = Order([0, 1] * 20, 2), Order([0, 1] * 30, 2)
    found = Compared(4000, 10**8, 70, 40)
    assert choice.advise(64, follows=True).looks
    choice.learn(64, Advice(follows=True, looked=True, order=first, found=found))
    advice = choice.advise(64, follows=True)
    assert advice.order is first and not advice.looks
    assert advice.misfits(first, 51) and not advice.misfits(first, 50)
    choice.learn(64, Advice(follows=True, looked=True, renewed=True, order=second, found=found))
    kept = [choice.advise(64, follows=True).misfits(second, 100) for _ in range(REST + 1)]
    assert kept == [False] * REST + [True]
    # One that pays no more is forgotten, and the program looks no more for a while.
    choice.learn(64, Advice(follows=True, looked=True, renewed=True, found=found))
    advice = choice.advise(64, follows=True)
    assert advice.order is None and not advice.looks
    # A program that waits has no order: each part of its mini-batches is another graph.
    assert choice.advise(64, follows=False).order is None
