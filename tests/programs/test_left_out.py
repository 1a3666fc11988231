"""Instances that leave out the last parameters of a model, which have defaults."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class P:
    w: Float32[Tensor, "H H"]


@ab.model
def four(p: P, xs: list[int], k: int = 2, s: str | None = None, *, t: float = 1.5) -> Any:
    return sum(xs) * k, s, t


@ab.model
def of_tuples(p: P, x: tuple[int, int], k: int = 2) -> Any:
    return x[0] * k + x[1]


@ab.model
def of_triples(p: P, x: tuple[int, list[int], float], k: int = 2) -> Any:
    return len(x[1]) * k + x[0], x[2]


@ab.model
def none_needed(p: P, x: int = 4, ys: list[int] = []) -> Any:  # noqa: B006
    return x + len(ys)


@ab.model
def loss(p: P, x: Float32[Tensor, "H"], k: float = 2.0) -> Float32[Tensor, ""]:
    return ops.sum(x @ p.w) * k


CASES: dict[Any, list[Any]] = {
    four: [[1, 2], ([3],), ([4], 5), ([1], 1, "a"), ([1], 1, "a", 0.5)],
    of_tuples: [((1, 2),), ((1, 2), 5)],
    none_needed: [(), 3, (5,), (6, [1])],
}


def weights() -> P:
    return P(w=np.eye(3, dtype=np.float32))


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["vm", "aot", "plain"])
@pytest.mark.parametrize("model", CASES, ids=lambda m: m.function.__name__)
def test_as_in_a_call(model: Any, executor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if executor == "plain":
        monkeypatch.setenv("ACROBAT_DISABLE", "1")
    options = ab.Options(executor="aot" if executor == "plain" else executor)
    fast = ab.compile(model, weights(), options=options)
    instances = CASES[model]
    wanted = []
    for instance in instances:
        given = instance if isinstance(instance, tuple) else (instance,)
        words = {"t": given[3]} if len(given) == 4 else {}
        wanted.append(model(weights(), *given[:3], **words))
    assert fast(instances) == wanted
    assert fast.run(fast.prepare(instances[-1:])) == wanted[-1:]


@pytest.mark.parametrize("disabled", ["0", "1"])
def test_a_tuple_longer_than_the_parameters_is_the_first_of_them(
    disabled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACROBAT_DISABLE", disabled)
    fast = ab.compile(of_triples, weights(), options=ab.Options(executor="vm"))
    triple = (1, [2, 3], 0.5)
    assert fast([triple, (triple,), (triple, 4)]) == [(5, 0.5), (5, 0.5), (9, 0.5)]


def test_what_has_no_default_is_needed() -> None:
    fast = ab.compile(of_tuples, weights(), options=ab.Options(executor="vm"))
    with pytest.raises(ab.InstanceError, match=r"expected a tuple \(tuple\[int, int\], int\)"):
        fast([()])
    with pytest.raises(ab.InstanceError, match=r"instances\[0\]\[0\]: expected a tuple"):
        fast([(1, 2)])


@pytest.mark.usefixtures("interpreted_kernels")
def test_gradients() -> None:
    step = ab.gradients(loss, weights())
    x = np.ones(3, np.float32)
    (one, by_default), (other, given) = step([x]), step([(x, 2.0)])
    np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(by_default.w, given.w)
