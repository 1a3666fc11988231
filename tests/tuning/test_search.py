"""The search finds what was planted, noise never chooses, and the clock ends it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from acrobat.kernels.printers.cpu.fit import misfit
from acrobat.kernels.printers.cpu.rule import schedule_by_rule
from acrobat.kernels.printers.cpu.schedule import Schedule
from acrobat.kernels.printers.cpu.target import CpuTarget
from acrobat.kernels.specification.spec import KernelSpec
from acrobat.tuning.candidates import DIMENSIONS, candidates
from acrobat.tuning.search import DECIDING, SCREENING, search
from tests.kernels.kernel_specs import own_matrix, wide
from tests.tuning.fake_bench import FakeBench

AVX512 = CpuTarget("", (), 16, 32)
AVX2 = CpuTarget("", (), 8, 16)
NEON = CpuTarget("", (), 4, 32)
SPEC = wide(256, 512, 3)


def planted(schedule: Schedule, rows: int) -> float:
    """Least with blocks of 3 vectors, 4 steps to a turn, prefetched 64 ahead by line."""
    time = 100.0 + 10 * rows
    time *= 1 - 0.10 * (schedule.vectors == 3) - 0.05 * (schedule.unroll == 4)
    return time * (1 - 0.05 * (schedule.ahead == 64) - 0.04 * schedule.by_line)


def test_the_planted_best_is_found() -> None:
    rule = schedule_by_rule(SPEC, AVX2)
    bench = FakeBench(rule, planted)
    found = search(SPEC, AVX2, bench, 1000.0, bench.clock)
    best = found.schedule
    assert (best.vectors, best.unroll, best.ahead, best.by_line) == (3, 4, 64, True)
    assert not found.by_rule
    assert found.speedup.low > 1.2
    assert found.tried == len({s for s, rounds in bench.seen if rounds == SCREENING})


def test_noise_does_not_choose() -> None:
    """Nothing is faster, and noise is five times what a first look takes for promising."""
    rule = schedule_by_rule(SPEC, AVX2)
    for seed in range(5):
        bench = FakeBench(rule, lambda s, rows: 100.0, noise=0.03, seed=seed)
        found = search(SPEC, AVX2, bench, 1000.0, bench.clock)
        if not found.by_rule:  # of a 95% interval, for three finalists
            assert found.speedup.median < 1.02


def test_a_gain_that_costs_a_class_of_calls_is_refused() -> None:
    rule = schedule_by_rule(SPEC, AVX2)

    def cost(schedule: Schedule, rows: int) -> float:
        return (100.0, 10.0)[rows] * (1.0 if schedule == rule else (0.5, 1.5)[rows])

    bench = FakeBench(rule, cost)
    found = search(SPEC, AVX2, bench, 1000.0, bench.clock)
    assert found.by_rule
    assert found.schedule == rule
    assert any(rounds == DECIDING for _, rounds in bench.seen)


def test_other_bits_are_never_taken() -> None:
    rule = schedule_by_rule(SPEC, AVX2)
    bench = FakeBench(rule, planted, wrong=lambda s: s.unroll == 4)
    found = search(SPEC, AVX2, bench, 1000.0, bench.clock)
    assert found.schedule.unroll != 4
    assert found.schedule.vectors == 3


def test_the_clock_ends_it() -> None:
    rule = schedule_by_rule(SPEC, AVX2)
    bench = FakeBench(rule, planted, seconds_each=1.0)
    search(SPEC, AVX2, bench, 10.0, bench.clock)
    # The decision may measure one finalist behind the end.
    assert bench.now <= 11.0


def test_what_is_known_is_looked_at_first() -> None:
    rule = schedule_by_rule(SPEC, AVX2)
    known = replace(rule, unroll=8)
    bench = FakeBench(rule, planted)
    search(SPEC, AVX2, bench, 1000.0, bench.clock, known)
    assert bench.seen[0][0] == known


@pytest.mark.parametrize("target", [AVX512, AVX2, NEON], ids=["avx512", "avx2", "neon"])
@pytest.mark.parametrize(
    "spec",
    [SPEC, wide(48, 24, 2, 9), wide(75, 24, 1), wide(768, 64, 1, 128), own_matrix(8, 16, 24)],
)
def test_every_candidate_fits(spec: KernelSpec, target: CpuTarget) -> None:
    rule = schedule_by_rule(spec, target)
    assert misfit(rule, spec, target) is None
    for dimension in DIMENSIONS:
        for schedule in candidates(dimension, rule, spec, target):
            assert schedule != rule
            assert misfit(schedule, spec, target) is None
