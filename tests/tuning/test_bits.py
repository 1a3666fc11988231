"""No schedule changes a bit: kernels by many of them, on the rows that batches have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from acrobat.kernels.printers.cpu.rule import schedule_by_rule
from acrobat.kernels.printers.cpu.target import host_target
from acrobat.kernels.specification.spec import KernelSpec
from acrobat.tuning.bench import KernelBench
from acrobat.tuning.candidates import DIMENSIONS, candidates
from acrobat.tuning.operands import Operands
from acrobat.tuning.timed_loop import TimedLoop, parts_of
from acrobat.tuning.uses import Calls
from tests.kernels.kernel_specs import cell, matrix_rows, own_matrix, unlike_gates, wide
from tests.selection import some

# Of each dimension the first that differs from the rule; other ones are exhaustive, and so is the
# tree cell, which takes longest: others have several gates, too.
FIRST = {"shape": 2, "prefetch": 2, "unroll": 1, "gates": 1, "rows": 1, "rest": 1}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "whole"),
    some(
        [
            (s, whole)
            for s in (
                cell(40, 19),
                wide(48, 21, 2, 9),
                own_matrix(8, 12, 24),
                unlike_gates(),
                replace(unlike_gates(), name="of_bf16", weight_type="bf16"),
                replace(unlike_gates(), name="of_int8", weight_type="int8"),
                replace(cell(40, 19), weight_type="int8"),
            )
            for whole in (False, True)
        ],
        always=lambda spec, whole: not whole and spec.name != "cell",
    ),
)
def test_schedules_compute_the_same_bits(spec: KernelSpec, whole: bool, tmp_path: Path) -> None:
    target = host_target()
    calls = [Calls(8 * spec.rows, 5, 1.0), Calls(64 * spec.rows, 37, 1.0)]
    bench = KernelBench(spec, target, calls, tmp_path)
    rule = schedule_by_rule(spec, target)
    tried = 0
    for dimension in DIMENSIONS:
        found = list(candidates(dimension, rule, spec, target))
        for schedule in found if whole else found[: FIRST[dimension]]:
            assert bench.compare(schedule, 1) is not None, schedule
            tried += 1
    assert tried >= (5 if spec.shares_tiles else 3)


def test_other_bits_are_noticed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    spec, target = matrix_rows(4), host_target()
    bench = KernelBench(spec, target, [Calls(16, 3, 1.0)], tmp_path)
    schedule = next(candidates("unroll", schedule_by_rule(spec, target), spec, target))
    # As if the template had made something else of it.
    bench._operands.weights[0][0, 0] += 1
    assert bench.compare(schedule, 1) is None
    assert "computes other bits; left out" in caplog.text


def test_stores_are_what_is_compared() -> None:
    spec = unlike_gates()
    operands = Operands(spec, 2)
    records, temporaries = operands.stored(spec, 2)
    assert (len(records), len(temporaries)) == (0, 2 * spec.width * 4)


def test_what_does_the_same_is_measured_once(tmp_path: Path) -> None:
    spec, target = wide(64, 8, 1), host_target()
    bench = KernelBench(spec, target, [Calls(8, 8, 1.0)], tmp_path)
    rule = schedule_by_rule(spec, target)
    [(_, parts)] = parts_of(8, rule)
    used = {height for height, _ in parts} | {1, rule.usual}
    for same in ({"rows_at_once": 5 * rule.usual}, {"tiles": tuple(sorted(used))}):
        assert bench.key(replace(rule, **same)) == bench.key(rule)
    for other in ({"rows_at_once": 1}, {"unroll": 2}, {"ahead": 8}):
        assert bench.key(replace(rule, **other)) != bench.key(rule)  # type: ignore[arg-type]


def test_rows_go_through_the_column_blocks_in_parts(tmp_path: Path) -> None:
    spec, target = wide(64, 8, 1), host_target()
    rule = schedule_by_rule(spec, target)
    operands = Operands(spec, 30)
    loops = [
        TimedLoop(spec, s, target, [30], operands, tmp_path, n)
        for n, s in enumerate((rule, replace(rule, rows_at_once=2 * rule.usual)))
    ]
    assert loops[0].results(30) == loops[1].results(30)
