"""Energy from a counter, and results against plain Python."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest

from harness import energy
from harness.check import main
from harness.energy import measure
from harness.energy_nvml import board_counter
from harness.energy_rapl import socket_counter


class NVMLError(Exception):
    pass


def nvml(**broken: bool) -> types.SimpleNamespace:
    counter = iter((5_000_000_001_000, 5_000_000_004_000))

    def answer(name: str, value: Any) -> Any:
        def call(*args: object) -> Any:
            if broken.get(name):
                raise NVMLError
            return next(counter) if value is counter else value

        return call

    return types.SimpleNamespace(
        NVMLError=NVMLError,
        nvmlInit=answer("init", None),
        nvmlDeviceGetHandleByIndex=answer("board", "board 0"),
        nvmlDeviceGetTotalEnergyConsumption=answer("read", counter),
    )


def test_energy_of_a_board() -> None:
    runs: list[int] = []
    counter = board_counter(nvml())
    assert counter is not None
    assert measure(lambda: runs.append(1), counter, 0.01) == pytest.approx(3.0 / len(runs))


def test_boards_that_tell_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = board_counter(nvml(read=True))
    assert counter is not None and measure(lambda: None, counter, 0.01) is None
    assert board_counter(nvml(init=True)) is None
    assert board_counter(nvml(board=True)) is None
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert board_counter() is None


def powercap(folder: Path, zones: dict[str, tuple[str, int]]) -> Path:
    for zone, (name, microjoules) in zones.items():
        (folder / zone).mkdir(exist_ok=True)
        (folder / zone / "name").write_text(name + "\n")
        (folder / zone / "energy_uj").write_text(f"{microjoules}\n")
        (folder / zone / "max_energy_range_uj").write_text("100000000\n")
    return folder


def test_energy_of_sockets(tmp_path: Path) -> None:
    zones = {
        "intel-rapl:0": ("package-0", 5_000_000),
        "intel-rapl:0:0": ("core", 4_000_000),
        "intel-rapl:0:1": ("dram", 1_000_000),
        "intel-rapl:1": ("package-1", 99_000_000),
        "intel-rapl:2": ("psys", 7_000_000),
    }
    counter = socket_counter(powercap(tmp_path, zones))
    assert counter is not None and counter() == 0.0

    def run() -> None:
        # The second socket's counter begins anew: 1 J to its end and 2 J after it.
        after = dict.fromkeys(zones, 9_000_000) | {"intel-rapl:1": 2_000_000}
        powercap(tmp_path, {z: (zones[z][0], joules) for z, joules in after.items()})

    # 4 J of the first socket, 8 J of its memory, 3 J of the second socket.
    assert measure(run, counter, 0.0) == pytest.approx(15.0)


def test_sockets_that_tell_nothing(tmp_path: Path) -> None:
    assert socket_counter(tmp_path / "nowhere") is None
    assert socket_counter(powercap(tmp_path, {"intel-rapl:0": ("psys", 1)})) is None
    powercap(tmp_path, {"intel-rapl:1": ("package-0", 1)})
    (tmp_path / "intel-rapl:1" / "energy_uj").unlink()  # as to those who are not root
    assert socket_counter(tmp_path) is None


def test_a_device_has_its_counter(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = iter((1.0, 3.0))
    monkeypatch.setitem(energy._COUNTERS, "cpu", lambda: lambda: next(readings))
    monkeypatch.setitem(energy._COUNTERS, "cuda", lambda: None)
    runs: list[int] = []
    assert energy.energy_per_run(lambda: runs.append(1), "cpu", 0.0) == 2.0
    assert runs == [1]
    assert energy.energy_per_run(lambda: runs.append(1), "cuda", 0.0) is None and runs == [1]


@pytest.mark.slow
def test_check_of_a_workload(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--workloads", "treelstm", "--batches", "2"]
    assert main([*arguments, "--system", "torch_eager"]) == 0
    assert capsys.readouterr().out.startswith("ok     treelstm full bs2: max_abs_err ")
    # Every variant is checked; one that does not exist is not right.
    assert main([*arguments, "--variants", "off", "none"]) == 1
    good, wrong = capsys.readouterr().out.splitlines()
    assert good.startswith("ok     treelstm off bs2: max_abs_err ")
    assert wrong.startswith("WRONG  treelstm none bs2: acrobat has no variant 'none': ")
    # A system that cannot run is not right.
    assert main([*arguments, "--system", "cortex", "--variants", "project"]) == 1
