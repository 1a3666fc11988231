"""Weights out of the state of a PyTorch module: names, transposed tensors, lists, missing ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor


@ab.params
class Linear:
    w: Float32[Tensor, "I O"]
    b: Float32[Tensor, "O"] | None


@ab.params
class Net:
    emb: Float32[Tensor, "V H"]
    layers: list[Linear]
    out: Linear


def draw(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


STATE = {
    "embedding.weight": draw(7, 3),
    "layers.0.weight": draw(4, 3),
    "layers.0.bias": draw(4),
    "layers.1.weight": draw(5, 4),
    "head.weight": draw(2, 5),
    "head.bias": draw(2),
    "unused": draw(1),
}
NAMES = {"emb": "embedding.weight", "out": "head", "w": "weight.T", "b": "bias"}


def test_names_transposed_tensors_lists_and_what_is_missing() -> None:
    net = ab.from_state_dict(Net, STATE, NAMES)
    assert [layer.w.shape for layer in net.layers] == [(3, 4), (4, 5)]
    np.testing.assert_array_equal(net.layers[0].w, STATE["layers.0.weight"].T)
    assert net.layers[0].b is not None and net.layers[1].b is None
    np.testing.assert_array_equal(net.out.b, STATE["head.bias"])


def test_a_module_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    module = torch.nn.Linear(3, 2)
    made = ab.from_state_dict(Linear, module.state_dict(), {"w": "weight.T", "b": "bias"})
    np.testing.assert_array_equal(made.w, module.weight.detach().numpy().T)
    assert made.w.flags.c_contiguous  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (
            NAMES | {"emb": "embeding.weight"},
            "Net.emb: the state has no 'embeding.weight'; did you mean 'embedding.weight'? "
            "(names={'emb': ...} says what it is called)",
        ),
        (
            NAMES | {"w": "kernel"},
            "Net.layers.0.w: the state has no 'layers.0.kernel'; did you mean 'layers.0.weight'? "
            "(names={'layers.0.w': ...} says what it is called)",
        ),
        (
            NAMES | {"w": "weight"},
            "Linear.b: declared Tensor[O], got shape (4,): O is 3 (O = 3 from w), not 4",
        ),
    ],
)
def test_what_is_wrong(names: dict[str, str], message: str) -> None:
    with pytest.raises(ab.ParamsError) as caught:
        ab.from_state_dict(Net, STATE, names)
    assert str(caught.value) == message


def test_another_class() -> None:
    other: Any = int
    with pytest.raises(ab.ParamsError, match=r"from_state_dict makes an @ab\.params class, not"):
        ab.from_state_dict(other, STATE)
