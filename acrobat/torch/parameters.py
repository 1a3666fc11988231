"""The weights of an `@ab.params` class as parameters of modules, and back, without a copy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from torch import nn

from ..errors import ParamsError
from ..lang.mapped_params import mapped_params
from ..lang.params import weights

_P = TypeVar("_P")
_DTYPES = {torch.float32: np.float32, torch.float64: np.float64}


@dataclass(frozen=True, slots=True)
class Shaped:
    """Takes the place of a weight in an object that has only the shapes of the weights."""

    shape: tuple[int, ...]


def shapes_of(params: _P) -> _P:
    """An object like `params` that has only the shapes of the weights."""
    return mapped_params(params, lambda path, weight: Shaped(weight.shape))


def add_parameters(module: nn.Module, params: Any) -> None:
    """Register a parameter for each weight, sharing its memory, under its path. Nested params
    become modules of the same names, so that the keys of `state_dict` are the paths. A weight that
    cannot be written to is copied."""
    for path, weight in weights(params).items():
        *way, name = path.split(".")
        owner = module
        for part in way:
            if part not in owner._modules:
                owner.add_module(part, nn.Module())
            owner = owner.get_submodule(part)
        array = weight if weight.flags.writeable else weight.copy()
        owner.register_parameter(name, nn.Parameter(torch.from_numpy(array)))


def params_of(module: nn.Module, shapes: _P) -> tuple[_P, Any]:
    """Return the parameters of `module` as an object of the class of `shapes`, with arrays that
    share their memory, and their precision. ParamsError for parameters that numpy cannot view or
    the model does not take."""
    found = dict(module.named_parameters())
    kinds = {p.dtype for p in found.values()}
    if len(kinds) > 1 or not kinds <= set(_DTYPES):
        raise ParamsError(
            f"the parameters are {', '.join(sorted(map(str, kinds)))}; a model takes all of them "
            f"in float32, or in float64 for tests: module.float()"
        )

    def one(path: str, shape: Any) -> np.ndarray:
        if path not in found:
            raise ParamsError(f"{path}: the module has no such parameter any more")
        parameter = found[path]
        if parameter.device.type != "cpu":
            raise ParamsError(f"{path} is on {parameter.device}: a module runs on the CPU: .cpu()")
        if parameter.shape != shape.shape:
            raise ParamsError(
                f"{path}: made with the shape {list(shape.shape)}, now {list(parameter.shape)}"
            )
        return np.ascontiguousarray(parameter.detach().numpy())

    made = mapped_params(shapes, one)
    return made, _DTYPES[kinds.pop()] if kinds else np.float32
