"""Mini-batches that go by an order have room for more nodes than they have, and are counted where
that is not enough."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops

from . import cache, experts, nary

pytestmark = pytest.mark.usefixtures("interpreted_kernels")


def instances(seed: int, n: int) -> list[Any]:
    return nary.NATURAL.instances(np.random.default_rng(seed), n)


def megabytes(fast: ab.CompiledModel[Any, Any], mini_batch: list[Any]) -> float:
    """What the mini-batch takes, whose results must be those of inline depth to the bit."""
    deep = nary.NATURAL.compiled(64, scheduler="inline_depth")
    for got, want in zip(fast(mini_batch), deep(mini_batch), strict=True):
        np.testing.assert_array_equal(got, want)
    assert fast.last_profile.n_batches < 0.8 * deep.last_profile.n_batches
    least = deep.last_profile.peak_mem_mb
    assert fast.last_profile.peak_mem_mb >= least
    return fast.last_profile.peak_mem_mb / least


def test_room_is_made_by_what_has_been_counted() -> None:
    fast = nary.NATURAL.compiled(64)
    few, many = instances(1, 64), instances(1, 127)
    assert megabytes(fast, few) == 1.0
    # 1/4 more nodes at each position, and 16 more.
    assert 1.2 < megabytes(fast, few) < 1.8
    # Of the same number of bits, so that they go by one order. The first does not fit.
    assert megabytes(fast, many) == 1.0
    assert 1.2 < megabytes(fast, many) < 1.8
    # No room becomes less.
    assert megabytes(fast, few) > 1.8


@pytest.mark.slow
def test_room_is_not_made_of_memory_that_a_call_may_not_have() -> None:
    """It is taken from what the option leaves, so nothing fails that could be counted."""
    fast = nary.NATURAL.compiled(1024, memory_mb=20)
    mini_batch = instances(1, 64)
    fast(mini_batch)
    counted = fast.last_profile.peak_mem_mb
    for _ in range(3):
        fast(mini_batch)
        assert fast.last_profile.peak_mem_mb == counted


def test_operands_are_copied_from_batches_with_room() -> None:
    """Without gather fusion; the copies have no room between them."""
    fast, few = nary.NATURAL.compiled(64, gather_fusion=False), instances(1, 64)
    assert megabytes(fast, few) == 1.0
    assert megabytes(fast, few) > 1.2
    assert megabytes(fast, few) > 1.2


def test_what_chooses_matrices_is_counted() -> None:
    natural = experts.NATURAL
    fast = natural.compiled(64)
    mini_batch = natural.mini_batch(64)
    sizes = set()
    for _ in range(3):
        fast(mini_batch)
        sizes.add(fast.last_profile.peak_mem_mb)
    assert len(sizes) == 1


@ab.model
def loss(p: cache.Weights, words: list[int]) -> Float32[Tensor, ""]:
    return ops.sum(cache.decode(p, words))


@pytest.mark.slow
def test_gradients_go_back_through_batches_with_room() -> None:
    weights = cache.weights(np.random.default_rng(0), 32)
    mini_batch = cache.instances(np.random.default_rng(1), 64)
    step = ab.gradients(loss, weights, options=ab.Options(threads=1))
    deep = ab.gradients(loss, weights, options=ab.Options(threads=1, scheduler="inline_depth"))
    sizes = []
    _, want = deep(mini_batch)
    for _ in range(2):
        _, grads = step(mini_batch)
        sizes.append(step.last_profile.peak_mem_mb)
        np.testing.assert_allclose(grads.one.wk, want.one.wk, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(
            np.asarray(grads.emb), np.asarray(want.emb), rtol=1e-4, atol=1e-4
        )
    assert sizes[0] < sizes[1]
