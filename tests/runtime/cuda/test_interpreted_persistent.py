"""The persistent kernel in Triton's interpreter, on the schedules of real mini-batches."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import pytest

pytest.importorskip("triton")
pytest.importorskip("torch")

import workloads
from tests.runtime.cuda.interpreted import agree, process
from tests.selection import some


@pytest.fixture(scope="module")
def interpreter() -> Iterator[ProcessPoolExecutor]:
    with process() as pool:
        yield pool


# Trees, with several programs, are below, the kernels of others by themselves in
# tests/kernels/test_cuda_workloads.py.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "batch"),
    some(
        [("drnn", 1), *((name, 2) for name in workloads.NAMES)],
        always=lambda name, batch: (name, batch) == ("stackrnn", 2),
    ),
)
def test_one_program_runs_all_steps(
    interpreter: ProcessPoolExecutor, name: str, batch: int
) -> None:
    """Grid barriers included: the program counts itself."""
    assert interpreter.submit(agree, name, batch, 1).result() > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["treelstm", "birnn"])
def test_tiles_are_dealt_to_programs(interpreter: ProcessPoolExecutor, name: str) -> None:
    assert interpreter.submit(agree, name, 3, 3).result() == 0


@pytest.mark.slow
def test_operands_are_copied_by_the_persistent_kernel(interpreter: ProcessPoolExecutor) -> None:
    assert interpreter.submit(agree, "treelstm", 3, 2, gather_fusion=False).result() == 0
