"""The command for a machine with a GPU: the order of its steps, its time, what it says. The steps
are not run, and the clock is not the machine's."""

from __future__ import annotations

import itertools
import os
import sys
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

import workloads
from acrobat.runtime.gpu import Gpu
from harness.bench import key_of, missing, row_path, without
from harness.cell import Cell
from harness.config import cells, load_config
from harness.environment import source_hash
from harness.gpu.__main__ import CONFIGS, main
from harness.gpu.budget import Runner, run_process
from harness.gpu.steps import Step, looks, measurement, persistent_checks, preparation, probes
from harness.gpu.steps import tests as steps_after
from harness.gpu.summary import table
from harness.row import Row
from harness.row_file import read_row
from tests.harness.gpu_clock import Machine


def test_cells_in_order_of_importance(tmp_path: Path) -> None:
    core, more = (cells(load_config(config)) for config in CONFIGS)
    steps = measurement(CONFIGS[0], core, tmp_path, again=False)
    names = [s.name for s in steps]
    assert names[:2] == ["gpu/treelstm/small/bs64.t1", "gpu/birnn/small/bs64.t1"]
    assert len(names) == len(set(names)) == len(core)
    paper = {"treelstm", "mvrnn", "birnn", "nestedrnn", "drnn", "berxit", "stackrnn"}
    headline = [(c.workload, c.size, c.batch) for c in core[:28]]
    assert set(headline) == set(itertools.product(paper, ("small", "large"), (8, 64)))
    assert {(c.workload, c.size) for c in core[:7]} == {(name, "small") for name in paper}
    assert {c.batch for c in core if (c.workload, c.size) == ("treelstm", "small")} == {
        1 << n for n in range(11)
    }
    # Nothing is measured twice.
    points = [(key_of(c), *s) for c in [*core, *more] for s in c.systems]
    assert len(points) == len(set(points))


def test_what_cannot_run_yet_is_left_out(tmp_path: Path) -> None:
    first, second = two_cells()
    config = Path("gpu.yaml")
    for left_out, kept in (
        (["dynet"], (("acrobat", "full"),)),
        (["dynet:autobatch1"], (("acrobat", "full"), ("dynet", "autobatch2"))),
    ):
        cell = without(first, left_out)
        assert cell is not None and cell.systems == kept
        steps = measurement(config, [first, second], tmp_path, False, left_out)
        assert steps[0].command[-2:] == ("--without", *left_out)
    assert without(first, ["dynet", "acrobat"]) is None
    assert measurement(config, [first], tmp_path, False, ["dynet", "acrobat"]) == []
    write_rows(without(first, ["dynet"]), tmp_path, 1.0)  # type: ignore[arg-type]
    assert measurement(config, [first], tmp_path, False, ["dynet"]) == []


def test_a_row_that_failed_is_measured_again_after_a_change(tmp_path: Path) -> None:
    cell, _ = two_cells()
    write_rows(cell, tmp_path, 1.0)
    path = row_path(cell, "acrobat", "full", tmp_path / "raw")
    row = read_row(path)
    for status, sources, again in (
        ("error", "older", True),
        ("timeout", "older", True),
        ("error", source_hash("acrobat"), False),
        ("unsupported", "older", False),
        ("ok", "older", False),
    ):
        replace(row, status=status, source_hash=sources).write(path)
        left = missing(cell, tmp_path)
        assert (left is not None) == again, (status, sources)
        assert left is None or left.systems == (("acrobat", "full"),)


def write_rows(cell: Cell, out: Path, milliseconds: float, error: float = 0.0) -> None:
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
            reason="",
            max_abs_err=error,
            median_ms=milliseconds + n,
        )
        row.write(row_path(cell, system, variant, out / "raw"))


def two_cells() -> list[Cell]:
    systems = (("acrobat", "full"), ("dynet", "autobatch1"), ("dynet", "autobatch2"))
    return [Cell("treelstm", "tiny", b, 1, "cuda", 0, None, systems) for b in (1, 2)]


def test_rows_that_are_there_are_not_measured_again(tmp_path: Path) -> None:
    first, second = two_cells()
    write_rows(first, tmp_path, 1.0)
    config = Path("gpu.yaml")
    (step,) = measurement(config, [first, second], tmp_path, again=False)
    assert step.name == f"gpu/{key_of(second)}" and "--missing" in step.command
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
    write_rows(second, tmp_path, 1.0, error=1.0)
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
    sleep = Step("sleep", (sys.executable, "-c", "import time; time.sleep(600)"), 60)
    assert run_process(sleep, 0.5, log)[0] is None
    code, last = run_process(Step("none", ("no-such-program",), 60), 60, log)
    assert code == 127 and "no-such-program" in last


