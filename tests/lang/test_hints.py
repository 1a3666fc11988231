"""The ways to write the hint of a tensor mean the same."""

from __future__ import annotations

from typing import Annotated

import pytest

import acrobat as ab
from acrobat import Float32, Tensor
from acrobat.frontend.module import lower_model
from acrobat.lang.hints import resolve_class_hints


@pytest.mark.parametrize(
    ("text", "dims"),
    [
        ("V H", ("V", "H")),
        ("2H H + 1", ("2H", "H + 1")),
        ("2 * H  3*H+1 7", ("2H", "3H + 1", 7)),
        (" H ", ("H",)),
        ("", ()),
    ],
)
def test_a_shape_in_one_string(text: str, dims: tuple[str | int, ...]) -> None:
    assert Float32[Tensor, text] == Tensor[dims]


def test_the_forms_agree() -> None:
    assert Float32[Tensor, "V", "2H"] == Float32[Tensor, "V 2H"] == Tensor["V", "2H"]
    assert Float32[Tensor, 3, "H"] == Tensor[3, "H"]

    @ab.data
    class D:
        a: Float32[Tensor, "V H"]
        b: Annotated[Tensor, "V H"]
        c: "list[Annotated[Tensor, 'V H']]"
        d: list[Float32[Tensor, "V H"]]

    want = Tensor["V", "H"]
    hints = resolve_class_hints(D)
    assert hints == {"a": want, "b": want, "c": list[want], "d": list[want]}


Vector = Float32[Tensor, "H"]


@ab.data
class Item:
    x: Vector
    xs: list[Annotated[Tensor, "H"]]
    next: "Item | None"


@ab.params
class P:
    w: Float32[Tensor, "H 2H"]
    deep: Annotated[Tensor, "V", "H", "H"]


@ab.model
def f(p: P, item: Item) -> tuple[Vector, list[Float32[Tensor, "2H"]]]:
    return item.x, [x @ p.w for x in item.xs]


def test_they_reach_the_compiler() -> None:
    module = lower_model(f)
    assert str(module.result) == "tuple[Tensor[H], list[Tensor[2H]]]"
    fields = {name: str(t) for name, t in module.params["P"].fields}
    assert fields == {"w": "Tensor[H, 2H]", "deep": "Tensor[V, H, H]"}


def test_what_is_no_shape() -> None:
    for wrong in (lambda: Float32["H"], lambda: Float32[Tensor], lambda: Float32[int, "H"]):
        with pytest.raises(TypeError) as caught:
            wrong()
        assert str(caught.value) == (
            "the hint of a tensor is written Float32[Tensor, 'V H']: its shape in quotes, with "
            "spaces between the dimensions"
        )
    with pytest.raises(ValueError, match=r"cannot read the dimension 'H-1'"):
        Float32[Tensor, "H-1"]
    with pytest.raises(TypeError, match=r"Tensor\[1.5\]: a dimension is a number or a name"):
        Float32[Tensor, 1.5]
