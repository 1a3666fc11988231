"""How a state keeps a weight: under another name, transposed, with its gates in another order.

"weight"                          the same tensor under that name
"weight.T"                        transposed: `nn.Linear` keeps [out, in]
"weight_ih.T[i f g o -> i o g f]" and then with the gates, equal parts of the last axis, in
                                  another order: the state's is on the left, the model's on
                                  the right
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ParamsError

_FORM = re.compile(r"(?P<name>.*?)(?P<turned>\.T)?(?:\[(?P<theirs>[^\]]*?)->(?P<ours>[^\]]*)\])?")


@dataclass(frozen=True, slots=True)
class StoredForm:
    """`name` in the state; whether it is transposed there; the orders of the gates, theirs and
    ours, or none."""

    name: str
    turned: bool = False
    theirs: tuple[str, ...] = ()
    ours: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str, owner: str) -> StoredForm:
        """The form that a name describes; ParamsError, about the weight `owner`, if the gates do
        not match."""
        match = _FORM.fullmatch(text)
        assert match is not None  # every text is a name
        theirs, ours = ((match[side] or "").split() for side in ("theirs", "ours"))
        if match["ours"] is not None and (
            not theirs or sorted(theirs) != sorted(ours) or len(set(theirs)) != len(theirs)
        ):
            raise ParamsError(
                f"{owner}: in {text!r} both sides of -> have the same gates, each once, as in "
                f"[i f g o -> i o g f]"
            )
        return cls(match["name"], match["turned"] is not None, tuple(theirs), tuple(ours))

    def from_state(self, tensor: Any, owner: str) -> Any:
        """A tensor of the state as the model's weight."""
        found = tensor.T if self.turned else tensor
        return self._ordered(found, self.theirs, self.ours, owner) if self.ours else found

    def to_state(self, weight: np.ndarray, owner: str) -> np.ndarray:
        """The model's weight as the state has it, contiguous."""
        found = self._ordered(weight, self.ours, self.theirs, owner) if self.ours else weight
        return np.array(found.T if self.turned else found, order="C")

    @staticmethod
    def _ordered(tensor: Any, before: Sequence[str], after: Sequence[str], owner: str) -> Any:
        length = tensor.shape[-1] if len(tensor.shape) else 0
        if length == 0 or length % len(before):
            raise ParamsError(
                f"{owner}: a last axis of {length} has no {len(before)} gates of one length"
            )
        part = length // len(before)
        order = [before.index(gate) for gate in after]
        columns = [c for g in order for c in range(g * part, (g + 1) * part)]
        return tensor[..., columns]
