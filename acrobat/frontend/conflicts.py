"""What names stand for whose types differ on the paths that lead to a point."""

from __future__ import annotations

from dataclasses import dataclass

from ..ir import typed as T
from ..ir.span import Span


@dataclass(frozen=True, slots=True)
class Conflict:
    """Assigned with types that do not join. `told`: what tells them apart if they are written
    alike, to be added to a message; `instead`: what to write then."""

    span: Span
    first: str
    second: str
    told: str = ""
    instead: str = ""


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A number on some paths, a tensor on others (unsettled.py): `value` is the tensor, which has
    the number everywhere where `number` holds, since the loop in `line`. `conflict`: the error
    where a tensor is needed, if that is known when the model is compiled."""

    value: T.Atom
    number: T.Atom
    line: int
    conflict: Conflict | None = None
