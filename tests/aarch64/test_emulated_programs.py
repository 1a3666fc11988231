"""Programs for AArch64, run by an emulator, against plain Python. Threads run side by side, but
memory is as ordered as on the machine at hand, which may allow less than AArch64 does."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import workloads
from acrobat import Options
from tests.aarch64.cross import (
    compile_cpp,
    cross_compile,
    emulate,
    skip_without_tools,
    whole_runtime,
)
from tests.selection import some
from workloads.data.source import TreeSource
from workloads.results import flatten

SOURCE = TreeSource(None)
STRESS = Path(__file__).parents[1] / "runtime" / "cpu" / "work_stealing.cc"
# A recursion; decisions that depend on tensors, so fibers; attention.
ALWAYS = ("treelstm", "drnn", "berxit")


def agree(want: list[Any], got: list[Any]) -> None:
    assert len(want) == len(got)
    for a, b in zip(map(flatten, want), map(flatten, got), strict=True):
        assert a[0] == b[0]
        for x, y in zip(a[1], b[1], strict=True):
            np.testing.assert_allclose(y, x, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("name", some(workloads.NAMES, always=lambda n: n in ALWAYS))
def test_a_workload_agrees_with_plain_python(name: str, tmp_path: Path) -> None:
    skip_without_tools()
    workload = workloads.get(name)
    params = workload.make_params("tiny", 0, SOURCE)
    instances = workload.make_instances("tiny", 7, 0, SOURCE)
    program = cross_compile(workload.model, params, Options(threads=2), tmp_path)
    agree(workload.reference(params, instances), program.run(instances))


@pytest.mark.slow
def test_the_library_lacks_nothing_but_python(tmp_path: Path) -> None:
    """All that a program is linked with is compiled, conversion of Python's objects included."""
    skip_without_tools()
    workload = workloads.get("drnn")
    params = workload.make_params("tiny", 0, SOURCE)
    program = cross_compile(workload.model, params, Options(), tmp_path)
    library = tmp_path / "program.so"
    compile_cpp(["-shared", *program.parts, whole_runtime()], library)
    command = ["aarch64-linux-gnu-nm", "-D", "-u", str(library)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    # Those of the C and C++ libraries have a version; weak ones may be absent.
    missing = {n for kind, n in map(str.split, listed.splitlines()) if kind == "U" and "@" not in n}
    assert missing and all(n.startswith(("Py", "_Py")) for n in missing), missing


@pytest.mark.slow
def test_gradients_of_weights(tmp_path: Path) -> None:
    skip_without_tools()
    program = tmp_path / "products"
    compile_cpp([Path(__file__).with_name("products.cc")], program)
    assert float(emulate(program)) < 1e-4


@pytest.mark.slow
def test_work_stealing(tmp_path: Path) -> None:
    skip_without_tools()
    program = tmp_path / "work_stealing"
    compile_cpp([STRESS], program)
    assert emulate(program, arguments=("3", "40", "1")) == b"ok\n"
