"""What a model author declares: weights are checked, data is frozen, hints are hints."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops


@ab.params
class Cell:
    w: Float32[Tensor, "H 4H"]
    b: Float32[Tensor, "4H"]
    extra: Float32[Tensor, "H+1"]


def arrays(**changes: object) -> dict[str, object]:
    good = {"w": np.ones((3, 12)), "b": np.ones(12, np.float32), "extra": np.ones(4)}
    return {**good, **changes}


def test_weights_become_contiguous_float32() -> None:
    p = Cell(**arrays(w=np.ones((12, 3)).T))  # type: ignore[arg-type]
    assert p.w.dtype == np.float32 and p.w.flags.c_contiguous and p.w.shape == (3, 12)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"b": np.ones(8)},
            "Cell.b: declared Tensor[4H], got shape (8,): 4H is 12 (H = 3 from w), not 8",
        ),
        (
            {"b": np.ones((3, 4))},
            "Cell.b: declared Tensor[4H], got an array of shape (3, 4) (2 dimensions instead of 1)",
        ),
        (
            {"b": np.ones(12, int)},
            "Cell.b: expected floating-point values, got int64; convert with .astype('float32')",
        ),
        (
            {"w": np.ones((3, 13))},
            "Cell.w: declared Tensor[H, 4H], got shape (3, 13): 4H is 12 (H = 3 from w), not 13",
        ),
    ],
)
def test_weights_that_do_not_fit(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ab.ParamsError) as caught:
        Cell(**arrays(**changes))  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_data_is_frozen_and_slotted() -> None:
    @ab.data
    class Leaf:
        word: int

    leaf = Leaf(3)
    assert leaf == Leaf(3) and not hasattr(leaf, "__dict__")
    with pytest.raises(dataclasses.FrozenInstanceError):
        leaf.word = 4  # type: ignore[misc]


def test_a_field_without_a_hint() -> None:
    for decorator in (ab.data, ab.params):
        with pytest.raises(ab.ModelError) as caught:

            @decorator
            class Leaf:
                other: int
                word = 3

        assert caught.value.render().split("\n", 1)[1] == (
            "    word = 3\n    ^^^^^^^^\n"
            f"AC031: @ab.{decorator.__name__} class Leaf: the field 'word' has no type hint\n"
            "  instead: `word: <type>`"
        )


def test_what_is_no_class_of_its_own() -> None:
    with pytest.raises(ab.ModelError) as caught:

        @ab.params
        class More(Cell):
            v: Float32[Tensor, "H"]

    assert caught.value.render().split("\n", 1)[1] == (
        "    @ab.params\n     ^^^^^^^^^\n"
        "AC031: @ab.params class More inherits from Cell\n"
        "  instead: a field for the other weights: they may be nested"
    )
    for decorator, what in ((ab.data, "class"), (ab.params, "class"), (ab.model, "function")):
        with pytest.raises(ab.ModelError, match=f"{decorator.__name__} decorates a {what}, not 3"):
            decorator(3)  # type: ignore[arg-type, type-var]


def test_ops_in_plain_python() -> None:
    x = np.linspace(-90, 90, 8, dtype=np.float32)
    for name in ("tanh", "sigmoid", "relu", "neg"):
        y = getattr(ops, name)(x)
        assert y.dtype == np.float32 and np.isfinite(y).all()
    np.testing.assert_allclose(ops.sigmoid(x), 1 / (1 + np.exp(-x.astype(float))), atol=1e-7)
    assert [p.tolist() for p in ops.split(np.arange(4), 2)] == [[0, 1], [2, 3]]
    with pytest.raises(ValueError, match="split of a vector of 8 into 3 equal parts"):
        ops.split(x, 3)


def test_parallel_is_the_tuple_of_its_arguments() -> None:
    assert ab.parallel(1, "a") == (1, "a")


def test_the_public_surface() -> None:
    assert sorted(ab.__all__) == ab.__all__
    for name in ab.__all__:
        assert getattr(ab, name) is not None
    with pytest.raises(AttributeError, match="module 'acrobat' has no attribute 'compil'"):
        ab.compil  # noqa: B018


def test_importing_is_light() -> None:
    code = "import sys, acrobat; print([m for m in ('tvm', 'torch', 'pandas') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("assignments", "message"),
    [
        (
            {"kernel_fusion": "maybe"},
            "option kernel_fusion='maybe': write true or false",
        ),
        (
            {"scheduler": "eager"},
            "Options.scheduler='eager': the choices are 'auto', 'inline_depth', 'runtime_depth', "
            "'agenda', 'lookahead'",
        ),
        (
            {"threads": "-1"},
            "Options.threads=-1: a whole number from 1 to 1024, or 0: every core this process may "
            "use",
        ),
    ],
)
def test_wrong_options(assignments: dict[str, str], message: str) -> None:
    with pytest.raises(ab.OptionError) as caught:
        ab.Options.parse(assignments)
    assert str(caught.value) == message


NOT_A_COUNT = (2**32, 1.5, "2", None, True, -1, float("nan"), [2], np.array([1, 2]), 10**5000)


@pytest.mark.parametrize("value", NOT_A_COUNT, ids=lambda v: type(v).__name__)
def test_counts_are_whole_numbers(value: Any) -> None:
    shown = "<int>" if isinstance(value, int) and value == 10**5000 else repr(value)
    with pytest.raises(ab.OptionError) as caught:
        ab.Options(threads=value)
    assert str(caught.value) == (
        f"Options.threads={shown}: a whole number from 1 to 1024, or 0: every core this process "
        f"may use"
    )


@pytest.mark.parametrize("field", dataclasses.fields(ab.Options), ids=lambda f: f.name)
@pytest.mark.parametrize("value", [float("nan"), {}, b"on", None, 0.5, np.array([1, 2])], ids=repr)
def test_no_option_takes_values_of_another_type(
    field: dataclasses.Field[Any], value: object
) -> None:
    with pytest.raises(ab.OptionError, match=rf"^Options\.{field.name}="):
        ab.Options(**{field.name: value})  # type: ignore[arg-type]


def test_numbers_of_numpy_become_python_s() -> None:
    options = ab.Options(threads=np.int64(2), kernel_fusion=np.bool_(False))  # type: ignore[arg-type]
    assert options == ab.Options(threads=2, kernel_fusion=False)
    assert (type(options.threads), type(options.kernel_fusion)) == (int, bool)


def test_an_unknown_option_lists_what_exists() -> None:
    with pytest.raises(ab.OptionError) as caught:
        ab.Options.parse({"kernel_fusoin": "true"})
    assert str(caught.value).startswith(
        "there is no option 'kernel_fusoin'; did you mean 'kernel_fusion'? The options are "
    )


def test_weights_are_given_by_name() -> None:
    @ab.params
    class Two:
        w: Float32[Tensor, "H H"]
        b: Float32[Tensor, "H"]

    with pytest.raises(ab.ParamsError) as caught:
        Two(np.eye(2), np.zeros(2))  # type: ignore[call-arg]
    assert str(caught.value) == (
        "Two: weights are given by name, not by position; write Two(w=..., b=...)"
    )
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'b'"):
        Two(w=np.eye(2))  # type: ignore[call-arg]
    assert Two(w=np.eye(2), b=np.zeros(2)).b.shape == (2,)
