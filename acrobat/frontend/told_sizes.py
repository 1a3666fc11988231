"""Sizes that no weight but an operation determines: in `x @ w` of Tensor[F] and Tensor[5, 5] F is
5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.ops import OPS, ShapeError
from ..ir.type_maps import substitute
from ..ir.types import TensorType, Type


@dataclass
class SizeTold(Exception):
    """A dimension name and its size, with which the module is lowered again."""

    name: str
    size: int


def told_size(
    name: str, types: Sequence[Type], attrs: Mapping[str, T.AttrValue], error: ShapeError
) -> SizeTold | None:
    """The size that makes the operands of an operation fit, which they do not by name; `error` says
    which operands."""
    dims = [d for i in error.blame for d in _dims(types[i])]
    for dim in dims:
        for other in dims:
            told = _solved(dim, other)
            if told is None:
                continue
            known = {told.name: Dim.of(told.size)}
            try:
                OPS[name].result([substitute(t, known) for t in types], attrs)
            except ShapeError:
                continue
            return told
    return None


def told_by_argument(hint: Type, given: Type) -> SizeTold | None:
    """A size that is known because a tensor is given where `hint` has a name for it."""
    if len(_dims(hint)) != len(_dims(given)):
        return None
    pairs = zip(_dims(hint), _dims(given), strict=True)
    return next(filter(None, (_solved(h, g) for h, g in pairs)), None)


def _dims(t: Type) -> tuple[Dim, ...]:
    return t.dims if isinstance(t, TensorType) else ()


def _solved(dim: Dim, other: Dim) -> SizeTold | None:
    """The size of the only name in `dim` if `dim` equals `other`, a number; None if there is
    none."""
    if other.known is None or len(dim.symbols) != 1 or not dim.is_linear(dim.symbols[0]):
        return None
    size = dim.solve(dim.symbols[0], other)
    return None if size is None else SizeTold(dim.symbols[0], size.const)
