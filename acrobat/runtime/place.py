"""Where in an instance a value is: `instances[3].left.words[0]`.

A place links to the one around it, so that a walk over a structure of any depth makes one small
object per step; the text is put together only for a message.
"""

from __future__ import annotations

from dataclasses import dataclass

_SHOWN = 16  # steps at either end of a long path


@dataclass(frozen=True, slots=True)
class Place:
    """A `step` from the place around it: the name of a field, an index, or a key as `['a']`."""

    around: Place | None
    step: str | int

    def __str__(self) -> str:
        steps: list[str] = []
        place: Place | None = self
        while place is not None:
            step = place.step if isinstance(place.step, str) else f"[{place.step}]"
            steps.append(step if step.startswith("[") else f".{step}")
            place = place.around
        steps.reverse()
        if len(steps) > 2 * _SHOWN:
            left_out = len(steps) - 2 * _SHOWN
            steps[_SHOWN:-_SHOWN] = [f" ... {left_out} steps ... "]
        return "instances" + "".join(steps)
