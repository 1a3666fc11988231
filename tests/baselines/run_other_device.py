"""Child process of the tests (children.py): a PyTorch system on a device that is not the host's.
Questions are

    SYSTEM[:VARIANT] WORKLOAD BATCH

and the answer is the error, and how many tensors a run sent to the device and fetched from it.
"""

from __future__ import annotations

import pytest

import baselines
import workloads
from baselines.api import Problem
from tests.baselines.children import answer
from tests.baselines.other_device import other_device
from tests.baselines.run_workload import compare
from workloads.data.source import TreeSource


def leave_regions() -> None:
    """Regions of `torch_compile` run as they are written: there is nothing to compile them for."""
    from baselines.torch_compile import regions

    regions.region = lambda module: module.eval().forward


def results(given: str, workload_name: str, batch: str) -> dict[str, object]:
    name, _, variant = given.partition(":")
    workload, source = workloads.get(workload_name), TreeSource(None)
    params = workload.make_params("tiny", 0, source)
    instances = workload.make_instances("tiny", int(batch), 0, source)
    problem = Problem(
        workload_name,
        "tiny",
        int(batch),
        0,
        "meta",
        1,
        variant or baselines.variants(name)[0],
        params,
        instances,
    )
    system = baselines.get(name)()
    with pytest.MonkeyPatch.context() as patch, other_device(patch) as mode:
        if name == "torch_compile":
            leave_regions()
        system.prepare(problem)
        system.run()
        mode.sent = mode.fetched = 0
        system.run()
        counts = {"sent": mode.sent, "fetched": mode.fetched}
        outputs = system.outputs()
    reference = workload.reference(params, instances)
    return {**compare(outputs, reference), **counts}


if __name__ == "__main__":
    answer(results)
