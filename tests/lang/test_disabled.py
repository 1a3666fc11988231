"""With ACROBAT_DISABLE=1 a model runs as plain Python, and everything else still answers."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor


@ab.params
class P:
    w: Float32[Tensor, "H H"]


@ab.model
def scale(p: P, x: Float32[Tensor, "H"]) -> Float32[Tensor, "H"]:
    return x @ p.w


@ab.model
def several(p: P, x: Float32[Tensor, "H"], n: int) -> tuple[Float32[Tensor, "H"], int]:
    return x @ p.w, n + 1


X = np.arange(3, dtype=np.float32)
SENTENCE = (
    "nothing is compiled, because ACROBAT_DISABLE=1 is set: every call runs scale as plain Python, "
    "one instance after the other\n"
)


@pytest.fixture(autouse=True)
def disabled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACROBAT_DISABLE", "1")


def test_it_is_the_same_class_and_answers_everything() -> None:
    fast = ab.compile(scale, P(w=2 * np.eye(3)))
    assert isinstance(fast, ab.CompiledModel) and not fast.is_compiled
    with pytest.raises(ValueError, match="the model has not been called yet"):
        fast.last_profile  # noqa: B018
    inputs = fast.prepare([X, X + 1])
    np.testing.assert_array_equal(fast.run(inputs), [2 * X, 2 * X + 2])
    profile = dataclasses.asdict(fast.last_profile)
    assert inputs.count == 2 and profile.pop("input_ms") >= 0 and profile.pop("compile_s") < 5
    assert not any(profile.values())
    assert fast.count_least_batches(inputs) == 0
    assert fast.explain() == fast.ir("cpp") == fast.ir("batched") == SENTENCE
    with pytest.raises(RuntimeError) as caught:
        fast.compilation  # noqa: B018
    assert f"{caught.value}\n" == SENTENCE


def test_an_instance_of_several_parts_is_a_tuple() -> None:
    ((x, n),) = ab.compile(several, P(w=np.eye(3)))([(X, 4)])
    np.testing.assert_array_equal(x, X)
    assert n == 5


def test_one_instance_is_no_list() -> None:
    with pytest.raises(ab.InstanceError) as caught:
        ab.compile(scale, P(w=np.eye(3)))(X)  # type: ignore[arg-type]
    assert str(caught.value) == (
        "expected a list of instances, got ndarray; for one instance pass a list of one"
    )


def test_views_and_iterators_are_no_lists() -> None:
    fast: Any = ab.compile(scale, P(w=np.eye(3)))
    for batch in ({1: X}.values(), {1: X}.keys(), {1}, iter([X]), (x for x in [X])):
        with pytest.raises(ab.InstanceError) as caught:
            fast(batch)
        name = type(batch).__name__
        assert str(caught.value) == (
            f"expected a list of instances, got {name}; pass `list(...)` of it"
        )
    assert fast([]) == fast(()) == []


def test_the_other_arguments_are_checked() -> None:
    with pytest.raises(ab.OptionError) as caught:
        ab.compile(lambda p, x: x, P(w=np.eye(3)))
    assert "model: expected a function decorated with @ab.model, got <function" in str(caught.value)
    with pytest.raises(ab.ParamsError) as wrong:
        ab.compile(scale, X)  # type: ignore[arg-type]
    assert str(wrong.value) == (
        "params: ndarray is no set of weights; give a dict of arrays, an object with them in its "
        "fields, or one of an @ab.params class"
    )
