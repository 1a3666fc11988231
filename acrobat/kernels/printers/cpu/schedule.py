"""A kernel's schedule: every choice that the template leaves open, as one record.

The rule (`rule.py`) makes one for every kernel; a search may have found a better one for this
machine (`acrobat.kernels.schedules`). The emitter, the packing of weights and the run-time's tables
read nothing else, so that they cannot disagree.

No choice changes a bit of a result: every output sums its products in the same order, terms, then
k, one accumulator each. Choices that would (k in parts with a sum each) are not among these.

Two choices follow from others. Weights are packed column block by column block, in the order in
which the kernel reads them, so `vectors` is the packing, too. The run-time takes `rows_at_once`
rows through all column blocks before the next ones, so that many rows are columns outside and rows
inside, and as few as a tile are the other order.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# Of what the template makes of a schedule. One that was found with another version may be slower
# than the rule by now: raise this when the text of kernels changes.
TEMPLATE_VERSION = 1

# More rows than there are.
ALL_ROWS = 1 << 60


@dataclass(frozen=True, slots=True)
class Schedule:
    """`lanes`: floats of a vector operation. `vectors`: of columns in a block. `tiles`: the heights
    of row tiles that exist. `usual`: the one that many rows are cut into; a rest of fewer than
    `join` rows is taken together with one more usual tile. `rows_at_once`: rows that go through
    all column blocks before the next. `gates`: the most gates that share a pass over k; 0: as many
    as registers allow. `unroll`: steps of k per loop iteration. `ahead`: how many steps before
    its products a weight is prefetched; 0: not at all. `by_line`: a prefetch for each cache line of
    a step, not for each vector."""

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
        """The record as JSON has it."""
        return {**dataclasses.asdict(self), "tiles": list(self.tiles)}

    @classmethod
    def from_json(cls, record: object) -> Schedule:
        """The schedule that a record of JSON describes; ValueError if it describes none. Whether it
        fits a kernel is another question (`fit.misfit`)."""
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
