"""A kernel's schedule: every choice that the template leaves open, as one record.

The rule (`rule.py`) makes one for every kernel; a search may have found a better one for this
machine (`acrobat.kernels.schedules`). The emitter, the packing of weights and the run-time's tables
take these choices only from the schedule, so that they cannot disagree.

No choice changes a bit of a result: every output sums its products in the same order, terms, then
k, in one accumulator. Choices that would, such as a separate sum for each part of k, are not among
these.

Two more choices follow from these. Weights are packed column block by column block, in the order in
which the kernel reads them, so that `vectors` determines the packing. The run-time takes
`rows_at_once` rows through all column blocks before the next ones: if these are many, the loop over
columns is the outer one and that over rows the inner one; if they are only a tile, the reverse.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# The version of what the template makes of a schedule. A schedule found with another version may be
# slower than the rule's by now: increase this when the text of kernels changes.
TEMPLATE_VERSION = 2

# More rows than any batch has.
ALL_ROWS = 1 << 60


@dataclass(frozen=True, slots=True)
class Schedule:
    """`lanes`: floats of a vector operation. `vectors`: vectors of columns in a block. `tiles`: the
    heights of row tiles that exist. `usual`: the height that many rows are divided into; a
    remainder of fewer than `join` rows is combined with one usual tile. `rows_at_once`: rows that
    go through all column blocks before the next ones. `gates`: the most gates that share a pass
    over k; 0: as many as registers allow. `unroll`: steps of k per loop iteration. `ahead`: how
    many steps before its products a weight is prefetched; 0: never. `by_line`: one prefetch for
    each cache line of a step, not for each vector."""

    lanes: int
    vectors: int
    tiles: tuple[int, ...]
    usual: int
    join: int
    rows_at_once: int
    gates: int = 0
    unroll: int = 1
    ahead: int = 0
    by_line: bool = False

    def to_json(self) -> dict[str, Any]:
        """The schedule as a JSON object."""
        return {**dataclasses.asdict(self), "tiles": list(self.tiles)}

    @classmethod
    def from_json(cls, record: object) -> Schedule:
        """The schedule that a JSON object describes; ValueError if the object is not valid. Does
        not check whether it fits a kernel (`fit.misfit` does)."""
        if not isinstance(record, Mapping):
            raise ValueError(f"a schedule is an object, found {_shown(record)}")
        fields = {f.name: f for f in dataclasses.fields(cls)}
        if unknown := sorted(set(record) - set(fields)):
            raise ValueError(f"a schedule has no {unknown[0]!r}")
        if lacking := sorted(set(fields) - set(record)):
            raise ValueError(f"a schedule needs {lacking[0]!r}")
        values = dict(record)
        tiles = values["tiles"]
        if not isinstance(tiles, list) or not all(map(_is_count, tiles)):
            raise ValueError(f"tiles: expected a list of whole numbers, found {_shown(tiles)}")
        values["tiles"] = tuple(tiles)
        if not isinstance(values["by_line"], bool):
            raise ValueError(f"by_line: expected true or false, found {_shown(values['by_line'])}")
        for name in fields:
            if name not in ("tiles", "by_line") and not _is_count(values[name]):
                raise ValueError(f"{name}: expected a whole number, found {_shown(values[name])}")
        return cls(**values)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= ALL_ROWS


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
