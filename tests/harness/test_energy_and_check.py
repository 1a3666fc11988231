"""Energy from a counter, and results against plain Python."""

from __future__ import annotations

import types

import numpy as np
import pytest

from harness.check import compare, main
from harness.energy import energy_per_run


class NvmlError(Exception):
    pass


def nvml(works: bool) -> types.SimpleNamespace:
    counter = iter((1000, 4000))

    def read(board: object) -> int:
        if not works:
            raise NvmlError
        return next(counter)

    return types.SimpleNamespace(
        nvmlInit=lambda: None,
        nvmlDeviceGetHandleByIndex=lambda n: n,
        nvmlDeviceGetTotalEnergyConsumption=read,
        NVMLError=NvmlError,
    )


def test_energy() -> None:
    runs: list[int] = []
    joules = energy_per_run(lambda: runs.append(1), 0.01, nvml(True))
    assert joules == pytest.approx(3.0 / len(runs))
    assert energy_per_run(lambda: None, 0.01, nvml(False)) is None


def test_comparison() -> None:
    one, nan = np.ones(2, np.float32), np.full(2, np.nan, np.float32)
    assert compare([one], [one]) == (True, "max_abs_err 0.0e+00")
    assert compare([one], [(one,)]) == (False, "other structures")
    assert compare([(one, nan)], [(one, one)])[0] is False


def test_check_of_a_workload(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--workloads", "treelstm", "--batches", "2"]
    assert main([*arguments, "--system", "torch_eager"]) == 0
    assert capsys.readouterr().out.startswith("ok     treelstm bs2: max_abs_err ")
    # A system that cannot run is not right.
    assert main([*arguments, "--system", "cortex", "--device", "cuda"]) == 1
