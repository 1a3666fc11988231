"""What the table says of an operation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..typed import AttrValue
from ..types import TensorType, Type

Array = np.ndarray
Attrs = Mapping[str, AttrValue]
Rule = Callable[[Sequence[Type], Attrs], TensorType]


class ShapeError(Exception):
    """Operands do not fit. `blame` lists the positions of the arguments whose shapes disagree."""

    def __init__(self, message: str, blame: Sequence[int]) -> None:
        super().__init__(message)
        self.blame = tuple(blame)


@dataclass(frozen=True, slots=True)
class OpDef:
    """`kind`: elementwise | contraction | reduction | normalise | rearrange | lookup | constant |
    attention."""

    name: str
    kind: str
    result: Rule
    numpy: Callable[..., Array]

    @property
    def contracts(self) -> bool:
        """Whether it multiplies matrices: what is worth a node of its own."""
        return self.kind in ("contraction", "attention")
