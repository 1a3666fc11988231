"""Numbers among the weights: what is one, and where they come from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor
from acrobat.lang.params import weights


@ab.params
class Layer:
    w: Float32[Tensor, "H H"]
    scale: float = 1.0


@ab.params
class Net:
    layers: list[Layer]
    sizes: tuple[int, ...] = (1, 2)
    heads: int = 2
    causal: bool = False
    clip: float | None = None


W = np.eye(3, dtype=np.float32)


def test_numbers_are_plain_ones_and_no_weights() -> None:
    given: dict[str, Any] = {"heads": np.int64(4), "causal": np.True_, "sizes": [3]}
    net = Net(layers=[Layer(w=W), Layer(w=W, scale=3)], **given)
    held = [net.layers[1].scale, net.heads, net.causal, net.sizes, net.clip]
    assert held == [3.0, 4, True, (3,), None]
    assert [type(v) for v in held[:3]] == [float, int, bool]
    assert list(weights(net)) == ["layers.0.w", "layers.1.w"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"heads": 2.0}, "Net.heads: expected int, got float"),
        ({"heads": True}, "Net.heads: expected int, got bool"),
        ({"causal": 1}, "Net.causal: expected bool, got int"),
        ({"clip": "much"}, "Net.clip: expected float, got str"),
        ({"sizes": (1, W)}, "Net.sizes[1]: expected int, got ndarray"),
        ({"sizes": 3}, "Net.sizes: expected a list, got int"),
    ],
)
def test_what_is_no_such_number(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ab.ParamsError) as caught:
        Net(layers=[], **changes)
    assert str(caught.value) == message


def test_numbers_of_a_state() -> None:
    state = {"layers.0.w": W, "heads": np.array(8)}
    made = ab.from_state_dict(Net, state)
    assert (made.heads, made.sizes, made.layers[0].scale) == (8, (1, 2), 1.0)


def test_a_number_that_a_state_does_not_have() -> None:
    @ab.params
    class Bare:
        w: Float32[Tensor, "H H"]
        heads: int

    with pytest.raises(ab.ParamsError) as caught:
        ab.from_state_dict(Bare, {"w": W})
    assert str(caught.value) == (
        "Bare.heads: the state has no number of that name; give the field its value as a default: "
        "`heads: int = 2`"
    )
