"""What can be given as a weight: every form of array becomes the same weight, or is refused with a
sentence that names the field."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops
from acrobat.lang.weight_array import weight_array


@ab.params
class P:
    w: Float32[Tensor, "2 3"]


@ab.params
class Q:
    w: Float32[Tensor, "2 3"]


@ab.model
def f(p: P, n: int) -> Float32[Tensor, "3"]:
    return ops.tanh(p.w[n])


BASE = np.arange(6, dtype=np.float32).reshape(2, 3) - 2.5


class HasArray:
    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return BASE.astype(float)


class OnlyDlpack:
    def __init__(self, device: int) -> None:
        self.device = device

    def __dlpack__(self, **given: Any) -> object:
        return BASE.__dlpack__(**given)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device, 0


class Raises:
    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        raise RuntimeError("no array today\nor tomorrow")


def unaligned() -> np.ndarray:
    return np.frombuffer(b"x" + BASE.tobytes(), np.float32, offset=1).reshape(2, 3)


def torch_forms() -> dict[str, Any]:
    torch = pytest.importorskip("torch")
    x = torch.tensor(BASE)
    return {
        "tensor": x,
        "parameter": torch.nn.Parameter(x),
        "computed": torch.nn.Parameter(x) * 1,
        "float64": x.double(),
        "bfloat16": x.bfloat16(),
        "float16": x.half(),
        "transposed": torch.tensor(BASE.T.copy()).T,
        "list of parameters": [torch.nn.Parameter(r) for r in x],
        "negative bit": torch.complex(x, -x).conj().imag,
    }


FORMS = {
    "big-endian": BASE.astype(">f4"),
    "big-endian float64": BASE.astype(">f8"),
    "Fortran": np.asfortranarray(BASE),
    "strided": np.repeat(np.repeat(BASE, 2, 0), 3, 1)[::2, ::3],
    "reversed": BASE[::-1, ::-1].copy()[::-1, ::-1],
    "float16": BASE.astype(np.float16),
    "long double": BASE.astype(np.longdouble),
    "unaligned": unaligned(),
    "record": BASE.view(np.recarray),
    "nested lists": BASE.tolist(),
    "list of arrays": list(BASE),
    "memoryview": memoryview(BASE),  # type: ignore[arg-type]
    "__array__": HasArray(),
    "DLPack": OnlyDlpack(1),
}


def check(value: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        w = P(w=value).w
    assert type(w) is np.ndarray and w.dtype == np.float32 and w.dtype.isnative
    assert w.flags.c_contiguous and w.flags.aligned
    np.testing.assert_array_equal(w, BASE)


@pytest.mark.parametrize("value", FORMS.values(), ids=FORMS)
def test_every_form_is_the_same_weight(value: Any) -> None:
    check(value)


def test_tensors_of_pytorch() -> None:
    for name, value in torch_forms().items():
        try:
            check(value)
        except Exception as error:
            raise AssertionError(name) from error


def test_read_only_and_special_numbers() -> None:
    special = np.array([[np.nan, np.inf, -np.inf], [-0.0, 1e-45, 3.40282353e38]])
    special.setflags(write=False)
    got = P(w=special).w
    np.testing.assert_array_equal(got, special.astype(np.float32))
    assert np.signbit(got[1, 0]) and got[1, 1] > 0
    assert weight_array(np.float64(2.5), "s").shape == weight_array(2.5, "s").shape == ()


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "int": (
        lambda: BASE.astype(int),
        "expected floating-point values, got int64; convert with .astype('float32')",
    ),
    "object": (
        lambda: BASE.astype(object),
        "expected floating-point values, got object; convert with .astype('float32')",
    ),
    "complex": (
        lambda: BASE.astype("c8"),
        "expected floating-point values, got complex64; pass its real and imaginary parts as two "
        "weights, `a.real` and `a.imag`",
    ),
    "structured": (
        lambda: np.zeros((2, 3), dtype=[("a", "f4")]),
        "expected floating-point values, got [('a', '<f4')]; pass one of its fields, "
        "`a['<field>']`",
    ),
    "dates": (
        lambda: np.zeros((2, 3), "M8[s]"),
        "expected floating-point values, got datetime64[s]; pass numbers, not dates",
    ),
    "None": (lambda: None, "expected an array of floating-point values, got NoneType"),
    "overflow": (
        lambda: BASE * np.array([1.0, 1e39, 1.0]),
        "-1.5e+39 at [0, 1] is beyond float32, whose largest number is 3.4028235e+38",
    ),
    "just beyond": (
        lambda: np.full((2, 3), -3.4028236e38),
        "-3.4028236e+38 at [0, 0] is beyond float32, whose largest number is 3.4028235e+38",
    ),
    "mask": (
        lambda: np.ma.masked_array(BASE, BASE > 0),
        "an array with a mask; fill it with .filled(<number>)",
    ),
    "ragged": (
        lambda: [[1.0, 2.0, 3.0], [4.0, 5.0]],
        "the nested lists are ragged: item 1 has 2 items, item 0 has 3 items",
    ),
    "a number among lists": (
        lambda: [[1.0, 2.0, 3.0], 4.0],
        "the nested lists are ragged: item 1 has none, for it is a number, item 0 has 3 items",
    ),
    "raises": (
        Raises,
        "Raises cannot be made an array: RuntimeError: no array today",
    ),
    "on a GPU": (
        lambda: OnlyDlpack(2),
        "OnlyDlpack on another device; copy it to the host first",
    ),
}


@pytest.mark.parametrize(("make", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_weight(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ab.ParamsError) as caught:
        P(w=make())
    assert str(caught.value) == f"P.w: {message}"


def test_lists_deep_inside_and_without_an_end() -> None:
    endless: list[Any] = []
    endless.append(endless)
    for value, message in (
        ([[[1.0, 2.0], [3.0]]], "P.w[0]: the nested lists are ragged: item 1 has 1 item, item 0 "),
        (endless, "P.w[0][0][0][0][0]: lists nested more than 4 deep; a weight has at most 3 axes"),
    ):
        with pytest.raises(ab.ParamsError) as caught:
            P(w=value)  # type: ignore[arg-type]
        assert str(caught.value).startswith(message)


def test_tensors_of_pytorch_that_are_refused() -> None:
    torch = pytest.importorskip("torch")
    x = torch.tensor(BASE)
    for value, message in (
        (x.long(), "expected floating-point values, got int64; convert with .float()"),
        (x.to_sparse(), "a sparse or nested tensor; convert with .to_dense()"),
        (x.to("meta"), "a tensor on the device 'meta'; load or initialise it first"),
    ):
        with pytest.raises(ab.ParamsError) as caught:
            P(w=value)
        assert str(caught.value) == f"P.w: {message}"


@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_weights_of_another_class(executor: str) -> None:
    with pytest.raises(ab.ParamsError) as caught:
        ab.compile(f, Q(w=BASE), "cpu", ab.Options(executor=executor))  # type: ignore[arg-type]
    assert str(caught.value) == "params: f takes P, got Q"
    same_name = type("P", (), {"__annotations__": {"w": P.__annotations__["w"]}})
    with pytest.raises(ab.ParamsError, match=r"^params: f takes .*P.*, got another class of that"):
        ab.compile(f, ab.params(same_name)(w=BASE), "cpu")


@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_a_compiled_model_keeps_its_weights(executor: str) -> None:
    w = BASE.copy()
    fast = ab.compile(f, P(w=w), "cpu", ab.Options(executor=executor))
    [before] = fast([-1])
    w[:] = 0
    [after] = fast([-1])
    np.testing.assert_array_equal(after, before)
