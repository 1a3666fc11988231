"""Kernels with two heights of row tiles instead of nine, for tests that are about something else.

TVM takes ten times as long for all the heights that the rule makes, and most of what a test of a
small model takes is TVM. No schedule changes a bit (tests/tuning/test_bits.py); the rule's are
those of tests/kernels and tests/baselines, and of the workloads as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import pytest

import acrobat.backward.plan
import acrobat.compiled_model
from acrobat.kernels.printers.cpu.fit import misfit
from acrobat.kernels.printers.cpu.rule import join_of, rows_for, schedule_by_rule
from acrobat.kernels.printers.cpu.schedule import ALL_ROWS, Schedule
from acrobat.kernels.printers.cpu.target import CpuTarget, host_target
from acrobat.kernels.specification.spec import KernelSpec


@contextmanager
def few_tiles() -> Iterator[None]:
    """What is compiled meanwhile, by this process and with `autoschedule`, has these kernels."""
    with pytest.MonkeyPatch.context() as patch:
        for place in (acrobat.compiled_model, acrobat.backward.plan):
            patch.setattr(place, "schedules_for", schedules)
        yield


def schedules(specs: Sequence[KernelSpec], target: CpuTarget | None = None) -> dict[str, Schedule]:
    """Instead of those that were found: the rule's, with tiles of one row and of two."""
    target = target or host_target()
    found = {s.name: _cut(s, schedule_by_rule(s, target)) for s in specs if s.gates}
    for spec in specs:
        assert spec.name not in found or misfit(found[spec.name], spec, target) is None
    return found


def _cut(spec: KernelSpec, rule: Schedule) -> Schedule:
    if len(rule.tiles) == 1:  # each node is cut by itself, and has no others
        return replace(rule, tiles=(1,), usual=1, join=0, rows_at_once=ALL_ROWS)
    rows = rows_for(spec, 2)
    return replace(rule, tiles=(1, 2), usual=2, join=join_of(2), rows_at_once=rows)
