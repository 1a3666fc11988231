"""How threads divide the work: each unit once, and the same bits however many there are."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import acrobat as ab
import workloads
from acrobat.aot.build import FLAGS, INCLUDE, find_compiler
from workloads.data.source import TreeSource
from workloads.results import flatten


@pytest.fixture(scope="module", params=["plain", "thread"])
def stress(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of division.cc; also with a sanitizer that tells of races."""
    program = tmp_path_factory.mktemp("division") / request.param
    compiler, _ = find_compiler()
    flags = [*FLAGS, "-Werror", f"-I{INCLUDE}"]
    if request.param != "plain":
        flags += [f"-fsanitize={request.param}", "-g"]
    source = Path(__file__).with_name("division.cc")
    subprocess.run([compiler, *flags, str(source), "-o", str(program)], check=True)
    return program


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_every_unit_is_done_once_and_in_its_section(stress: Path, threads: int) -> None:
    command = [str(stress), str(threads), "400", str(threads)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok\n", "")


@pytest.mark.parametrize("name", workloads.NAMES)
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
