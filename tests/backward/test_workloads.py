"""The gradients of all workloads, beside the tape's in float64."""

from __future__ import annotations

import pytest

import workloads
from tests.backward.against_tape import VM, check
from workloads.data.source import TreeSource

SOURCE = TreeSource(None)


def check_workload(name: str, batch: int, **options: object) -> None:
    workload = workloads.get(name)
    params = workload.make_params("tiny", 3, SOURCE)
    instances = workload.make_instances("tiny", batch, 3, SOURCE)
    check(workload.model, params, instances, **options)


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("name", workloads.NAMES)
def test_interpreted(name: str) -> None:
    check_workload(name, 3, **VM)


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(
    ("name", "off"),
    [
        ("treelstm", {"kernel_fusion": False, "horizontal_fusion": False}),
        ("treelstm", {"grain_size_coarsening": False}),
        ("birnn", {"hoisting": False, "deduplication": False}),
        ("birnn", {"parameter_reuse": "off"}),
        ("drnn", {"fibers": False, "speculation": False}),
        ("drnn", {"instance_parallelism": False, "inferred_parallelism": False}),
        ("nestedrnn", {"program_phases": False, "ghost_ops": False}),
        ("stackrnn", {"scheduler": "agenda"}),
        ("treelstm_childsum", {"scheduler": "lookahead", "memoisation": False}),
    ],
)
def test_options_off(name: str, off: dict[str, object]) -> None:
    check_workload(name, 2, **VM, **off)
