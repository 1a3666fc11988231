"""Weights without an `@ab.params` class: a compiled model does with them what plain Python does."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from tests.agree import assert_agree
from tests.programs import plain_object_models as objects
from tests.programs import plain_weight_models as models

_CASES: list[Any] = [*models.CASES, *objects.CASES]
_NAMES = [model.function.__name__ for model, *_ in _CASES]


@pytest.mark.parametrize("executor", ["aot", "vm"])
@pytest.mark.parametrize(
    ("model", "make", "instances", "examples"),
    models.CASES,
    ids=lambda v: getattr(v, "__name__", None),
)
def test_agree_with_plain_python(
    model: Any, make: Any, instances: list[Any], examples: bool, executor: str
) -> None:
    weights = make()
    fast = ab.compile(
        model,
        weights,
        "cpu",
        ab.Options(executor=executor),
        examples=instances if examples else None,
    )
    expected = [model.function(weights, i) for i in instances]
    assert_agree(expected, fast(instances))


@pytest.mark.parametrize(
    ("model", "make", "instances", "examples"),
    models.CASES,
    ids=lambda v: getattr(v, "__name__", None),
)
def test_run_as_plain_python(
    model: Any, make: Any, instances: list[Any], examples: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACROBAT_DISABLE", "1")
    weights = make()
    fast = ab.compile(model, weights, examples=instances if examples else None)
    assert_agree([model.function(weights, i) for i in instances], fast(instances))


def test_changed_weights_are_read_again() -> None:
    weights = models.in_a_dict()
    fast = ab.compile(models.with_hint, weights, "cpu")
    before = fast(models.WORDS)
    weights["w"] *= 2.0  # of float64, of which the compiled model has a copy
    weights["b"] = weights["b"] + 1.0
    assert_agree(before, fast(models.WORDS))
    fast.reload_weights()
    assert_agree([models.with_hint.function(weights, w) for w in models.WORDS], fast(models.WORDS))
    other = models.in_a_dict()
    fast.reload_weights(other)
    assert_agree([models.with_hint.function(other, w) for w in models.WORDS], fast(models.WORDS))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"w": np.zeros((4, 5))}, "w: compiled with a weight of shape [4, 4], got [4, 5]"),
        ({"v": np.zeros(4)}, "v: compiled with a weight of shape none, got [4]"),
        ({"n": 3}, "params: with_hint was compiled with weights of another structure; compile it "
         "again"),
    ],
)  # fmt: skip
def test_weights_of_another_structure(change: dict[str, Any], message: str) -> None:
    weights = models.in_a_dict()
    fast = ab.compile(models.with_hint, weights, "cpu")
    with pytest.raises(ab.ParamsError) as error:
        fast.reload_weights(weights | change)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"steps": 3}, "steps: mlp was compiled with 2, got 3; compile it again"),
        ({"name": "x"}, "name: mlp was compiled with 'mlp', got 'x'; compile it again"),
        ({"order": np.array([1, 1])},
         "order: mlp was compiled with array([0, 1]), got array([1, 1]); compile it again"),
    ],
)  # fmt: skip
def test_constants_of_a_compiled_model_do_not_change(change: dict[str, Any], message: str) -> None:
    weights = models.layers() | {"order": np.array([0, 1])}
    fast = ab.compile(models.mlp, weights, "cpu", examples=models.WORDS)
    fast.reload_weights()
    with pytest.raises(ab.ParamsError) as error:
        fast.reload_weights(weights | change)
    assert str(error.value) == message
    weights["order"][0] = 5  # in place
    with pytest.raises(ab.ParamsError, match="order: mlp was compiled with"):
        fast.reload_weights()


def test_a_compiled_model_is_copied_and_pickled() -> None:
    weights = models.layers()
    fast = ab.compile(models.mlp, weights, "cpu", examples=models.WORDS)
    expected = fast(models.WORDS)
    assert_agree(expected, copy.copy(fast)(models.WORDS))
    assert_agree(expected, pickle.loads(pickle.dumps(fast))(models.WORDS))


@ab.model
def loss(p: dict[str, Any], words: list[int]) -> Any:
    h = models.with_hint(p, words)
    return h @ h


def test_a_model_is_trained() -> None:
    """The arrays are changed in place, as its author does; those of float64 are read each time."""
    weights = models.in_a_dict()
    step = ab.gradients(loss, weights)
    first, grads = step(models.WORDS)
    assert set(grads) == set(weights)
    epsilon, at = 1e-3, (1, 2)
    moved = copy.deepcopy(weights)
    moved["w"][at] += epsilon
    slope = sum(loss.function(moved, w) - loss.function(weights, w) for w in models.WORDS) / epsilon
    assert grads["w"][at] == pytest.approx(slope, rel=0.05)
    for _ in range(30):
        _, grads = step(models.WORDS)
        for name in weights:
            g = grads[name]
            weights[name] -= 0.05 * (g.dense() if isinstance(g, ab.SparseRows) else g)
    last, _ = step(models.WORDS)
    assert last.sum() < 0.5 * first.sum()


def test_gradients_of_nested_weights() -> None:
    weights = objects.of_dataclasses()
    losses, grads = ab.gradients(_of_cells, weights)(models.WORDS)
    assert grads.cells[0].w.shape == (4, 4) and grads.cells[1].b is None
    assert losses.shape == (4,) and np.abs(grads.cells[1].u).sum() > 0


@ab.model
def _of_cells(p: objects.Weights, words: list[int]) -> Any:
    y = objects.stacked(p, words)
    return y @ y


def test_a_module_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    from acrobat.torch import Module

    weights = models.layers()
    module = Module(models.mlp, weights, examples=models.WORDS)
    assert "layers.1.b" in dict(module.named_parameters())
    with torch.no_grad():
        found = module(models.WORDS)
    expected = [models.mlp.function(weights, w) for w in models.WORDS]
    assert_agree(expected, [(np.asarray(a), np.asarray(b)) for a, b in found])


def test_check_finite_names_a_weight() -> None:
    weights = models.in_a_dict()
    weights["u"][1, 1] = np.nan
    fast = ab.compile(models.with_hint, weights, "cpu", ab.Options(check_finite=True))
    with pytest.raises(ab.NotFiniteError, match=r"p\.u"):
        fast(models.WORDS)
