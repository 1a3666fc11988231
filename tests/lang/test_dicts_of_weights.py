"""Weights in dicts: what is kept, what is refused, their states, and their gradients."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops
from acrobat.lang.params import sizes, weights


@ab.params
class Head:
    w: Float32[Tensor, "H C"]
    scale: float = 2.0


@ab.params
class Net:
    w: dict[str, Float32[Tensor, "H H"]]
    heads: dict[str, Head]
    b: Float32[Tensor, "H"]


rng = np.random.default_rng(3)


def draw(*shape: int) -> np.ndarray:
    return rng.normal(0, 0.5, shape).astype(np.float32)


def net(**given: Any) -> Net:
    kept: dict[str, Any] = {
        "w": {"left": draw(3, 3), "nsubj:pass": draw(3, 3)},
        "heads": {"tag": Head(w=draw(3, 4)), "class": Head(w=draw(3, 4), scale=0.5)},
        "b": draw(3),
    }
    return Net(**(kept | given))


def test_paths_and_sizes() -> None:
    p = net()
    assert list(weights(p)) == ["w.left", "w.nsubj:pass", "heads.tag.w", "heads.class.w", "b"]
    assert sizes(p) == {"H": 3, "C": 4}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"w": [draw(3, 3)]}, "Net.w: expected a dict, got list"),
        ({"w": {"left": "x"}}, "Net.w['left']: "),
        (
            {"w": {0: draw(3, 3)}},
            "Net.w: the keys of weights are strings, not empty and without a dot, got 0",
        ),
        (
            {"w": {"a.b": draw(3, 3)}},
            "Net.w: the keys of weights are strings, not empty and without a dot, got 'a.b'",
        ),
        ({"heads": {"tag": draw(3, 4)}}, "Net.heads['tag']: expected Head, got ndarray"),
        ({"w": {"left": draw(3, 4)}}, "Net.w.left: "),
    ],
)
def test_what_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ab.ParamsError) as caught:
        net(**given)
    assert str(caught.value).startswith(message)


def test_a_dict_does_not_change() -> None:
    p = net()
    with pytest.raises(TypeError) as caught:
        p.w["left"] = draw(3, 3)
    assert str(caught.value) == (
        "a dict of weights does not change: make another object of its class"
    )
    with pytest.raises(TypeError):
        p.w.update(left=draw(3, 3))
    with pytest.raises(TypeError):
        del p.w["left"]


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_copies_are_dicts_of_weights(duplicate: Any) -> None:
    p = net()
    other = duplicate(p)
    assert type(other.w) is type(p.w)
    for path, array in weights(p).items():
        np.testing.assert_array_equal(weights(other)[path], array)


def test_states() -> None:
    """The keys are what the state has behind the name of the dict, or `names` has."""
    p = net()
    names = {"w.left": "w.proj", "w.nsubj:pass": "subject.T", "heads": "out"}
    state = ab.to_state_dict(p, names)
    assert list(state) == ["w.proj", "subject", "out.tag.w", "out.class.w", "b"]
    made = [ab.from_state_dict(Net, state, names), ab.from_state_dict(Net, ab.to_state_dict(p))]
    for other in made:
        assert set(weights(other)) == set(weights(p))
        for path, array in weights(p).items():
            np.testing.assert_array_equal(weights(other)[path], array)


@ab.model
def loss(p: Net, x: Float32[Tensor, "H"], kind: str) -> Float32[Tensor, ""]:
    h = p.b
    for key, w in p.w.items():
        if key == kind:
            h = ops.tanh(x @ w)
    return ops.sum(h @ p.heads["tag"].w * p.heads["tag"].scale - h @ p.heads["class"].w)


INSTANCES = [(draw(3), kind) for kind in ("left", "nsubj:pass", "other", "left")]


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["vm", "aot"])
def test_gradients_are_those_of_plain_python(
    executor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    p = net()
    results = []
    for disabled in ("0", "1"):
        monkeypatch.setenv("ACROBAT_DISABLE", disabled)
        step = ab.gradients(loss, p, options=ab.Options(executor=executor))
        losses, found = step(INSTANCES)
        assert list(found.w) == ["left", "nsubj:pass"]
        results.append([np.asarray(losses), *weights(found).values()])
    for got, want in zip(*results, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


@pytest.mark.usefixtures("interpreted_kernels")
def test_a_module_of_pytorch_has_them_under_their_paths() -> None:
    pytest.importorskip("torch")
    module: Any = ab.torch.Module(loss, net(), ab.Options(executor="vm"))
    assert set(dict(module.named_parameters())) == set(weights(net()))
    sum(module(INSTANCES)).backward()
    assert all(q.grad is not None for q in module.parameters())
