"""Models without hints compile for what their examples have, and agree with plain Python."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.examples import with_examples
from acrobat.frontend.module import lower_model
from tests.agree import assert_agree
from tests.examples import array_models, models

CASES = [*models.CASES, *array_models.CASES]


def _plain(model: Any, p: Any, instance: Any) -> Any:
    several = model.function.__code__.co_argcount > 2
    return model(p, *instance) if several else model(p, instance)


def _check(fast: Any, model: Any, p: Any, instances: list[Any]) -> None:
    for instance, got in zip(instances, fast(instances), strict=True):
        assert_agree(_plain(model, p, instance), got)


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["vm", "aot"])
@pytest.mark.parametrize(("model", "instances"), CASES, ids=lambda c: getattr(c, "__name__", ""))
def test_agree_with_plain_python(executor: Any, model: Any, instances: list[Any]) -> None:
    p = models.weights()
    options = ab.Options(executor=executor)
    _check(ab.compile(model, p, options=options, examples=instances), model, p, instances)


def test_survive_pickling() -> None:
    """Also a type that refers to itself."""
    p = models.weights()
    fast = ab.compile(models.calculate, p, examples=models.TUPLES)
    _check(pickle.loads(pickle.dumps(fast)), models.calculate, p, models.TUPLES)


def _type(model: Any, examples: list[Any]) -> str:
    told = with_examples(model, models.weights(), examples)
    module = lower_model(told, models.weights())
    return str(module.functions[module.entry].params[1].type)


@ab.model
def same(p: models.P, x: Any) -> Any:
    return x


@pytest.mark.parametrize(
    ("examples", "wanted"),
    [
        ([1, 2], "int"),
        ([np.int64(3)], "int"),
        ([True], "bool"),
        ([1, 2.5], "int | float"),
        ([1, "a", None], "int | str | None"),
        ([None, 2.5], "float | None"),
        ([models.Kind.PLAIN], "Kind"),
        ([[], [1]], "list[int]"),
        ([[[1.0], [2.0]], [[]]], "list[list[float]]"),
        ([[[1.0], None]], "list[list[float] | None]"),
        ([(1, 2)], "tuple[int, int]"),
        ([(1, 2), (1, 2, 3)], "list[int]"),
        ([(1,), ()], "list[int]"),
        ([("a", 1.5), ("b", 2, 3)], "tuple of 2 | tuple of 3"),
        ([{"a": 1}, {}], "dict[str, int]"),
        ([{"a": 1, "b": "x"}], "dict['a': int, 'b': str]"),
        ([{"a": [], "b": 1}, {"a": ["x"], "b": None}], "dict['a': list[str], 'b': int | None]"),
        ([{1: 2}, {3: 4}], "dict[int, int]"),
        ([{1}, {2, 3}], "set[int]"),
        ([[1, [2, 3]], [1, [2, [3]]]], "list | int"),
        ([np.zeros(4)], "Tensor[E]"),
        ([np.zeros((9, 7))], "Tensor[9, 7]"),
        ([np.zeros((2, 4)), np.zeros((3, 4))], "list[Tensor[E]]"),
        ([np.zeros((4, 2)), np.zeros((4, 3))], "list[Tensor[E]]"),
        ([np.zeros((0, 4))], "list[Tensor[E]]"),
    ],
)
def test_types(examples: list[Any], wanted: str) -> None:
    assert _type(same, examples) == wanted


@ab.model
def declared(p: models.P, x: float, words: list[models.Word], rest) -> float:  # type: ignore[no-untyped-def]
    return x + sum(w.id for w in words) + len(rest)


def test_complete_hints_stay() -> None:
    """An int is an example of a float, and fields with hints keep them."""
    p = models.weights()
    words = [models.Word(1, models.array(4), [1.0])]
    fast = ab.compile(declared, p, examples=[(1, words, "ab")])
    assert fast([(1.5, words, "abc")]) == [5.5]  # type: ignore[list-item]


@ab.model
def without(p, x: int) -> int:  # type: ignore[no-untyped-def]
    return x + 1


def test_the_weights_say_what_they_are() -> None:
    """Their parameter needs neither hint nor examples."""
    assert ab.compile(without, models.weights())([1, 2]) == [2, 3]


@ab.model
def loss(p, x) -> Any:  # type: ignore[no-untyped-def]
    return (np.tanh(x @ p.w).sum(axis=0) ** 2).sum()


def test_gradients_and_modules() -> None:
    torch = pytest.importorskip("torch")
    p, xs = models.weights(), [models.array(2, 4), models.array(5, 4)]
    _, grads = ab.gradients(loss, p, examples=xs)(xs)
    module: Any = ab.torch.Module(loss, models.weights(), examples=xs)
    torch.stack(module(xs)).sum().backward()
    np.testing.assert_allclose(module.w.grad, grads.w, rtol=1e-4, atol=1e-5)


def _pair(depth: int) -> Any:
    x: Any = 1
    for _ in range(depth):
        x = (x, x)
    return x


def _cycle() -> list[Any]:
    cycle: list[Any] = [1]
    cycle.append(cycle)
    return cycle


def test_shared_containers_are_looked_at_once() -> None:
    """A tuple of two that are one, 60 times; and a list that contains itself, which is no
    instance."""
    assert _type(same, [_pair(60)]) == "int | tuple of 2"
    fast = ab.compile(same, models.weights(), examples=[_cycle()])
    with pytest.raises(ab.InstanceError, match="a cycle, and an instance must end"):
        fast([_cycle()])
