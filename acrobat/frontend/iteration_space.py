"""What a loop or a comprehension runs over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..ir import typed as T
from .emit import ONE, ZERO
from .function_values import FunctionValue


@dataclass(frozen=True, slots=True)
class IterationSpace:
    """A range of ints, and how an iteration's item is computed from its number in that range: by
    the code that `item` emits. `unrolled`: the iterations, at most that many, are unrolled; their
    numbers are constants. `endless`: something else must end the iterations. `functions`: the items
    are these. `of_object`: they are what `__iter__` of an object gives."""

    start: T.Atom
    stop: T.Atom
    step: T.Atom
    item: Callable[[T.Atom], T.Atom]
    unrolled: int | None = None
    endless: bool = False
    functions: tuple[FunctionValue, ...] = ()
    of_object: bool = False

    @staticmethod
    def count(
        stop: T.Atom,
        item: Callable[[T.Atom], T.Atom],
        unrolled: int | None = None,
        endless: bool = False,
    ) -> IterationSpace:
        """0, 1, 2, ... up to `stop`."""
        return IterationSpace(ZERO, stop, ONE, item, unrolled, endless)

    @property
    def counts(self) -> bool:
        """Whether the range is 0, 1, 2, ..."""
        return self.start == ZERO and self.step == ONE
