"""`python -m harness.gpu.probe` from its first call of the driver to its file, on the mock driver:
the probe's own kernels run in the emulator, those of cells are loaded and launched, not run."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

pytest.importorskip("triton")

from harness.gpu import probe, probe_kernels
from harness.gpu.model.chip import Constants, constants_of
from tests.ptx.compiled import Program
from tests.ptx.execution import launch, launch_cooperatively
from tests.ptx.syntax import parse
from tests.runtime.cuda.mock_gpu import Mock, build_driver

ENTRIES = {
    "probe_empty": (probe_kernels.EMPTY, 0), "probe_early": (probe_kernels.EARLY, 0),
    "probe_store": (probe_kernels.STORE, 2), "probe_barrier": (probe_kernels.BARRIER, 3),
    "probe_chase": (probe_kernels.CHASE, 3),
}  # fmt: skip


class ProbeMock(Mock):
    """Evaluates the probe's kernels; `stores` or not."""

    stores = True

    def _launched(self, name: bytes, *how: Any) -> None:
        symbol = name.decode()
        x, y, _, shared, values = how
        text, count = ENTRIES[symbol]
        program, parameters = Program(parse(text)), [int(v) for v in values[:count]]
        if symbol == "probe_store" and not self.stores:
            return
        if symbol == "probe_barrier":
            report = launch_cooperatively(program, symbol, x, parameters, self.find, shared, x)
        else:
            report = launch(program, symbol, (x, y), parameters, self.find, shared)
        self.errors += [str(problem) for problem in report.problems]


def run_probe(folder: Path, stores: bool) -> tuple[int, list[str], list[str]]:
    """In a process of its own, for the probe leaves what it has to the end of one: the exit code,
    the driver's calls, and what was wrong."""
    driver = ProbeMock(folder)
    driver.stores = stores
    code = probe.main(["--out", str(folder / "probe.json")])
    return code, driver.log(), driver.wrong()


@pytest.fixture
def process() -> Iterator[ProcessPoolExecutor]:
    with (
        mock.patch.dict(os.environ, ACROBAT_LIBCUDA=str(build_driver())),
        ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=be_brief) as pool,
    ):
        yield pool


def be_brief() -> None:
    """Less of everything: as many programs as the mock GPU holds, and few rounds."""
    probe.PROGRAMS, probe.NODES = (2, 3), (1, 16)
    probe._ROUNDS, probe._LINKS = 2, 64


@pytest.mark.slow
def test_a_probe(tmp_path: Path, process: ProcessPoolExecutor) -> None:
    code, log, wrong = process.submit(run_probe, tmp_path, True).result()
    assert (code, wrong) == (0, [])
    found = json.loads((tmp_path / "probe.json").read_text())
    assert found["gpu"] == "Mock GPU" and found["arch"] == 90 and found["processors"] == 3
    assert set(found["constants"]) == {"launch", "early", "host", "trip", "grid_barrier", "issue"}
    assert all(value > 0 for value in found["constants"].values())
    assert set(found["grid_barriers"]) == {"2", "3"}
    constants = constants_of(tmp_path / "probe.json")
    assert constants.measured and constants != Constants()
    # Every variant of the cells of two workloads, over every number of nodes.
    names = {line.split()[1] for line in log if line.startswith("cuLaunchKernel ")}
    timed = {f"{row['kernel']}_r{row['rows']}" for row in found["cells"]}
    assert timed <= names and {row["nodes"] for row in found["cells"]} == {1, 16}
    assert {row["workload"] for row in found["cells"]} == {"treelstm", "birnn"}
    assert any(line.startswith("cuLaunchKernelEx probe_early") for line in log)
    assert any(line.startswith("cuLaunchCooperativeKernel probe_barrier") for line in log)


@pytest.mark.slow
def test_a_value_that_does_not_arrive(tmp_path: Path, process: ProcessPoolExecutor) -> None:
    """A probe that measured how long nothing takes would be worse than none."""
    code, _, wrong = process.submit(run_probe, tmp_path, False).result()
    assert (code, wrong) == (2, [])
    assert not (tmp_path / "probe.json").exists()
