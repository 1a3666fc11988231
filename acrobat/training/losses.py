"""Which part of a model's result is the loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import GradientError
from ..ir.type_queries import class_and_names
from ..ir.types import (
    DataRef,
    ListType,
    OptionalType,
    TensorType,
    TupleType,
    Type,
    UnionType,
)
from .cotangents import is_tensor, parts_of, tensors_of

# The value that is the loss: the result itself (None), or its part at an index or with a name.
LossName = int | str | None

_ONE = np.ones((), np.float32)
_ONE.flags.writeable = False
_WANTED = (
    "a loss is a tensor of one element, `ops.sum(x)` of a larger one; numbers and what "
    "decisions read are constants"
)


def check_loss_type(model: str, result: Type, loss: LossName) -> LossName:
    """Return `loss`, as an index if the result is a tuple: compiled results have no names.
    GradientError if the types show that a model with this result has no such loss; `loss_of` checks
    the rest."""
    if isinstance(result, (DataRef, UnionType, ListType)):
        return loss
    kind: Type = result
    found = loss
    if isinstance(result, TupleType) and not isinstance(result, OptionalType):
        made_of = class_and_names(result)
        names = made_of[1] if made_of is not None else ()
        found = _place(model, str(result), loss, names, len(result.items))
        kind = result.items[found]
    elif loss is not None:
        raise _is_one(model, str(result), loss)
    if not isinstance(kind, TensorType) or any(d.known not in (1, None) for d in kind.dims):
        raise _no_scalar(model, str(kind), loss)
    return found


def loss_of(model: str, result: Any, loss: LossName) -> Any:
    """Return the loss in a result. GradientError if there is no such part, or it is not a tensor of
    one element."""
    parts = [] if is_tensor(result) else parts_of(result)
    kind = _kind(result)
    if parts:
        names = tuple(n.removeprefix(".") for n, _ in parts if n.startswith("."))
        names = getattr(type(result), "_fields", names)
        value = parts[_place(model, kind, loss, names, len(parts))][1]
    elif loss is not None:
        raise _is_one(model, kind, loss)
    else:
        value = result
    if not is_tensor(value) or value.size != 1:
        raise _no_scalar(model, _kind(value), loss)
    return value


def seed_of(model: str, result: Any, loss: LossName) -> tuple[Any, list[np.ndarray | None]]:
    """Return the loss in a result, and the gradients of the result's tensors with which the
    backward pass starts: 1 for the loss, None for the others. Raises the errors of `loss_of`."""
    if loss is None and isinstance(result, np.ndarray) and not result.shape:
        return result, [_ONE]  # the usual case, fast because a mini-batch has many
    found = loss_of(model, result, loss)
    seed: list[np.ndarray | None] = []
    for tensor in tensors_of(result):
        is_first = tensor is found and all(s is None for s in seed)
        seed.append(np.ones(found.shape, np.float32) if is_first else None)
    return found, seed


def _kind(value: Any) -> str:
    if not is_tensor(value):
        return type(value).__name__
    return f"Tensor[{', '.join(map(str, value.shape))}]"


def _place(model: str, kind: str, loss: LossName, names: tuple[str, ...], count: int) -> int:
    if isinstance(loss, str) and loss in names:
        return names.index(loss)
    if isinstance(loss, int) and not isinstance(loss, bool) and -count <= loss < count:
        return loss % count
    which = ", ".join(map(repr, names)) if names else f"0 to {count - 1}"
    if loss is None:
        raise GradientError(
            f"loss: {model} returns {kind}; say which of its values is the loss: loss=... ({which})"
        )
    raise GradientError(f"loss={loss!r}: {model} returns {kind}, whose values are {which}")


def _is_one(model: str, kind: str, loss: LossName) -> GradientError:
    return GradientError(f"loss={loss!r}: {model} returns one value, {kind}; leave loss out")


def _no_scalar(model: str, kind: str, loss: LossName) -> GradientError:
    where = "" if loss is None else f" as {loss!r}"
    return GradientError(f"loss: {model} returns {kind}{where}; {_WANTED}")
