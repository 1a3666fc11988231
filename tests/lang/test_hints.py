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
        with pytest.raises(ab.ModelError) as caught:
            wrong()  # type: ignore[no-untyped-call]
        assert caught.value.msg == (
            "AC004: a tensor has a shape in quotes, with spaces between the dimensions"
        )
    for shape, message in (
        ("H-1", "AC004: cannot read the dimension 'H-1'"),
        (1.5, "AC004: a dimension is a number or a name in quotes, not 1.5"),
        ("V 0H", "AC004: a dimension is at least 1, not 0"),
    ):
        with pytest.raises(ab.ModelError) as caught:
            Float32[Tensor, shape]
        assert caught.value.msg == message


def test_what_is_no_shape_has_its_place() -> None:
    with pytest.raises(ab.ModelError) as caught:
        _ = 1, Float32[Tensor, "H-1"]
    assert caught.value.render().split("\n", 1)[1] == (
        '    _ = 1, Float32[Tensor, "H-1"]\n'
        "           ^^^^^^^^^^^^^^^^^^^^^^\n"
        "AC004: cannot read the dimension 'H-1'\n"
        "  instead: numbers, names, and sums: `Float32[Tensor, '8 2H']`, `Float32[Tensor, 'H + 1']`"
    )
