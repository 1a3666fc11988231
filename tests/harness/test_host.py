"""What a row says of its machine."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from harness.host import OtherLoad, cpu_model, describe, design, governor

_SPIN = "import time; end = time.time() + 900\nwhile time.time() < end: pass"


def test_a_machine() -> None:
    found = describe(0.25)
    assert (
        found["name"]
        and found["design"] == design()
        and found["cpu"]
        and found["lanes"] in (4, 8, 16)
    )
    assert found["cores"] == len(os.sched_getaffinity(0)) and found["memory_gib"] > 0.1
    assert (found["load_before"], found["load_during"]) == (0.25, None)


def test_a_processor_has_its_numbers(tmp_path: Path) -> None:
    info = tmp_path / "cpuinfo"
    info.write_text(
        "processor\t: 0\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: A Xeon\nstepping\t: 8\n\n"
        "processor\t: 1\nmodel name\t: Another\n"
    )
    assert cpu_model(info) == "A Xeon (family 6, model 143, stepping 8)"
    assert cpu_model(tmp_path / "none")


def test_a_governor(tmp_path: Path) -> None:
    assert governor(tmp_path) == "unknown"
    for cpu in os.sched_getaffinity(0):
        (tmp_path / f"cpu{cpu}" / "cpufreq").mkdir(parents=True)
        (tmp_path / f"cpu{cpu}" / "cpufreq" / "scaling_governor").write_text("performance\n")
    assert governor(tmp_path) == "performance"


def test_who_else_was_there() -> None:
    """What a process that spins uses counts, if it is not ours: as much as it gets of a machine
    that may be busy."""
    spinning = subprocess.Popen([sys.executable, "-c", _SPIN])
    process = psutil.Process(spinning.pid)

    def spin(seconds: float) -> None:
        end = process.cpu_times().user + seconds
        while process.cpu_times().user < end:
            time.sleep(0.05)

    try:
        spin(0.1)
        others, ours = OtherLoad(), OtherLoad()
        others.begin([os.getpid()])
        ours.begin([os.getpid(), spinning.pid])
        start = time.perf_counter()
        spin(1)
        share = 1 / (time.perf_counter() - start) / len(os.sched_getaffinity(0))
        ours.end([os.getpid(), spinning.pid])
        others.end([os.getpid()])
    finally:
        spinning.kill()
        spinning.wait()
    assert others.share is not None and ours.share is not None
    assert others.share - ours.share > share / 2


def test_a_process_that_died_and_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    load, dead = OtherLoad(), subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    load.begin([dead.pid])
    load.end([os.getpid()])
    assert load.share is None
    monkeypatch.setitem(sys.modules, "psutil", None)
    load = OtherLoad()
    load.begin([])
    load.end([])
    assert load.share is None
