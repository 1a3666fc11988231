"""Every kernel of every workload at `tiny`, in Triton's interpreter."""

from __future__ import annotations

import dataclasses

import pytest

import acrobat as ab
import workloads
from acrobat.kernels.specification.spec import KernelSpec
from acrobat.pipeline import run_pipeline
from tests.kernels.run_cuda import run
from tests.selection import some
from workloads.data.source import TreeSource


def kernels(name: str) -> list[KernelSpec]:
    """The kernels of a workload that differ in more than their names."""
    workload = workloads.get(name)
    params = workload.make_params("tiny", 0, TreeSource(None))
    plans = run_pipeline(workload.model, params, ab.Options()).plans
    found = {dataclasses.replace(k, name=""): k for p in plans for k in p.kernels}
    return list(found.values())


# Others run whole, as a persistent kernel: tests/runtime/cuda/test_interpreted_persistent.py.
@pytest.mark.slow
@pytest.mark.parametrize("name", some(workloads.NAMES, always=lambda n: n == "mvrnn"))
def test_kernels_of_a_workload(name: str) -> None:
    for spec in kernels(name):
        run(spec, 1)
        run(spec, 5)
