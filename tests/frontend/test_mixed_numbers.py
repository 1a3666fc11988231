"""An int and a float become one type only where nothing is lost by it."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

import acrobat as ab
from acrobat.frontend.module import lower_model

HEAD = (
    "@ab.params\nclass P:\n    b: Tensor['2']\n\n@ab.data\nclass D:\n    n: int\n    x: float\n\n"
    "@ab.model\ndef f(p: P, d: D) -> float:\n"
)


@pytest.mark.parametrize(
    ("line", "carets", "message"),
    [
        (
            "return max(d.x, d.n, 0)",
            "                ^^^",
            "AC017: max of int and float, which would be the one or the other\n"
            "  note: `d.n` is int, declared in D\n  instead: `float(d.n)`",
        ),
        (
            "return min(9007199254740993, d.x)",
            "           ^^^^^^^^^^^^^^^^",
            "AC017: min of int and float, which would be the one or the other\n"
            "  note: `9007199254740993` is int\n  instead: `float(9007199254740993)`",
        ),
    ],
)
def test_refused(
    load_model: Callable[[str], ModuleType], line: str, carets: str, message: str
) -> None:
    with pytest.raises(ab.ModelError) as caught:
        lower_model(load_model(f"{HEAD}    {line}\n").f)
    assert caught.value.render().split("\n", 1)[1] == f"    {line}\n    {carets}\n{message}"


@pytest.mark.parametrize("expression", ["max(d.x, 0)", "min(-2, d.x, 2)", "3", "max(d.x, 1e300)"])
def test_constants_that_are_floats_as_well(
    load_model: Callable[[str], ModuleType], expression: str
) -> None:
    lower_model(load_model(f"{HEAD}    return {expression}\n").f)


def test_an_int_may_be_the_result_where_a_float_is_expected(
    load_model: Callable[[str], ModuleType],
) -> None:
    """It stays an int, as in Python: no float is that number."""
    module = load_model(f"{HEAD}    return 9007199254740993\n")
    assert str(lower_model(module.f).result) == "int"
