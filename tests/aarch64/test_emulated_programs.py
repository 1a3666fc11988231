"""Programs for AArch64, run by an emulator, against plain Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import workloads
from acrobat import Options
from tests.aarch64.cross import cross_compile, skip_without_tools
from tests.selection import some
from workloads.data.source import TreeSource
from workloads.results import flatten

SOURCE = TreeSource(None)
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
