"""Weights without an `@ab.params` class as objects of one, and what cannot be weights."""

from __future__ import annotations

import enum
import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.lang.mapped_params import mapped_params
from acrobat.lang.params import sizes, weights
from acrobat.lang.plain_weights import as_weights


@ab.params
class Linear:
    w: ab.Float32[ab.Tensor, "N M"]


class Node:
    def __init__(self) -> None:
        self.w = np.zeros(2)
        self.other: Any = None


def test_paths_are_those_of_an_author() -> None:
    plain: dict[str, Any] = {
        "emb": np.zeros((3, 2)),
        "layers": [{"w": np.ones(2)}, {"w": np.ones(4, np.float32)}],
        "head": SimpleNamespace(v=np.zeros(()), n=3),
        "linear": Linear(w=np.zeros((2, 5))),
        "name": "x",
        "make": np.zeros,
        "vocabulary": {f"w{i}": i for i in range(1000)},
    }
    made = as_weights(plain)
    assert list(weights(made)) == ["emb", "layers.0.w", "layers.1.w", "head.v", "linear.w"]
    assert all(a.dtype == np.float32 for a in weights(made).values())
    assert made["layers"][1]["w"] is plain["layers"][1]["w"]  # no copy of what is float32
    assert sizes(made)["M"] == 5 and made["head"].n == 3
    assert made["name"] == "x" and made["make"] is np.zeros and made["vocabulary"]["w7"] == 7


def test_the_same_structure_has_the_same_class() -> None:
    a, b = ({"w": np.zeros((n, 2)), "n": 1} for n in (3, 4))
    assert type(as_weights(a)) is type(as_weights(b))
    assert type(as_weights(a)) is not type(as_weights({"w": np.zeros(3), "n": 1}))
    again = pickle.loads(pickle.dumps(as_weights(a)))
    assert type(again) is type(as_weights(a)) and again["w"].shape == (3, 2)


class Kind(enum.IntEnum):
    A = 1


def test_numbers_of_numpy_and_enumerations() -> None:
    plain: dict[str, Any] = {"w": np.zeros(2), "n": np.int64(3), "x": np.float64(0.5), "k": Kind.A}
    made = as_weights(plain | {"f": np.float32(0.5), "b": np.bool_(True)})
    assert [type(made[k]) for k in "nxbk"] == [int, float, bool, Kind]
    assert weights(made)["f"].shape == ()


def test_what_is_no_weight_stays_as_it_is() -> None:
    made = as_weights({"layers": [Linear(w=np.ones((2, 3))), np.tanh, None], "name": "x", "n": 2})
    shapes = mapped_params(made, lambda path, weight: (path, weight.shape))
    assert shapes["layers"][0].w == ("layers.0.w", (2, 3))
    assert shapes["layers"][1:] == (np.tanh, None) and (shapes["name"], shapes["n"]) == ("x", 2)


def test_objects_keep_their_methods_and_class() -> None:
    made = as_weights(Node())
    assert isinstance(made, Node) and made.other is None and type(made).__name__ == "Node"


def _cyclic() -> Node:
    node = Node()
    node.other = node
    return node


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (5, "params: int is no set of weights; give a dict of arrays, an object with them in its "
         "fields, or one of an @ab.params class"),
        (None, "params: NoneType is no set of weights; give a dict of arrays, an object with them "
         "in its fields, or one of an @ab.params class"),
        (np.zeros(3), "params: ndarray is no set of weights; give a dict of arrays, an object with "
         "them in its fields, or one of an @ab.params class"),
        (object(), "params: found no arrays in object; give a dict of arrays, an object with them "
         "in its fields, or one of an @ab.params class"),
        ({"w": "x"}, "params: found no arrays in dict; give a dict of arrays, an object with them "
         "in its fields, or one of an @ab.params class"),
        ({"w": [{"b": np.zeros(2, np.complex64)}]},
         "params['w'][0]['b']: expected floating-point values, got complex64; pass its real and "
         "imaginary parts as two weights, `a.real` and `a.imag`"),
        ({"w": np.zeros(2), "n": np.uint8(3)},
         "params['n']: uint8 wraps around; ints, x.astype(int)"),
        ({"w": {3: np.zeros(2), "a": np.zeros(2)}},
         "params['w']: the keys of weights are strings, not empty, or ints alone, got 3"),
        ({"a.w": np.zeros(2), "a": {"w": np.zeros(2)}},
         "params: two weights are called 'a.w'; rename one of them"),
        (_cyclic(), "params.other: weights that contain themselves"),
    ],
)  # fmt: skip
def test_what_cannot_be_weights(values: Any, message: str) -> None:
    with pytest.raises(ab.ParamsError) as error:
        as_weights(values)
    assert str(error.value) == message


def test_a_module_of_pytorch_says_what_to_write() -> None:
    nn = pytest.importorskip("torch").nn
    with pytest.raises(ab.ParamsError) as error:
        as_weights({"net": nn.Linear(2, 3)})
    assert str(error.value) == (
        "params['net']: a Linear of PyTorch; give its weights as a dict of arrays, such as "
        "{'w': module.linear.weight.T}, or ab.from_state_dict(Weights, module.state_dict())"
    )


def test_weights_of_another_class_than_the_hint() -> None:
    @ab.model
    def f(p: Linear, x: int) -> float:
        return 0.0

    with pytest.raises(ab.ParamsError) as error:
        ab.compile(f, {"w": np.zeros((2, 3))})  # type: ignore[arg-type]
    assert str(error.value).endswith("<locals>.f takes Linear, got dict")
