"""How threads divide the work: all of it, each unit once, and the same bits however many there
are."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import acrobat as ab
import workloads
from acrobat.aot.build import INCLUDE
from acrobat.aot.toolchain import FLAGS, find_compiler
from acrobat.kernels.printers.calling_convention import tile_plan
from tests.selection import some
from workloads.data.source import TreeSource
from workloads.results import flatten


def built(name: str, folder: Path, *flags: str) -> Path:
    """The program of `name`.cc, compiled with the run-time's headers."""
    program = folder / name
    compiler, _ = find_compiler()
    source = Path(__file__).with_name(f"{name}.cc")
    strict = ("-Wall", "-Wextra", "-Werror")
    command = [compiler, *FLAGS, *strict, *flags, f"-I{INCLUDE}", str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    return program


@pytest.fixture(scope="module", params=[(), ("-fsanitize=thread", "-g")], ids=["plain", "races"])
def stress(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of work_stealing.cc; also with a sanitizer that tells of races."""
    return built("work_stealing", tmp_path_factory.mktemp("work_stealing"), *request.param)


@pytest.mark.slow
@pytest.mark.parametrize(("threads", "jobs"), [(1, 400), (2, 400), (3, 400), (8, 400), (64, 60)])
def test_every_unit_is_done_once_and_in_its_section(stress: Path, threads: int, jobs: int) -> None:
    command = [str(stress), str(threads), str(jobs), str(threads)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok\n", "")


@pytest.fixture(scope="module")
def partitions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("partitions", tmp_path_factory.mktemp("partitions"))


def test_every_row_of_every_column_block_is_in_one_chunk(partitions: Path) -> None:
    done = subprocess.run([str(partitions)], capture_output=True, text=True, timeout=900)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok\n", "")


def test_rows_are_cut_into_tiles_as_planned(partitions: Path) -> None:
    done = subprocess.run([str(partitions), "plans"], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 4 * 120
    for line in lines:
        kernel, _, plan = line.partition(": ")
        usual, tallest, twelve = map(int, kernel.split())
        rows, *entries = plan.split()
        tiles = (*range(1, tallest + 1), *([12] if twelve else []))
        join = min(4, usual // 2)
        want = [f"{height}*{n}" for height, n in tile_plan(int(rows), tiles, usual, join)]
        got = [tuple(map(int, entry.split("*"))) for entry in entries]
        merged: list[tuple[int, int]] = []
        for height, n in got:  # the run-time asks tile by tile: two of one height are two entries
            if merged and merged[-1][0] == height:
                merged[-1] = (height, merged[-1][1] + n)
            else:
                merged.append((height, n))
        assert [f"{height}*{n}" for height, n in merged] == want, line


@pytest.mark.slow
def test_many_workers_are_no_slower_than_few(tmp_path: Path) -> None:
    """Up to 64, simulated by the cost model: none is without work where there is enough, and none
    hinders the others where there is not."""
    done = subprocess.run([str(built("division", tmp_path))], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert len(done.stdout.splitlines()) == 18


@pytest.mark.slow
def test_an_order_keeps_its_own_rooms(tmp_path: Path) -> None:
    done = subprocess.run([str(built("choice", tmp_path))], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "9 batches, 11 rooms\n")


@pytest.mark.parametrize("threads", [16, 64])
def test_more_threads_than_cores_change_no_bit(threads: int) -> None:
    workload, source = workloads.get("treelstm"), TreeSource(None)
    params = workload.make_params("tiny", 0, source)
    instances = workload.make_instances("tiny", 200, 0, source)
    alone, crowded = (
        ab.compile(workload.model, params, options=ab.Options(threads=n))(instances)
        for n in (1, threads)
    )
    for want, got in zip(alone, crowded, strict=True):
        for x, y in zip(flatten(want)[1], flatten(got)[1], strict=True):
            np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize(
    "name", some(workloads.NAMES, always=lambda name: name in ("treelstm", "drnn", "berxit"))
)
def test_threads_change_no_bit(name: str) -> None:
    workload, source = workloads.get(name), TreeSource(None)
    params = workload.make_params("tiny", 0, source)
    instances = workload.make_instances("tiny", 200, 0, source)
    runs = [
        ab.compile(workload.model, params, options=ab.Options(threads=threads))(instances)
        for threads in (1, 2, 3)
    ]
    alone = [flatten(result) for result in runs[0]]
    for run in runs[1:]:
        for (structure, arrays), result in zip(alone, run, strict=True):
            got_structure, got_arrays = flatten(result)
            assert got_structure == structure
            for want, got in zip(arrays, got_arrays, strict=True):
                np.testing.assert_array_equal(got, want)
