"""Mini-batches like earlier ones are placed while they are recorded, in batches that have room for
more nodes than they had so far; where that is not enough, all nodes are counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
import workloads
from acrobat import Float32, Tensor, ops
from workloads.data.source import TreeSource

from . import cache, experts, nary

pytestmark = pytest.mark.usefixtures("interpreted_kernels")


def instances(seed: int, n: int) -> list[Any]:
    return nary.NATURAL.instances(np.random.default_rng(seed), n)


def was_placed(fast: ab.CompiledModel[Any, Any], mini_batch: list[Any], scheduler: str) -> bool:
    """Whether the mini-batch was placed. Its results must be, to the bit, those of a model that has
    seen no other, so that it counts, and its batches as few."""
    new = nary.NATURAL.compiled(64, scheduler=scheduler)
    for got, want in zip(fast(mini_batch), new(mini_batch), strict=True):
        np.testing.assert_array_equal(got, want)
    assert new.last_profile.spare_mb == 0.0
    assert fast.last_profile.nodes == new.last_profile.nodes
    if scheduler == "inline_depth":
        assert fast.last_profile.batches == new.last_profile.batches
    used, counted = fast.last_profile.peak_mem_mb, new.last_profile.peak_mem_mb
    assert used == counted
    return fast.last_profile.spare_mb > 0


@pytest.mark.parametrize("scheduler", ["inline_depth", "auto"])
def test_room_is_made_by_what_has_been_counted(scheduler: str) -> None:
    fast = nary.NATURAL.compiled(64, scheduler=scheduler)
    few, many = instances(1, 64), instances(1, 127)
    assert not was_placed(fast, few, scheduler)
    assert was_placed(fast, few, scheduler)
    # 1/4 more nodes at each position, and 16 more.
    assert fast.last_profile.spare_mb < 0.8 * fast.last_profile.peak_mem_mb
    # Of the same number of bits, so that they go by one order. The first does not fit.
    assert not was_placed(fast, many, scheduler)
    assert was_placed(fast, many, scheduler)
    # No room becomes less.
    assert was_placed(fast, few, scheduler)
    assert fast.last_profile.spare_mb > fast.last_profile.peak_mem_mb


def test_an_order_is_followed_while_recording() -> None:
    fast, deep = (nary.NATURAL.compiled(64, scheduler=s) for s in ("auto", "inline_depth"))
    for _ in range(3):
        fast(instances(1, 64))
        deep(instances(1, 64))
    assert fast.last_profile.spare_mb > 0
    assert fast.last_profile.n_batches < 0.8 * deep.last_profile.n_batches


@pytest.mark.parametrize("name", ["treelstm", "birnn", "nestedrnn", "mvrnn"])
def test_other_mini_batches_than_before(name: str) -> None:
    """Some of them fit, and some do not."""
    workload, trees = workloads.get(name), TreeSource(None)
    params = workload.make_params("tiny", 0, trees)
    fast = ab.compile(workload.model, params, options=ab.Options(threads=1))
    spare = []
    for seed in range(12):
        mini_batch = workload.make_instances("tiny", 40 + seed % 9, seed, trees)
        new = ab.compile(workload.model, params, options=ab.Options(threads=1))
        for got, want in zip(fast(mini_batch), new(mini_batch), strict=True):
            np.testing.assert_equal(got, want)
        assert fast.last_profile.batches == new.last_profile.batches
        spare.append(fast.last_profile.spare_mb > 0)
    assert 3 <= sum(spare) < 12


def test_small_batches_are_counted() -> None:
    """Most of the memory that they were given would remain unused."""
    fast = nary.NATURAL.compiled(64, scheduler="inline_depth")
    for _ in range(3):
        fast(instances(1, 4))
        assert fast.last_profile.spare_mb == 0.0


@pytest.mark.slow
def test_room_is_not_made_of_memory_that_a_call_may_not_have() -> None:
    """It is taken from what the option leaves, so nothing fails that could be counted."""
    fast = nary.NATURAL.compiled(1024, memory_mb=20)
    mini_batch = instances(1, 64)
    for _ in range(4):
        fast(mini_batch)
        assert fast.last_profile.spare_mb == 0.0


def test_operands_are_copied_from_batches_with_room() -> None:
    """Without gather fusion; the copies have no room between them."""
    fast, few = nary.NATURAL.compiled(64, gather_fusion=False), instances(1, 64)
    assert not was_placed(fast, few, "auto")
    assert was_placed(fast, few, "auto")
    assert was_placed(fast, few, "auto")


def test_what_chooses_matrices_is_counted() -> None:
    natural = experts.NATURAL
    fast = natural.compiled(64)
    mini_batch = natural.mini_batch(64)
    for _ in range(3):
        fast(mini_batch)
        assert fast.last_profile.spare_mb == 0.0


@ab.model
def loss(p: cache.Weights, words: list[int]) -> Float32[Tensor, ""]:
    return ops.sum(cache.decode(p, words))


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", ["inline_depth", "auto"])
def test_gradients_go_back_through_batches_with_room(scheduler: str) -> None:
    weights = cache.weights(np.random.default_rng(0), 32)
    mini_batch = cache.instances(np.random.default_rng(1), 64)
    step = ab.gradients(loss, weights, options=ab.Options(threads=1, scheduler=scheduler))
    spare = []
    _, want = step(mini_batch)
    for _ in range(3):
        _, grads = step(mini_batch)
        spare.append(step.last_profile.spare_mb)
        np.testing.assert_allclose(grads.one.wk, want.one.wk, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(
            np.asarray(grads.emb), np.asarray(want.emb), rtol=1e-4, atol=1e-4
        )
    assert spare[-1] > 0
