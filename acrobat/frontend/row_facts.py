"""What is known of a tensor whose size only the instance knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..ir import typed as T


@dataclass(frozen=True, slots=True)
class Rows:
    """What is known of a tensor whose size only the instance knows: the list whose length it has;
    the tensor whose softmax it is, or from which it differs by the largest element, or of which it
    is the exponential after that; and ways to recompute a part of it without the whole: eight of
    its elements as a vector, or one of its rows."""

    like: T.Var
    softmax_of: T.Var | None = None
    less_largest: T.Var | None = None
    power_of: T.Var | None = None
    chunk: Callable[[Sequence[T.Atom]], T.Var] | None = None
    row: Callable[[T.Atom], T.Atom] | None = None
