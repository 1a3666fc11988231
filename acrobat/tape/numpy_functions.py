"""Functions of numpy on variables: those that a model may call (docs/language.md), as operations of
`ops`. Of a list, numpy asks the list alone, and not the variables in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ..lang import ops


def _reduced(name: str) -> Callable[..., Any]:
    def run(x: Any, axis: Any = None, **given: Any) -> Any:
        return getattr(x, name)(axis=axis, **given)

    return run


def _numbers(x: Any) -> Any:
    return getattr(x, "value", x)


def _concatenate(xs: Any, axis: int = 0) -> Any:
    return ops.concat(*xs, axis=axis)


def _stack(xs: Any, axis: int = 0) -> Any:
    if axis != 0:
        raise TypeError("numpy.stack has a gradient along axis 0 alone: a model uses ops.stack")
    return ops.stack(*xs)


def _vstack(xs: Any) -> Any:
    return ops.stack(*xs) if xs[0].ndim == 1 else ops.concat(*xs, axis=0)


def _norm(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return ops.sqrt((x * x).sum(axis=axis, keepdims=keepdims))


def _reshape(x: Any, shape: Any) -> Any:
    return x.reshape(*shape) if isinstance(shape, (tuple, list)) else x.reshape(shape)


FUNCTIONS: Mapping[Callable[..., Any], Callable[..., Any]] = MappingProxyType(
    {
        np.sum: _reduced("sum"),
        np.mean: _reduced("mean"),
        np.max: _reduced("max"),
        np.amax: _reduced("max"),
        np.min: _reduced("min"),
        np.amin: _reduced("min"),
        np.cumsum: _reduced("cumsum"),
        np.argmax: lambda x, **given: np.argmax(_numbers(x), **given),
        np.argmin: lambda x, **given: np.argmin(_numbers(x), **given),
        np.stack: _stack,
        np.concatenate: _concatenate,
        np.hstack: lambda xs: ops.concat(*xs),
        np.vstack: _vstack,
        np.linalg.norm: _norm,
        np.clip: lambda x, low, high: x.clip(low, high),
        np.dot: lambda a, b: a @ b,
        np.where: ops.where,
        np.outer: ops.outer,
        np.zeros_like: ops.zeros_like,
        np.ones_like: ops.ones_like,
        np.transpose: lambda x: x.T,
        np.reshape: _reshape,
    }
)
