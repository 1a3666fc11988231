"""Weights and numbers in dicts, chosen by a string of the instance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor
from tests.agree import assert_agree


@ab.params
class P:
    rel: dict[str, Float32[Tensor, "E E"]]
    other: Float32[Tensor, "E E"]
    val: dict[str, Float32[Tensor, "L E"]]
    scale: dict[str, float]
    count: dict[str, int]
    rows: list[Float32[Tensor, "M E"]]
    one: Float32[Tensor, "E"]


def _weights() -> P:
    rng = np.random.default_rng(0)

    def array(*shape: int) -> np.ndarray:
        return rng.normal(size=shape).astype("float32")

    return P(
        rel={"a": array(4, 4), "b": array(4, 4)},
        other=array(4, 4),
        val={"a": array(3, 4), "b": array(2, 4)},
        scale={"a": 0.5, "b": 1.5},
        count={"a": 5, "b": 7},
        rows=[array(2, 4), array(3, 4)],
        one=array(4),
    )


@ab.model
def or_another(p: P, s: str) -> Any:
    return np.tanh(p.one @ p.rel.get(s, p.other))


@ab.model
def by_name(p: P, s: str) -> Any:
    relation = p.rel.get(s, p.other)
    return p.one @ relation


@ab.model
def or_none(p: P, s: str) -> Any:
    relation = p.rel.get(s)
    return p.one if relation is None else p.one @ relation


@ab.model
def numbers(p: P, s: str) -> Any:
    return p.scale.get(s, 2.0) + p.count.get(s + "b", 3), p.scale.get(s), p.count.get(s)


@ab.model
def tried(p: P, s: str) -> Any:
    try:
        return p.scale[s] + p.count[s]
    except KeyError:
        return -1.0


ABSENT = [or_another, by_name, or_none, numbers, tried]


@ab.model
def known_numbers(p: P, s: str) -> Any:
    return p.scale[s] * 2, p.count[s] + 1, p.one * p.scale[s]


@ab.model
def of_several_shapes(p: P, s: str) -> Any:
    return p.val[s][1] + p.val[s].sum(axis=0), p.val[s] @ p.one if s == "c" else p.one


@ab.model
def items_of_several_shapes(p: P, s: str) -> Any:
    return sum([p.one @ p.val[s][i] for i in range(len(p.val[s]))])


PRESENT = [known_numbers, items_of_several_shapes]


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["vm", "aot"])
@pytest.mark.parametrize("model", [*ABSENT, *PRESENT], ids=lambda m: m.function.__name__)
def test_agree_with_plain_python(executor: Any, model: Any) -> None:
    p, instances = _weights(), ["a", "b", *(["", "zz"] if model in ABSENT else [])]
    fast = ab.compile(model, p, options=ab.Options(executor=executor))
    for s, got in zip(instances, fast(instances), strict=True):
        assert_agree(model(p, s), got)


@ab.model
def row_of_a_list(p: P, k: int) -> Any:
    return p.rows[k].sum(axis=0), p.rows[k][1]


def test_weights_of_several_shapes_in_a_list() -> None:
    p = _weights()
    fast = ab.compile(row_of_a_list, p)
    for k, got in enumerate(fast([0, 1])):
        np.testing.assert_allclose(got, row_of_a_list(p, k), rtol=1e-5)


def test_a_missing_key_is_the_fault_of_the_instance() -> None:
    with pytest.raises(ab.InstanceError, match=r"KeyError: p\.scale has no key zz"):
        ab.compile(known_numbers, _weights())(["a", "zz"])
