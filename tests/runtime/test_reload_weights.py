"""A compiled model takes weights that have changed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import ops
from acrobat.lang.params import weights
from workloads import get
from workloads.data.source import TreeSource
from workloads.results import flatten

SOURCE = TreeSource(None)


def close(got: list[Any], want: list[Any]) -> None:
    for a, b in zip(got, want, strict=True):
        (kind, xs), (wanted, ys) = flatten(a), flatten(b)
        assert kind == wanted
        for x, y in zip(xs, ys, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-4, atol=1e-5)


# A table that is read through references and packed ones; weights folded from constants.
@pytest.mark.parametrize("name", ["treelstm", "mvrnn", "birnn"])
@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_changed_in_place(name: str, executor: str, request: pytest.FixtureRequest) -> None:
    if executor == "vm":
        request.getfixturevalue("interpreted_kernels")
    workload = get(name)
    params = workload.make_params("tiny", 0, SOURCE)
    instances = workload.make_instances("tiny", 3, 0, SOURCE)
    fast = ab.compile(workload.model, params, options=ab.Options(executor=executor, threads=1))
    prepared = fast.prepare(instances)
    before = fast.run(prepared)
    old = [np.copy(x) for r in before for x in flatten(r)[1]]
    for weight in weights(params).values():
        weight *= 0.75
    kept = [x for r in before for x in flatten(r)[1]]
    for x, y in zip(old, kept, strict=True):
        np.testing.assert_array_equal(x, y)
    fast.reload_weights()
    close(fast.run(prepared), [workload.model(params, i) for i in instances])
    for path, weight in weights(params).items():
        weight *= 1.5
        fast.reload_weights(changed={path})
    close(fast(instances), [workload.model(params, i) for i in instances])


@ab.params
class P:
    w: ab.Float32[ab.Tensor, "H H"]
    b: ab.Float32[ab.Tensor, "H"] | None


@ab.model
def apply(p: P, x: ab.Float32[ab.Tensor, "H"]) -> ab.Float32[ab.Tensor, "H"]:
    y = x @ p.w
    if p.b is not None:
        y = y + p.b
    return y


@ab.model
def chain(p: P, xs: list[int]) -> ab.Float32[ab.Tensor, "H"]:
    h = ops.ones(p.w.shape[0])
    for _ in xs:
        h = ops.tanh(h @ p.w)
    return step(p, ops.zeros(p.w.shape[0]), len(xs)) + h


@ab.model
def step(p: P, h: ab.Float32[ab.Tensor, "H"], n: int) -> ab.Float32[ab.Tensor, "H"]:
    if n == 0:
        return h
    return step(p, ops.tanh((h + 1.0) @ p.w), n - 1)


def test_weights_that_the_compiler_made(interpreted_kernels: None) -> None:
    params = P(w=np.random.default_rng(0).normal(size=(3, 3)), b=None)
    fast = ab.compile(chain, params, options=ab.Options(executor="vm"))
    assert any("w" in path for path in fast.compilation.typed.folded)
    close(fast([[1, 2]]), [chain(params, [1, 2])])
    w: Any = params.w
    w[...] *= 0.5
    fast.reload_weights(changed={"w"})
    close(fast([[1, 2]]), [chain(params, [1, 2])])


@pytest.mark.parametrize("disabled", ["0", "1"])
def test_other_objects(
    disabled: str, monkeypatch: pytest.MonkeyPatch, interpreted_kernels: None
) -> None:
    monkeypatch.setenv("ACROBAT_DISABLE", disabled)
    fast = ab.compile(apply, P(w=np.eye(3), b=None), options=ab.Options(executor="vm"))
    fast.reload_weights(P(w=2 * np.eye(3), b=None))
    np.testing.assert_array_equal(fast([np.ones(3, np.float32)]), [2 * np.ones(3)])
    for given, text in [
        (P(w=np.eye(4), b=None), "w: compiled with a weight of shape [3, 3], got [4, 4]"),
        (
            P(w=np.eye(3), b=np.zeros(3)),
            "b: compiled with a weight of shape none, got [3]",
        ),
        (3, "params: apply takes P, got int"),
    ]:
        with pytest.raises(ab.ParamsError) as caught:
            fast.reload_weights(given)
        assert str(caught.value) == text
