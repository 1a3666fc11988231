"""The steps on a machine with a GPU, one after the other within the time there is."""

from __future__ import annotations

import json
from pathlib import Path

from harness.gpu.budget import Outcome, Runner
from harness.gpu.steps import Step, preparation
from harness.gpu.summary import failures
from tests.harness.gpu_clock import Machine, runner

STEPS = [Step(name, ("true",), 100.0) for name in "abcd"]


def test_a_failure_does_not_stop_the_others(tmp_path: Path) -> None:
    machine = Machine({"b": 1000.0}, {"a": 3})
    found = runner(tmp_path, machine, 1000)
    found.steps(STEPS)
    assert [o.status for o in found.outcomes] == ["failed", "timeout", "ok", "ok"]
    assert failures(found.outcomes) == [
        "a: failed, exit code 3: the last line",
        "b: timeout, ended after 100 s",
    ]


def test_the_time_is_kept(tmp_path: Path) -> None:
    machine = Machine(dict.fromkeys("abcd", 60.0))
    found = runner(tmp_path, machine, 150)
    found.steps(STEPS)
    # A step gets what is left; with less than a quarter of its limit it is not begun.
    assert machine.ran == [("a", 100.0), ("b", 90.0), ("c", 30.0)]
    assert [o.status for o in found.outcomes] == ["ok", "ok", "timeout", "left"]
    assert found.outcomes[-1] == Outcome("d", "left", 0.0, "0 s were left")


def test_what_was_done_is_not_repeated(tmp_path: Path) -> None:
    runner(tmp_path, Machine(codes={"b": 1}), 1000).steps(STEPS)
    machine = Machine()
    later = runner(tmp_path, machine, 1000)
    later.steps([*STEPS, Step("e", ("true",), 100.0, again=True)])
    assert [name for name, _ in machine.ran] == ["b", "e"]
    assert [o.status for o in later.outcomes] == ["there", "ok", "there", "there", "ok"]
    machine = Machine()
    runner(tmp_path, machine, 1000, again=True).steps(STEPS)
    assert len(machine.ran) == 4
    assert set(json.loads((tmp_path / "done.json").read_text())) == set("abcde")


def test_steps_at_once(tmp_path: Path) -> None:
    """All are done, and all outcomes are kept, whatever becomes of one."""
    machine, kept = Machine(codes={"b": 3}), []
    found = Runner(
        tmp_path,
        1000,
        lambda line: None,
        clock=machine.clock,
        run=machine.run,
        keep=lambda: kept.append(len(found.outcomes)),
    )
    found.at_once(STEPS)
    found.at_once([])
    assert {o.name: o.status for o in found.outcomes} == dict.fromkeys("acd", "ok") | {
        "b": "failed"
    }
    assert kept == [1, 2, 3, 4]
    assert found.ended_well("a") and not found.ended_well("b") and not found.ended_well("e")
    later = runner(tmp_path, Machine(), 1000)
    assert later.ended_well("a") and not later.ended_well("b")
    later.steps(STEPS)
    assert later.ended_well("a") and later.ended_well("b")


def test_what_must_be_done_again_and_cannot_is_not_done(tmp_path: Path) -> None:
    """On another machine, with the folder of the first."""
    build = Step("dynet", ("true",), 100.0, again=True)
    runner(tmp_path, Machine(), 1000).steps([build])
    for seconds, codes, well in ((1000, {}, True), (1000, {"dynet": 1}, False), (10, {}, False)):
        runner(tmp_path, Machine(), 1000).steps([build])
        other = runner(tmp_path, Machine(codes=codes), seconds)
        assert other.ended_well("dynet"), "not run yet"
        other.steps([build])
        assert other.ended_well("dynet") == well


def test_a_step_says_how_much_time_it_needs(tmp_path: Path) -> None:
    machine = Machine()
    found = runner(tmp_path, machine, 100)
    found.steps(
        [
            Step("a", ("true",), 100.0, least_s=100.0),
            Step("b", ("true",), 100.0, least_s=91.0),
            Step("c", ("true",), 100.0, least_s=90.0),
        ]
    )
    assert [o.status for o in found.outcomes] == ["ok", "left", "ok"]


def test_a_cell_is_begun_if_the_longest_so_far_would_fit(tmp_path: Path) -> None:
    """The first by what it asks for itself."""
    machine = Machine({"a": 20.0, "b": 30.0})
    found = runner(tmp_path, machine, 120)
    found.steps([Step(n, ("true",), 240.0, True, 90.0, "cell") for n in "abcd"])
    # 70 s were left for c, of the 39 it needs, and after 10 s 60 for d.
    assert [o.status for o in found.outcomes] == ["ok", "ok", "ok", "ok"]
    assert [left for _, left in machine.ran] == [120.0, 100.0, 70.0, 60.0]
    machine = Machine({"a": 80.0})
    found = runner(tmp_path / "later", machine, 120)
    found.steps([Step(n, ("true",), 240.0, True, 90.0, "cell") for n in "ab"])
    assert [o.status for o in found.outcomes] == ["ok", "left"]


def test_a_native_build_has_less_time_in_the_first_call(tmp_path: Path) -> None:
    def limit(tried: set[str]) -> float:
        return next(s.limit_s for s in preparation("sm_90", tried) if s.name == "dynet")

    first = runner(tmp_path, Machine(), 1000)
    assert limit(first.tried()) == 180.0
    first.steps([Step("dynet", ("true",), 1.0)])
    assert limit(runner(tmp_path, Machine(), 1000).tried()) == 420.0
