"""The command for a machine with a GPU: the order of its steps, its time, what it says. The steps
are not run, and the clock is not the machine's."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import workloads
from harness.bench import key_of, row_path
from harness.cell import Cell
from harness.config import cells, load_config
from harness.gpu.__main__ import CONFIG, main
from harness.gpu.budget import RESERVE_S, Outcome, Runner, run_process
from harness.gpu.steps import Step, measurement, preparation
from harness.gpu.summary import failures, table
from harness.row import Row


@dataclass
class Machine:
    """Steps that take given times and end with given exit codes."""

    seconds: dict[str, float] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)
    now: float = 0.0
    ran: list[tuple[str, float]] = field(default_factory=list)

    def clock(self) -> float:
        return self.now

    def run(self, step: Step, limit_s: float, log: Path) -> tuple[int | None, str]:
        self.ran.append((step.name, limit_s))
        took = self.seconds.get(step.name, 10.0)
        self.now += min(took, limit_s)
        return (None if took > limit_s else self.codes.get(step.name, 0)), "the last line"


def runner(out: Path, machine: Machine, seconds: float, again: bool = False) -> Runner:
    return Runner(
        out, seconds + RESERVE_S, lambda line: None, again, machine.clock, run=machine.run
    )


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


def test_cells_in_order_of_importance(tmp_path: Path) -> None:
    steps = measurement(CONFIG, cells(load_config(CONFIG)), tmp_path, again=False)
    names = [s.name for s in steps]
    assert names[:3] == ["treelstm/small/bs64.t1", "treelstm/small/bs8.t1", "birnn/small/bs64.t1"]
    assert len(names) == len(set(names))
    size = [name.split("/")[1] for name in names if name not in names[-9:]]
    assert size == sorted(size, reverse=True), "small before large"
    assert {n.split("bs")[1] for n in names[-9:]} == {
        f"{1 << n}.t1" for n in range(11) if n not in (3, 6)
    }


def write_rows(cell: Cell, out: Path, milliseconds: float, reason: str = "") -> None:
    for n, (system, variant) in enumerate(cell.systems):
        row = Row(
            system=system,
            variant=variant,
            workload=cell.workload,
            model_size=cell.size,
            batch_size=cell.batch,
            device="cuda",
            device_name="Mock",
            status="ok",
            reason=reason,
            median_ms=milliseconds + n,
        )
        assert row.write(out / "raw") == row_path(cell, system, variant, out / "raw")


def two_cells() -> list[Cell]:
    systems = (("acrobat", "full"), ("dynet", "autobatch1"), ("dynet", "autobatch2"))
    return [Cell("treelstm", "tiny", b, 1, "cuda", 0, None, systems) for b in (1, 2)]


def test_rows_that_are_there_are_not_measured_again(tmp_path: Path) -> None:
    first, second = two_cells()
    write_rows(first, tmp_path, 1.0)
    config = Path("gpu.yaml")
    (step,) = measurement(config, [first, second], tmp_path, again=False)
    assert step.name == key_of(second) and "--missing" in step.command
    assert len(measurement(config, [first, second], tmp_path, again=True)) == 2


def test_the_summary(tmp_path: Path) -> None:
    first, second = two_cells()
    write_rows(first, tmp_path, 1.0)
    assert table([first, second], tmp_path / "raw") == [
        "| cell | acrobat | dynet |",
        "|---|---|---|",
        "| treelstm/tiny/bs1.t1 | 1 | 2 |",
        "",
        "not measured: treelstm/tiny/bs2.t1",
    ]
    write_rows(second, tmp_path, 1.0, "max_abs_err 1.00e+00 over tolerance 0.0001")
    assert table([second], tmp_path / "raw")[-1] == "| treelstm/tiny/bs2.t1 | wrong | wrong |"


def test_the_floor_of_the_summary_is_the_larger_limit(tmp_path: Path) -> None:
    floors = (("floor", "full"), ("floor", "launches"))
    cell = Cell("treelstm", "tiny", 1, 1, "cuda", 0, None, floors)
    write_rows(cell, tmp_path, 1.0)
    assert table([cell], tmp_path / "raw")[-1] == "| treelstm/tiny/bs1.t1 | 2 |"


def test_processes(tmp_path: Path) -> None:
    log = tmp_path / "log"
    say = Step("say", (sys.executable, "-c", "print('a'); print('b'); raise SystemExit(4)"), 60)
    assert run_process(say, 60, log) == (4, "b")
    sleep = Step("sleep", (sys.executable, "-c", "import time; time.sleep(60)"), 60)
    assert run_process(sleep, 0.5, log)[0] is None
    code, last = run_process(Step("none", ("no-such-program",), 60), 60, log)
    assert code == 127 and "no-such-program" in last


def test_steps_before_the_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.gpu.steps.shutil.which", lambda name: None)
    steps = preparation("sm_90")
    names = [s.name for s in steps]
    modes = [s.command[-4:-2] for s in steps if s.name.startswith("check-")]
    assert set(modes) == {("full", "gpu_mode=persistent")}
    assert names[:4] == ["nvidia-smi", "clocks", "doctor", "versions"]
    assert names[4 : 4 + len(workloads.NAMES)] == [f"check-{name}" for name in workloads.NAMES]
    assert names[-2:] == ["kernel-tests", "dynet"]
    monkeypatch.setattr("harness.gpu.steps.shutil.which", lambda name: name)
    assert [s.name for s in preparation("sm_90")][-2:] == ["memory-check", "dynet"]


def test_without_a_gpu(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ACROBAT_LIBCUDA", str(tmp_path / "none"))
    assert main(["--out", str(tmp_path / "out"), "--minutes", "1"]) == 2
    assert capsys.readouterr().err.startswith("harness.gpu: there is no NVIDIA driver: ")
    assert not (tmp_path / "out").exists()
