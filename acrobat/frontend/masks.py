"""Which operations of masks give masks, as numpy's functions of truth values do.

`np.concatenate([x > 0, x > 1])` has truth values, whose `+` is "or". An operation that the author
writes as `ops.concat(...)` has numbers instead: in plain Python, too, it begins with 1.0 and 0.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..ir import typed as T
from ..ir.types import BOOL, ListType, TensorType

# They arrange or choose elements; all of the operands they take these from must be truth values.
_KEEPING = (
    *("concat", "stack", "transpose", "reshape", "slice", "max", "maximum", "minimum", "abs"),
    "outer",
)


def _is_mask(value: T.Atom) -> bool:
    t = value.type.item if isinstance(value.type, ListType) else value.type
    return isinstance(t, TensorType) and t.mask


def gives_mask(name: str, args: Sequence[T.Atom]) -> bool:
    """Whether numpy's counterpart of an operation gives truth values for these operands."""
    match name:
        case "lookup":
            return _is_mask(args[0])
        case "where":
            return all(_is_mask(a) or a.type == BOOL for a in args[1:])
    truths = all(_is_mask(a) or a.type == BOOL for a in args)
    return name in _KEEPING and truths and any(map(_is_mask, args))


def as_numbers(value: T.Atom) -> T.Atom:
    """A mask as the numbers 1.0 and 0.0, which represent it; anything else as it is."""
    return _told(value, False)


def as_truths(value: T.Atom) -> T.Atom:
    """A tensor that has no numbers but 1.0 and 0.0 as a mask."""
    return _told(value, True)


def _told(value: T.Atom, mask: bool) -> T.Atom:
    if isinstance(value, T.Var) and isinstance(value.type, TensorType):
        return T.Var(value.name, replace(value.type, mask=mask), value.number)
    return value
