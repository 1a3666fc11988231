"""Where the temporaries of a block are in its scratch record.

Temporaries that are never live at the same time share memory, so that more nodes fit in the cache
together: BERxiT's layer needs 600 thousand floats instead of 1.6 million. Time is counted in levels
(specification/levels.py), since kernels of one level may run side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...ir.types import align


@dataclass(frozen=True, slots=True)
class Life:
    """A temporary of `floats` floats, written or read from level `first` to level `last`."""

    floats: int
    first: int
    last: int


def place_lives(lives: Mapping[int, Life]) -> tuple[dict[int, int], int]:
    """Where each temporary begins, and the size of the scratch record in floats. The largest
    temporaries are placed first, each in the first gap between those live at the same time."""
    places: dict[int, int] = {}
    for number in sorted(lives, key=lambda n: (-lives[n].floats, lives[n].first, n)):
        life = lives[number]
        taken = sorted(
            (places[n], places[n] + align(lives[n].floats))
            for n in places
            if lives[n].first <= life.last and life.first <= lives[n].last
        )
        places[number] = _first_gap(taken, align(life.floats))
    return places, max((places[n] + align(lives[n].floats) for n in places), default=0)


def _first_gap(taken: Sequence[tuple[int, int]], floats: int) -> int:
    at = 0
    for begin, end in taken:
        if begin - at >= floats:
            break
        at = max(at, end)
    return at
