"""The type of a tensor, from its hint."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ..ir.types import ANY, RowsType, TensorType
from ..lang.tensor import TensorHint
from ..limits import MAX_RANK
from .bad_hint import BadHint

_MOST_VARYING = 2


def tensor_type(
    hint: TensorHint, numbers: Mapping[str, int], varying: Collection[str]
) -> TensorType:
    """The type that a hint stands for. `numbers`: the sizes of names; `varying`: the names of sizes
    that only the instance knows. BadHint for a tensor that no program has."""
    if len(hint.dims) > MAX_RANK:
        raise BadHint(
            f"{hint} has rank {len(hint.dims)}, and rank {MAX_RANK} is the most: a table of "
            f"matrices",
            "a tensor of fewer axes, or a list of tensors",
        )
    dims = tuple(ANY if d == ANY or str(d) in varying else d.bind(numbers) for d in hint.dims)
    if ANY not in dims:
        return TensorType(dims)
    if len(dims) > _MOST_VARYING:
        raise BadHint(
            f"{hint} has {len(dims)} axes, and a size that only the instance knows",
            "a list of matrices",
        )
    return RowsType(dims)
