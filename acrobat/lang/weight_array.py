"""Converts what is given as a weight to the array that the model sees: float32, contiguous, on the
host."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..errors import ParamsError

_MOST_AXES = 4  # one more than a weight has
_HOST = 1  # DLPack's kind of device
# What to pass instead of arrays that `astype` cannot convert to numbers, or not without loss: by
# the kind of their elements.
_NO_NUMBERS = {
    "c": "pass its real and imaginary parts as two weights, `a.real` and `a.imag`",
    "V": "pass one of its fields, `a['<field>']`",
    "M": "pass numbers, not dates",
    "m": "pass numbers, not durations",
}


def weight_array(value: Any, name: str) -> np.ndarray:
    """`value` as float32, without a copy if it is that already. ParamsError, which calls it `name`,
    if it is not an array of floating-point numbers, or has numbers beyond the range of float32."""
    kind = type(value).__name__
    try:
        array = np.asarray(_on_the_host(value, name, 0))
    except ParamsError:
        raise
    except Exception as error:  # whatever numpy or the object's own class raises
        ragged = _ragged(value, name, 0)
        raise ParamsError(
            ragged or f"{name}: {kind} cannot be made an array: {_said(error)}"
        ) from error
    if array.dtype.kind != "f":
        if array.dtype == object and not isinstance(value, np.ndarray):
            raise ParamsError(f"{name}: expected an array of floating-point values, got {kind}")
        convert = ".float()" if _is_torch(value) else ".astype('float32')"
        instead = _NO_NUMBERS.get(array.dtype.kind, f"convert with {convert}")
        raise ParamsError(f"{name}: expected floating-point values, got {array.dtype}; {instead}")
    with np.errstate(over="ignore"):
        made = np.require(array, np.float32, ("C", "A"))
    if array.dtype.itemsize > 4:
        _check_range(array, made, name)
    return made


def _on_the_host(value: Any, name: str, depth: int) -> Any:
    """`value` in a form that numpy takes: PyTorch tensors are detached, those of other libraries
    come through DLPack, in lists too."""
    if isinstance(value, (list, tuple)) and depth < _MOST_AXES:
        plain = all(isinstance(v, (float, int)) for v in value)
        return value if plain else [_on_the_host(v, name, depth + 1) for v in value]
    if isinstance(value, np.ma.MaskedArray):
        raise ParamsError(f"{name}: an array with a mask; fill it with .filled(<number>)")
    if _is_torch(value):
        return _from_torch(value, name)
    if hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray):
        device = value.__dlpack_device__()[0]
        if not hasattr(value, "__array__"):
            if device != _HOST:
                kind = type(value).__name__
                raise ParamsError(f"{name}: {kind} on another device; copy it to the host first")
            return np.from_dlpack(value)
    return value


def _is_torch(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def _from_torch(value: Any, name: str) -> np.ndarray:
    torch = sys.modules["torch"]
    value = value.detach()
    if value.layout is not torch.strided or value.is_nested or value.is_quantized:
        kind = "quantized" if value.is_quantized else "sparse or nested"
        raise ParamsError(
            f"{name}: a {kind} tensor; convert with "
            f"{'.dequantize()' if value.is_quantized else '.to_dense()'}"
        )
    if value.device.type != "cpu":
        has_none = value.device.type == "meta"
        instead = "load or initialise it first" if has_none else "copy it with .cpu()"
        raise ParamsError(f"{name}: a tensor on the device {str(value.device)!r}; {instead}")
    if value.is_floating_point() and value.dtype is not torch.float64:
        value = value.float()  # numpy has no bfloat16
    array: np.ndarray = value.resolve_conj().resolve_neg().numpy()
    return array


def _check_range(array: np.ndarray, made: np.ndarray, name: str) -> None:
    """ParamsError if a finite number became infinite."""
    lost = np.isinf(made) & np.isfinite(array)
    if lost.any():
        at = tuple(int(i) for i in np.unravel_index(int(np.argmax(lost)), made.shape))
        raise ParamsError(
            f"{name}: {array[at]!s} at {list(at)} is beyond float32, whose largest number is "
            f"3.4028235e+38"
        )


def _ragged(value: Any, name: str, depth: int) -> str:
    """The message about nested lists that do not form an array; "" if they are not to blame."""
    if not isinstance(value, (list, tuple)):
        return ""
    if depth > _MOST_AXES:
        return f"{name}: lists nested more than {_MOST_AXES} deep; a weight has at most 3 axes"
    lengths = [_length(v) for v in value]
    for i, length in enumerate(lengths):
        if length != lengths[0]:
            return (
                f"{name}: the nested lists are ragged: item {i} has {_items(length)}, "
                f"item 0 has {_items(lengths[0])}"
            )
    for i, item in enumerate(value):
        found = _ragged(item, f"{name}[{i}]", depth + 1)
        if found:
            return found
    return ""


def _length(value: Any) -> int | None:
    """How many items a part of a nested list has; None if it is a number."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        return shape[0] if shape else None
    return len(value) if isinstance(value, (list, tuple)) else None


def _items(length: int | None) -> str:
    if length is None:
        return "none, for it is a number"
    return f"{length} item{'' if length == 1 else 's'}"


def _said(error: BaseException) -> str:
    """The type and message of an error, in one line."""
    try:
        text = f"{type(error).__name__}: {error}".splitlines()[0]
    except Exception:
        text = type(error).__name__
    return text if len(text) <= 120 else f"{text[:117]}..."
