"""Checks of a worker's answers. An invalid one is a failure of its system, described in a sentence.

The worker shares its process with the system, which may tamper with it: every part of an answer is
checked, and nothing reaches a row that a row must not contain.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from baselines.api import Breakdown

from .printable import printable
from .worker_process import WorkerFailure

# Characters of a version, or of any other text in a row.
_LONGEST = 500
# Entries of a mapping.
_MOST = 1000
# The clocks of the two processes are not read at the same moment.
_SLACK_MS = 5.0

_COUNTS = (
    "n_nodes",
    "n_batches",
    "n_kernel_calls",
    "min_batches",
    "n_syncs",
    "threads_used",
)
_MAPPINGS = {"alone": int, "versions": str}


def times(answer: Mapping[str, Any], count: int, waited_s: float) -> list[float]:
    """The milliseconds of `count` samples, for which the harness waited `waited_s` seconds."""
    found = answer.get("samples_ms")
    if not isinstance(found, list) or len(found) != count:
        shown = f"{len(found)} times" if isinstance(found, list) else printable(repr(found), 60)
        raise _wrong(f"{shown} for {count} runs")
    for time in found:
        if not _is_number(time) or time <= 0:
            raise _wrong(f"{printable(repr(time), 60)} ms for a run")
    if sum(found) > waited_s * 1e3 + _SLACK_MS:
        raise _wrong(f"{sum(found):.3g} ms for runs that took {waited_s * 1e3:.3g} ms in all")
    return [float(time) for time in found]


def figures(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a row that the last answer fills; `versions` has only the system's own."""
    given = answer.get("breakdown")
    names = [field.name for field in dataclasses.fields(Breakdown)]
    if not isinstance(given, dict) or sorted(given) != sorted(names):
        raise _wrong(f"a breakdown that is none: {printable(repr(given), 100)}")
    found = {name: _figure(name, given[name]) for name in names}
    for name in ("profiled_ms", "peak_mem_mb"):
        if found.get(name) is None:
            found[name] = _figure(name, answer.get(name))
    energy = answer.get("energy_j")
    found["energy_j"] = (
        energy if energy is not None and _is_number(energy) and energy >= 0 else None
    )
    return found


def _figure(name: str, value: Any) -> Any:
    if name == "precision":
        if isinstance(value, str) and value:
            return printable(value, _LONGEST)
    elif name in _MAPPINGS:
        if name == "alone" and value is None:
            return None
        if isinstance(value, dict) and len(value) <= _MOST:
            of = _MAPPINGS[name]
            if all(type(v) is of for v in value.values()):
                return {
                    printable(k, _LONGEST): printable(v, _LONGEST) if of is str else v
                    for k, v in value.items()
                }
    elif value is None or (_is_number(value) and value >= 0 and _may_be(name, value)):
        return value
    raise _wrong(f"{printable(repr(value), 60)} for {name} of its breakdown")


def _may_be(name: str, value: float) -> bool:
    return name not in _COUNTS or isinstance(value, int)


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) < 1e300 and math.isfinite(value)


def _wrong(what: str) -> WorkerFailure:
    return WorkerFailure("error", f"its process says what cannot be: {what}")
