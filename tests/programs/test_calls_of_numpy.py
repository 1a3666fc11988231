"""numpy's functions in a model, orders of tensors of one element, enumerations that are called."""

# Models as they are written in a hurry have no hints.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops

SIZE = 8


class Kind(StrEnum):
    NOUN = "n"
    VERB = "v"


class Number(IntEnum):
    ZERO = 0
    ONE = 1


@ab.params
class P:
    emb: Float32[Tensor, "V D"]
    w: Float32[Tensor, "3 D"]


@ab.data
class Words:
    words: list[int]
    kind: str
    xs: list[float]


@ab.model
def of_tensors(p: P, x: Words):
    hs = [np.tanh(p.emb[w]) for w in x.words]
    total = np.zeros(SIZE, np.float32) + np.ones((SIZE,), dtype=np.float32)
    for h in hs:
        total = np.maximum(total, np.exp(-h)) + np.add(h, 1.0) * np.sqrt(np.abs(h))
    return np.log(total + 1.0) + np.array([x.xs[0], len(hs), 1], np.float32) @ p.w


@ab.model
def of_numbers(p: P, x: Words) -> list[float]:
    found = []
    for a in x.xs:
        found += [np.exp(a), np.sqrt(a), np.log(a), np.tanh(a), np.sin(a), np.cos(a), np.abs(a)]
        found += [np.maximum(a, 1.0), np.minimum(a, len(x.words))]
    return found


@ab.model
def ordered(p: P, x: Words):
    hs = [p.emb[w] for w in x.words]
    best = max(hs, key=lambda h: h.sum())
    worst = min(range(len(hs)), key=lambda i: ops.dot(hs[i], best))
    sums = sorted([ops.sum(h) for h in hs], reverse=True)
    least = min([ops.sum(h * h) for h in hs], default=ops.sum(best))
    return hs[worst] * sums[0] + best * least - max(sums[0], sums[-1], least)


@ab.model
def enumerations(p: P, x: Words) -> tuple[int, Float32[Tensor, "D"]]:
    kind = Kind(x.kind)
    n = 0
    for w in x.words:
        if Number(w % 2) is Number.ONE:
            n += 1
    return n, p.emb[n] if kind is Kind.NOUN else -p.emb[0]


MODELS = (of_tensors, of_numbers, ordered, enumerations)


def data() -> tuple[P, list[Words]]:
    random = np.random.default_rng(0)
    p = P(emb=random.normal(size=(9, SIZE)), w=random.normal(size=(3, SIZE)))
    odd = [0.0, -0.0, -1.5, 1e3, -1e3, float("inf"), float("-inf"), float("nan"), 709.7, 709.8]
    return p, [
        Words([1, 2, 3], "n", odd),
        Words([4], "v", [0.5]),
        Words([7, 5, 5, 1], "n", random.normal(size=5).tolist()),
    ]


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("executor", ["aot", "vm"])
@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.function.__name__)
def test_as_in_plain_python(model: Any, executor: str) -> None:
    p, instances = data()
    got = ab.compile(model, p, options=ab.Options(executor=executor))(instances)
    for result, instance in zip(got, instances, strict=True):
        expected = model(p, instance)
        several = type(expected) is tuple
        for one, other in zip(result, expected, strict=True) if several else [(result, expected)]:
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


@pytest.mark.usefixtures("interpreted_kernels")
def test_no_member_has_that_value() -> None:
    p, instances = data()
    fast = ab.compile(enumerations, p, options=ab.Options(executor="vm"))
    with pytest.raises(ab.InstanceError) as error:
        fast([instances[0], Words([1], "adjective", [])])
    assert "ValueError: 'adjective' is not a valid Kind" in str(error.value)
