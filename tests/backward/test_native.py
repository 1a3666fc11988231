"""Gradients by the compiled program: what only that has, threads above all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops
from acrobat.backward.compiled import CompiledVjp, compiled_vjp
from acrobat.backward.weights import Collected
from acrobat.errors import CapacityError, GradientError
from acrobat.lang.params import weights
from tests.backward.against_tape import check, compiled


@ab.params
class P:
    emb: Float32[Tensor, "V H"]
    start: Float32[Tensor, "H"]
    bonus: Float32[Tensor, "H"]
    w: Float32[Tensor, "2H H"]
    b: Float32[Tensor, "H"]


@ab.model
def reader(
    p: P, words: list[int], scale: float
) -> tuple[list[Float32[Tensor, "H"]], Float32[Tensor, ""]]:
    h = p.start
    seen = [h]
    for word in words:
        h = ops.tanh(ops.linear(ops.concat(h, p.emb[word]), p.w, p.b)) * scale
        if ops.item(ops.sum(h)) > 0:
            h = h + p.bonus
        seen.append(h * 2.0)
    return seen, ops.sum(h * h)


def drawn(width: int = 64) -> P:
    rng = np.random.default_rng(4)
    rows = {"emb": 7, "start": 1, "bonus": 1, "w": 2 * width, "b": 1}
    arrays = {n: rng.normal(size=(r, width)).astype(np.float32) * 0.3 for n, r in rows.items()}
    return P(**{n: a[0] if len(a) == 1 else a for n, a in arrays.items()})


def instances(count: int) -> list[tuple[list[int], float]]:
    rng = np.random.default_rng(count)
    return [(rng.integers(0, 7, 1 + n % 4).tolist(), 0.5 + n / count) for n in range(count)]


@pytest.fixture(scope="module")
def vjp() -> CompiledVjp:
    return compiled_vjp(ab.compile(reader, drawn(), target="cpu", options=ab.Options(threads=2)))


def ones(run: Any) -> list[list[np.ndarray]]:
    return [[np.ones(t.shape, np.float32) for t in (*seen, last)] for seen, last in run.results]


@pytest.mark.slow
def test_as_the_tape(vjp: CompiledVjp) -> None:
    check(reader, drawn(), instances(5), threads=1)


@pytest.mark.slow
def test_widths_that_fill_no_tile() -> None:
    """Nor are the rows, some 500 of them, whole blocks of those that are copied together."""
    check(reader, drawn(40), instances(200), threads=1)


@pytest.mark.slow
def test_threads_change_no_bit(vjp: CompiledVjp) -> None:
    found = [compiled(reader, drawn(), instances(200), threads=n) for n in (1, 2, 3)]
    for path, gradient in found[0].items():
        assert gradient.any(), path
        for other in found[1:]:
            assert other[path].tobytes() == gradient.tobytes(), path


def test_results_are_those_of_the_model(vjp: CompiledVjp) -> None:
    run = vjp.forward(instances(3))
    for (seen, last), (words, scale) in zip(run.results, instances(3), strict=True):
        want_seen, want = reader(drawn(), words, scale)
        np.testing.assert_allclose(last, want, rtol=1e-4)
        for a, b in zip(seen, want_seen, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_rows_are_sparse_and_nothing_is_zero(vjp: CompiledVjp) -> None:
    run = vjp.forward([([1, 4, 1], 1.0)])
    gradients = run.pullback(ones(run))
    assert np.flatnonzero(np.asarray(gradients["emb"]).any(axis=1)).tolist() == [1, 4]
    run = vjp.forward([([1, 4, 1], 1.0)])
    gradients = run.pullback([[None] * n for n in run.counts])
    assert not any(np.asarray(g).any() for g in gradients.values())
    run = vjp.forward([])
    assert run.results == []
    assert not any(np.asarray(g).any() for g in run.pullback([]).values())


def test_once_and_with_all_cotangents(vjp: CompiledVjp) -> None:
    run = vjp.forward(instances(2))
    with pytest.raises(GradientError, match=r"^cotangents: expected \[3, 4\] for the tensors"):
        vjp.forward(instances(2)).pullback([[None], [None]])
    run.pullback(ones(run))
    with pytest.raises(GradientError, match=r"^what this mini-batch has kept is used up"):
        run.pullback(ones(run))


def test_weights_that_have_changed() -> None:
    first, second = drawn(), drawn()
    vjp = compiled_vjp(ab.compile(reader, first, target="cpu"))
    arrays = weights(second)
    arrays["w"] *= np.float32(0.5)
    arrays["start"] += np.float32(1.0)
    vjp.reload_weights(second)
    run = vjp.forward(instances(3))
    other = compiled_vjp(ab.compile(reader, second, target="cpu")).forward(instances(3))
    got, want = run.pullback(ones(run)), other.pullback(ones(other))
    for path, gradient in want.items():
        assert np.array_equal(np.asarray(got[path]), np.asarray(gradient)), path


def test_a_step_sees_what_was_changed_in_place() -> None:
    """Tables and what the arena begins with are read where the weights are."""
    p, options = drawn(), ab.Options(threads=1)
    step = ab.gradients(reader, p, loss=1, options=options)
    ready = step.prepare(instances(5))
    before, _ = step(ready)
    for path, weight in weights(p).items():
        weight[...] *= np.float32(0.5)
        losses, got = step(ready)
        want_losses, want = ab.gradients(reader, p, loss=1, options=options)(instances(5))
        assert np.array_equal(losses, want_losses) and not np.array_equal(losses, before), path
        before = losses
        for other, gradient in weights(want).items():
            assert np.array_equal(weights(got)[other], gradient), (path, other)


def test_a_step_that_does_not_fit_and_the_next() -> None:
    fast = ab.compile(reader, drawn(), target="cpu", options=ab.Options(memory_mb=4, threads=1))
    vjp = compiled_vjp(fast)
    with pytest.raises(CapacityError, match=r"memory_mb"):
        run = vjp.forward(instances(3000))
        run.pullback(ones(run))
    run = vjp.forward(instances(3))
    assert np.asarray(run.pullback(ones(run))["w"]).any()


@ab.params
class Parts:
    w: Float32[Tensor, "2H H"]
    twice: Float32[Tensor, "H H"]
    seldom: Float32[Tensor, "H H"]
    b: Float32[Tensor, "H"]
    c: Float32[Tensor, "H"]


@ab.model
def in_parts(p: Parts, x: Float32[Tensor, "H"], n: int) -> Float32[Tensor, ""]:
    h = ops.tanh(ops.concat(x, x @ p.twice) @ p.w + p.b)
    for _ in range(n):
        h = ops.tanh(h @ p.twice + p.b)
    if n > 5:
        h = h @ p.seldom + p.c
    return ops.sum(h * h)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_all_of_a_gradient_is_written(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the first product, by products of parts behind zeros, and where no node has anything: what
    was in its memory before does not count, and a later step does not write to it."""
    rng = np.random.default_rng(1)
    shapes = {"w": (196, 98), "twice": (98, 98), "seldom": (98, 98), "b": (98,), "c": (98,)}
    p = Parts(**{n: (rng.normal(size=s) * 0.1).astype(np.float32) for n, s in shapes.items()})
    step = ab.gradients(in_parts, p, options=ab.Options(threads=threads))
    xs = rng.normal(size=(400, 98)).astype(np.float32)
    some = [(x, i % 3) for i, x in enumerate(xs)]  # more rows than are copied together
    empty = Collected.unwritten

    def poisoned(found: Collected, path: str) -> np.ndarray:
        array = empty(found, path)
        array.fill(np.nan)
        return array

    monkeypatch.setattr(Collected, "unwritten", poisoned)
    _, first = step(some)
    kept = {n: np.array(g) for n, g in weights(first).items()}
    assert not kept["seldom"].any() and not kept["c"].any()
    _, second = step([(x, 7) for x in xs])
    assert np.asarray(second.seldom).any() and np.asarray(second.c).any()
    for name, gradient in weights(first).items():
        assert np.isfinite(gradient).all() and np.isfinite(weights(second)[name]).all(), name
        assert np.array_equal(gradient, kept[name]), name
    monkeypatch.setenv("ACROBAT_DISABLE", "1")
    _, want = ab.gradients(in_parts, p)(some)
    for name, gradient in weights(want).items():
        scale = max(1.0, float(np.abs(gradient).max()))
        assert np.abs(kept[name] - gradient).max() < 1e-4 * scale, name
