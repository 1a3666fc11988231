"""`ab.gradients` and `fast.vjp`: what they give, and what they refuse."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.lang.params import weights as arrays
from tests.training.models import (
    INSTANCES,
    P,
    counts,
    decides,
    encode,
    judge,
    loss,
    weights,
)

VM = ab.Options(executor="vm")
# Compiled, with the interpreter, and plain Python.
WAYS = pytest.mark.parametrize("disabled", ["0", "1"])


@pytest.fixture(autouse=True)
def interpreted(interpreted_kernels: None) -> None:
    """No kernel is compiled."""


def slope(path: str, at: tuple[int, ...], p: P) -> float:
    """The derivative of the sum of losses by one number of a weight, by finite differences."""
    weight, step = arrays(p)[path], 1e-2
    old, sums = weight[at], []
    for h in (step, -step):
        weight[at] = old + h
        losses: list[Any] = [loss(p, *instance) for instance in INSTANCES]
        sums.append(sum(map(float, losses)))
    weight[at] = old
    return (sums[0] - sums[1]) / (2 * step)


@WAYS
def test_losses_and_gradients(disabled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACROBAT_DISABLE", disabled)
    p = weights()
    step = ab.gradients(loss, p, options=VM)
    losses, grads = step(INSTANCES)
    assert losses.dtype == np.float32 and isinstance(grads, P)
    np.testing.assert_allclose(losses, [loss(p, *i) for i in INSTANCES], rtol=1e-6)
    assert isinstance(grads.emb, ab.SparseRows) and grads.extra is None
    np.testing.assert_array_equal(grads.emb.rows, [1, 2, 3, 5])
    assert grads.emb.values.shape == (4, 4)
    np.testing.assert_array_equal(grads.emb.dense(), np.asarray(grads.emb))
    for path, weight in arrays(p).items():
        got = np.asarray(arrays(grads)[path])
        assert got.shape == weight.shape and got.dtype == np.float32
        at = tuple(n // 2 for n in weight.shape) if path != "emb" else (2, 1)
        np.testing.assert_allclose(got[at], slope(path, at, p), rtol=2e-2, atol=1e-3)


def test_one_of_several_values() -> None:
    p = weights()
    by_name = ab.gradients(judge, p, loss="loss", options=VM)
    by_place = ab.gradients(judge, p, loss=1, options=VM)
    _, want = ab.gradients(loss, p, options=VM)(INSTANCES)
    for step in (by_name, by_place):
        _, got = step(INSTANCES)
        np.testing.assert_allclose(got.out, want.out, rtol=1e-5)
    assert [r[0] for r in by_name.last_results] == [judge(p, *i).right for i in INSTANCES]


@pytest.mark.parametrize(
    ("wrt", "paths"),
    [
        ("out", {"out"}),
        (["layers.1", "emb"], {"layers.1.w", "layers.1.b", "emb"}),
        ("layers", {f"layers.{i}.{n}" for i in (0, 1) for n in "wb"}),
    ],
)
def test_some_weights(wrt: Any, paths: set[str]) -> None:
    p = weights()
    _, got = ab.gradients(loss, p, wrt=wrt, options=VM)(INSTANCES)
    _, want = ab.gradients(loss, p, options=VM)(INSTANCES)
    found = {path: g for path, g in arrays(got).items() if g is not None}
    assert set(found) == paths
    for path, gradient in found.items():
        np.testing.assert_array_equal(np.asarray(gradient), np.asarray(arrays(want)[path]))


def test_weights_may_change_between_calls() -> None:
    p = weights()
    step = ab.gradients(loss, p, options=VM)
    losses = []
    for _ in range(20):
        values, grads = step(INSTANCES)
        losses.append(values.sum())
        for path, weight in arrays(p).items():
            weight -= 0.1 * np.asarray(arrays(grads)[path])
    assert losses[-1] < losses[0] / 4


def test_no_instances() -> None:
    losses, grads = ab.gradients(loss, weights(), options=VM)([])
    assert losses.shape == (0,) and not np.asarray(grads.out).any()


@WAYS
def test_what_it_says(disabled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACROBAT_DISABLE", disabled)
    step = ab.gradients(loss, weights(), wrt="out", options=VM)
    with pytest.raises(ValueError, match="the gradients have not been called for yet"):
        step.last_profile  # noqa: B018
    step(INSTANCES)
    said = step.explain()
    assert said.startswith("gradients of loss with respect to out\n")
    if disabled == "1":
        assert step.last_profile.n_batches == 0
        assert said.endswith("\nby plain Python, one instance after the other\n")
    else:
        assert step.last_profile.n_batches > 0
        assert "\n    gradient of out: one product over all nodes of a mini-batch\n" in said


@WAYS
def test_vjp(disabled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACROBAT_DISABLE", disabled)
    p = weights()
    fast = ab.compile(judge, p, options=VM)
    results, grads = fast.vjp(INSTANCES, [(None, 1.0)] * 3, wrt=["out", "emb"])
    _, want = ab.gradients(loss, p, options=VM)(INSTANCES)
    np.testing.assert_allclose([r[1] for r in results], [r for _, r in fast(INSTANCES)], rtol=1e-5)
    np.testing.assert_allclose(grads.out, want.out, rtol=1e-4)
    assert grads.layers[0].w is None
    vectors = ab.compile(encode, p, options=VM)
    words = [i[0] for i in INSTANCES]
    _, zero = vectors.vjp(words, [None, np.zeros(4), None])
    _, both = vectors.vjp(words, [np.ones(4), None, 2 * np.ones(4)])
    _, first = vectors.vjp(words[:1], [np.ones(4)])
    _, last = vectors.vjp(words[2:], [np.ones(4)])
    assert not np.asarray(zero.emb).any()
    summed = first.layers[1].w + 2 * last.layers[1].w
    np.testing.assert_allclose(both.layers[1].w, summed, rtol=1e-4, atol=1e-6)


LOSSES = "a loss is a tensor of one element, `ops.sum(x)` of a larger one; numbers and what " \
    "decisions read are constants"  # fmt: skip


@WAYS
@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda p: ab.gradients(encode, p)([[1]]),
            f"loss: encode returns Tensor[4]; {LOSSES}",
        ),
        (
            lambda p: ab.gradients(counts, p)([[1]]),
            f"loss: counts returns int; {LOSSES}",
        ),
        (
            lambda p: ab.gradients(judge, p, options=VM)(INSTANCES),
            "loss: judge returns Judged; say which of its values is the loss: loss=... "
            "('right', 'loss')",
        ),
        (
            lambda p: ab.gradients(judge, p, loss="los", options=VM)(INSTANCES),
            "loss='los': judge returns Judged, whose values are 'right', 'loss'",
        ),
        (
            lambda p: ab.gradients(judge, p, loss=0, options=VM)(INSTANCES),
            f"loss: judge returns int as 0; {LOSSES}",
        ),
        (
            lambda p: ab.gradients(loss, p, loss=0, options=VM)(INSTANCES),
            "loss=0: loss returns one value, Tensor[]; leave loss out",
        ),
        (
            lambda p: ab.gradients(decides, p)(INSTANCES),
            "nothing to differentiate: no loss of these instances is computed by tensor operations "
            "from the weights emb, layers.0.w, layers.0.b, layers.1.w, layers.1.b, out; what "
            "decisions read (ops.item, comparisons) is a constant",
        ),
        (
            lambda p: ab.gradients(loss, p, wrt="outs", options=VM),
            "wrt: P has no weight 'outs'; did you mean 'out'? (it has emb, layers.0.w, layers.0.b, "
            "layers.1.w, layers.1.b, out)",
        ),
        (
            lambda p: ab.gradients(loss, p, wrt=[], options=VM),
            "wrt: no weight is named; leave it out for all of them",
        ),
    ],
)
def test_what_has_no_gradient(
    disabled: str, make: Any, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACROBAT_DISABLE", disabled)
    with pytest.raises(ab.GradientError) as caught:
        make(weights())
    assert str(caught.value) == text


def test_other_weights() -> None:
    @ab.params
    class Other:
        w: ab.Float32[ab.Tensor, "H"]

    with pytest.raises(ab.ParamsError, match=re.escape("params: loss takes P, got Other")):
        ab.gradients(loss, Other(w=np.zeros(2)))


@pytest.mark.parametrize(
    ("cotangents", "text"),
    [
        ([(None, 1.0)], "cotangents: expected a list of 3, one for each, got 1"),
        (3, "cotangents: expected a list of 3, one for each, got int"),
        (
            [(None, 1.0), (None, 1.0, 2.0), None],
            "cotangents[1]: expected a Judged of 2, as the result is, got a tuple of 3",
        ),
        (
            [(None, np.ones(2)), None, None],
            "cotangents[0][1]: expected an array of shape [], got [2]",
        ),
        ([(None, "x"), None, None], "cotangents[0][1]: expected numbers, got <U1"),
    ],
)
def test_cotangents_that_do_not_fit(
    cotangents: Any, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACROBAT_DISABLE", "1")
    fast = ab.compile(judge, weights(), options=VM)
    with pytest.raises(ab.GradientError) as caught:
        fast.vjp(INSTANCES, cotangents)
    assert str(caught.value) == text


@ab.params
class Scaled:
    w: ab.Float32[ab.Tensor, "H"]
    times: int
    rate: float = 0.5


@ab.model
def scaled(p: Scaled, x: ab.Float32[ab.Tensor, "H"]) -> ab.Float32[ab.Tensor, ""]:
    y = x
    for _ in range(p.times):
        y = y * p.w * p.rate
    return y.sum()


@WAYS
def test_numbers_among_the_weights(disabled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACROBAT_DISABLE", disabled)
    p = Scaled(w=np.array([2.0, 3.0]), times=2)
    losses, grads = ab.gradients(scaled, p, options=VM)([np.ones(2, np.float32)])
    np.testing.assert_allclose(losses, [(4 + 9) / 4])
    np.testing.assert_allclose(grads.w, [1.0, 1.5])
    assert grads.times == 2


@ab.model
def by_one_number(p: Scaled, x: ab.Float32[ab.Tensor, "H"]) -> ab.Float32[ab.Tensor, ""]:
    return (x * p.w[1]).sum() + p.w[0] * p.w[1]


def test_a_number_that_is_looked_up_in_a_weight() -> None:
    p = Scaled(w=np.array([2.0, 3.0]), times=2)
    _, grads = ab.gradients(by_one_number, p, options=VM)([np.array([4, 5], np.float32)])
    np.testing.assert_allclose(grads.w, [3.0, 9.0 + 2.0])
