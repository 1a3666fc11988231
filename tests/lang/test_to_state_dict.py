"""Weights into the state of a module, and back: names, transposed tensors, gates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor
from acrobat.lang.params import weights


@ab.params
class Cell:
    w: Float32[Tensor, "I 4H"]
    u: Float32[Tensor, "H 4H"]
    b: Float32[Tensor, "4H"] | None


@ab.params
class Net:
    cells: list[Cell]
    out: Float32[Tensor, "H C"]
    heads: int = 2


NAMES = {
    "w": "weight_ih.T[i f g o -> i o g f]",
    "u": "weight_hh.T[i f g o->i o g f]",
    "b": "bias[i f g o -> i o g f]",
    "out": "head.weight.T",
}


def draw(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def net() -> Net:
    cells = [Cell(w=draw(3, 8), u=draw(2, 8), b=draw(8)), Cell(w=draw(2, 8), u=draw(2, 8), b=None)]
    return Net(cells=cells, out=draw(2, 5))


def test_there_and_back() -> None:
    state = ab.to_state_dict(net(), NAMES)
    assert {name: a.shape for name, a in state.items()} == {
        "cells.0.weight_ih": (8, 3),
        "cells.0.weight_hh": (8, 2),
        "cells.0.bias": (8,),
        "cells.1.weight_ih": (8, 2),
        "cells.1.weight_hh": (8, 2),
        "head.weight": (5, 2),
    }
    # Ours are i o g f, two numbers each.
    np.testing.assert_array_equal(state["cells.0.bias"], [0, 1, 6, 7, 4, 5, 2, 3])
    assert all(a.flags.c_contiguous and a.flags.owndata for a in state.values())
    again = ab.from_state_dict(Net, state, NAMES)
    for path, weight in weights(net()).items():
        np.testing.assert_array_equal(weights(again)[path], weight)


def test_a_file_of_safetensors(tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors.numpy")
    safetensors.save_file(ab.to_state_dict(net(), NAMES), tmp_path / "net.safetensors")
    again = ab.from_state_dict(Net, safetensors.load_file(tmp_path / "net.safetensors"), NAMES)
    for path, weight in weights(net()).items():
        np.testing.assert_array_equal(weights(again)[path], weight)


def test_the_gates_of_an_lstm() -> None:
    """Torch's cell, whose gates are i f g o, computes what ours does."""
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    cell = torch.nn.LSTMCell(3, 2)
    names = {**NAMES, "b": "bias_ih[i f g o -> i o g f]"}
    with torch.no_grad():
        cell.bias_hh.zero_()
    p = ab.from_state_dict(Cell, cell.state_dict(), names)
    x, h, c = torch.randn(3), torch.randn(2), torch.randn(2)
    assert p.b is not None
    i, o, g, f = np.split(x.numpy() @ p.w + h.numpy() @ p.u + p.b, 4)

    def sigmoid(a: np.ndarray) -> np.ndarray:
        return np.asarray(1 / (1 + np.exp(-a)))

    want_h, want_c = cell(x[None], (h[None], c[None]))
    got = sigmoid(f) * c.numpy() + sigmoid(i) * np.tanh(g)
    np.testing.assert_allclose(got, want_c[0].detach(), rtol=1e-5)
    np.testing.assert_allclose(sigmoid(o) * np.tanh(got), want_h[0].detach(), rtol=1e-5)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (
            {**NAMES, "w": "weight_ih.T[i f g o -> i o u f]"},
            "Net.cells.0.w: in 'cells.0.weight_ih.T[i f g o -> i o u f]' both sides of -> have the "
            "same gates, each once, as in [i f g o -> i o g f]",
        ),
        (
            {**NAMES, "w": "weight_ih.T[i f g -> i g f]"},
            "Net.cells.0.w: a last axis of 8 has no 3 gates of one length",
        ),
        (
            {**NAMES, "u": "weight_ih"},
            "Net.cells.0.u: another weight is called 'cells.0.weight_ih', too",
        ),
    ],
)
def test_names_that_do_not_fit(names: dict[str, str], text: str) -> None:
    with pytest.raises(ab.ParamsError) as caught:
        ab.to_state_dict(net(), names)
    assert str(caught.value) == text


def test_what_is_no_weights() -> None:
    with pytest.raises(ab.ParamsError, match="to_state_dict takes an @ab"):
        ab.to_state_dict(3)