def test_a_process_that_cannot_be_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that waits for a driver takes no signals: it is left behind after a while."""
    monkeypatch.setattr("harness.gpu.budget.os.killpg", lambda group, number: None)
    monkeypatch.setattr("harness.gpu.budget.ENDED_S", 0.2)
    others = psutil.Process().children()
    try:
        assert run_process(Step("sleep", ("sleep", "600"), 60), 0.2, tmp_path / "log") == (None, "")
        (left,) = (p for p in psutil.Process().children() if p not in others)
        assert left.is_running() and left.status() != psutil.STATUS_ZOMBIE
    finally:
        for process in psutil.Process().children():
            if process not in others:
                process.kill()


def test_all_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [s.name for s in looks()] == ["nvidia-smi", "clocks", "doctor", "versions"]
    names = [s.name for s in preparation("sm_90")]
    assert names == ["dynet", "persistent-barriers", *(f"check-{name}" for name in workloads.NAMES)]
    for checks, variant in ((preparation("sm_90")[2:], "full"), (persistent_checks(), "gpu_mode=")):
        assert all(s.command[-3].startswith(variant) for s in checks)
        assert [s.command[-1] for s in checks] == list(workloads.NAMES)
    monkeypatch.setattr("harness.gpu.steps.shutil.which", lambda name: None)
    assert [s.name for s in probes(Path("out"))] == ["probe"]
    assert [s.name for s in steps_after()] == ["kernel-tests"]
    monkeypatch.setattr("harness.gpu.steps.shutil.which", lambda name: name)
    assert [s.name for s in probes(Path("out"))] == ["probe", "profiler"]
    assert [s.name for s in steps_after()] == ["kernel-tests", "memory-check"]


@pytest.fixture
def fake_gpu(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A GPU whose steps are those of a `Machine`."""
    machine = Machine()

    def make(*args: Any, **kwargs: Any) -> Runner:
        return Runner(*args, **{**kwargs, "clock": machine.clock, "run": machine.run})

    monkeypatch.setattr("harness.gpu.__main__.Runner", make)
    monkeypatch.setattr("harness.gpu.__main__.find_gpu", lambda: Gpu(0, "Mock", 90, 3))
    monkeypatch.setenv("PATH", os.environ["PATH"])
    return machine


@pytest.mark.slow
@pytest.mark.parametrize(
    ("failed", "left_out"),
    [
        ((), ()),
        (
            ("persistent-barriers",),
            (
                "acrobat:gpu_mode=persistent",
                "acrobat:gpu_mode=persistent,precision=tf32x3",
                "cortex",
            ),
        ),
        (("dynet",), ("dynet",)),
    ],
)
def test_the_whole_command(
    fake_gpu: Machine, tmp_path: Path, failed: tuple[str, ...], left_out: tuple[str, ...]
) -> None:
    fake_gpu.codes = dict.fromkeys(failed, 1)
    out, kept = tmp_path / "out", tmp_path / "kept.tar.gz"
    code = main(["--out", str(out), "--minutes", "30", "--archive", str(kept)])
    assert code == bool(failed)
    names = [name for name, _ in fake_gpu.ran]
    persistent = [n for n in names if n.startswith("check-persistent-")]
    assert len(persistent) == (0 if "persistent-barriers" in failed else len(workloads.NAMES))
    first = names.index("gpu/treelstm/small/bs64.t1")
    assert names.index("dynet") < names.index("probe") < first < names.index("kernel-tests")
    log = (out / "log.txt").read_text()
    assert [line for line in log.splitlines() if line.startswith("left out: ")] == [
        f"left out: {name}" for name in left_out
    ]
    with tarfile.open(kept) as tar:
        assert {"./log.txt", "./summary.md", "./done.json"} <= set(tar.getnames())


@pytest.mark.slow
def test_only_the_measurement(fake_gpu: Machine, tmp_path: Path) -> None:
    """It knows what was prepared before."""
    out = tmp_path / "out"
    assert main(["--out", str(out), "--minutes", "30", "--only", "prepare"]) == 0
    fake_gpu.ran.clear()
    assert main(["--out", str(out), "--minutes", "5", "--only", "measure"]) == 0
    assert {name.split("/")[0] for name, _ in fake_gpu.ran} == {"gpu"}
    assert "left out" not in (out / "log.txt").read_text()


def test_without_a_gpu(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ACROBAT_LIBCUDA", str(tmp_path / "none"))
    assert main(["--out", str(tmp_path / "out"), "--minutes", "1"]) == 2
    assert capsys.readouterr().err.startswith("harness.gpu: there is no NVIDIA driver: ")
    assert not (tmp_path / "out").exists()
