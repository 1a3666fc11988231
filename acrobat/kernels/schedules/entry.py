"""One entry of a database: a kernel's schedule, and what was measured when it was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from ...cache import content_hash
from ..printers.cpu.build import what_computes
from ..printers.cpu.schedule import Schedule
from ..specification.spec import KernelSpec
from ..specification.weight_types import described

_FIELDS = {"about", "measured", "schedule"}


@dataclass(frozen=True, slots=True)
class Measured:
    """The class of calls of at most `rows` rows, but more than in the previous class: microseconds
    of one call by the rule and by the schedule, alone on a core."""

    rows: int
    rule_us: float
    tuned_us: float


@dataclass(frozen=True, slots=True)
class Entry:
    """A kernel's schedule: `kernel` is the kernel's key, `about` describes it in words."""

    kernel: str
    about: str
    schedule: Schedule
    measured: tuple[Measured, ...]

    def to_json(self) -> dict[str, Any]:
        """The entry without its key, as a JSON object."""
        measured = [[m.rows, round(m.rule_us, 3), round(m.tuned_us, 3)] for m in self.measured]
        return {"about": self.about, "measured": measured, "schedule": self.schedule.to_json()}

    @classmethod
    def from_json(cls, kernel: str, record: object) -> Entry:
        """The entry that a JSON object describes; ValueError if the object is not valid."""
        if not isinstance(record, Mapping) or set(record) != _FIELDS:
            raise ValueError(f"expected an object with {', '.join(sorted(_FIELDS))}")
        if not isinstance(record["about"], str) or not isinstance(record["measured"], list):
            raise ValueError("about: expected a text; measured: expected a list")
        measured = tuple(map(_measured, record["measured"]))
        return cls(kernel, record["about"], Schedule.from_json(record["schedule"]), measured)


def _measured(record: object) -> Measured:
    match record:
        case [int(rows), int() | float() as rule, int() | float() as tuned]:
            if rows > 0 and all(isfinite(t) and t >= 0 for t in (rule, tuned)):
                return Measured(rows, float(rule), float(tuned))
    raise ValueError("measured: expected rows and two times in microseconds")


def kernel_key(spec: KernelSpec) -> str:
    """The key of a kernel: a hash of what it computes, whatever its name."""
    return content_hash([what_computes(spec)])


def words(spec: KernelSpec) -> str:
    """What a kernel computes, in words: "5 contractions of 256 columns, K = 512"."""
    ks = sorted({sum(t.k for t in g.terms) for g in spec.gates})
    rows = f", {spec.rows} rows a node" if spec.rows > 1 else ""
    rows += f", {described(spec.weight_type)}" if spec.weight_type != "fp32" else ""
    many = "contraction" if len(spec.gates) == 1 else "contractions"
    return (
        f"{len(spec.gates)} {many} of {spec.width} columns, K = {' and '.join(map(str, ks))}{rows}"
    )
