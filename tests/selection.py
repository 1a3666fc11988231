"""Which of many similar tests run.

Combinations of what other tests show in kind are marked `exhaustive`; every group of them has some
that are not. Tests that take 1.5 s of CPU time or more are marked `slow`. `make test` leaves both
out, `make test-all` runs all, and CI every slow one and a share of the exhaustive ones.
"""

from __future__ import annotations

import argparse
import itertools
import re
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from _pytest.mark import ParameterSet


def some(
    values: Iterable[Any],
    *,
    always: Callable[..., bool],
    slow: Callable[..., bool] = lambda *_: False,
) -> list[ParameterSet]:
    """The values of a parametrised test, or tuples of them; those for which `always` does not hold
    are marked `exhaustive`, others for which `slow` holds are marked so. AssertionError if that
    would be all, or if none were exhaustive."""
    found = []
    for value in values:
        parts = value if isinstance(value, tuple) else (value,)
        marks = [] if always(*parts) else [pytest.mark.exhaustive]
        if always(*parts) and slow(*parts):
            marks.append(pytest.mark.slow)
        found.append(pytest.param(*parts, marks=marks))
    assert any(pytest.mark.exhaustive in p.marks for p in found)
    assert any(not p.marks for p in found)
    return found


def with_executors(cases: Sequence[Any]) -> list[ParameterSet]:
    """(case, executor): all cases with the interpreter, which shows what the front end makes of
    them; compiled, which takes g++ a second, every eighth, and the others are `exhaustive`."""
    compiled = cases[::8]
    pairs = itertools.product(cases, ("vm", "aot"))
    return some(pairs, always=lambda case, executor: executor == "vm" or case in compiled)


@dataclass(frozen=True, slots=True)
class Share:
    """Part number `part` of `parts` of all names, the same ones everywhere; no part: none. Tests of
    one file with the same parameters are in the same part: what one has compiled, others find in
    the cache."""

    part: int | None
    parts: int

    def __contains__(self, name: str) -> bool:
        file, _, test = name.partition("::")
        _, parametrised, parameters = test.partition("[")
        group = f"{file}[{parameters}" if parametrised else name
        return zlib.crc32(group.encode()) % self.parts == self.part


def runs(item: pytest.Item, share: Share) -> bool:
    """Whether a test runs with such a share: slow ones do with any but none."""
    if item.get_closest_marker("exhaustive"):
        return item.nodeid in share
    return share.part is not None or not item.get_closest_marker("slow")


def read_share(text: str) -> Share:
    """A share as `--exhaustive` takes it."""
    found = re.fullmatch(r"(\d+)/(\d+)", {"all": "0/1"}.get(text, text))
    if text == "none":
        return Share(None, 1)
    if not found or int(found[1]) >= int(found[2]):
        raise argparse.ArgumentTypeError(f"{text!r} is neither all nor none nor a share like 0/4")
    return Share(int(found[1]), int(found[2]))
