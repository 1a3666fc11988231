"""Every system in every variant measured by default, on every workload: the plain-Python
reference's results and decisions, or a reason why not. (More batches and variants of DyNet:
test_native_dynet.py; of TreeLSTM: test_systems_conform.py.)"""

from __future__ import annotations

from pathlib import Path

import pytest
from children import ask, end

import baselines
import workloads
from baselines import torch_batched, torch_compile, torch_eager
from baselines.cortex.recursions import RECURSIONS, SequenceRecursion
from baselines.torch_batched import RECURRENT

CHILD = Path(__file__).with_name("run_workload.py")
TOLERANCE = 1e-4
CASES = [
    (name, system, variant)
    for system in baselines.names()
    for variant in baselines.variants(system)
    for name in workloads.NAMES
]
CASES += [(name, "torch_batched", "nn") for name in RECURRENT]
# What these systems have models of.
IMPLEMENTED = {
    "torch_eager": torch_eager.WORKLOADS,
    "torch_batched": torch_batched.WORKLOADS,
    "torch_compile": torch_compile.WORKLOADS,
    "floor": torch_batched.WORKLOADS,
}
# Where one more batch takes no time.
MORE = {"torch_eager": (1, 2, 7, 64), "torch_batched": (1, 2, 7, 64)}


def may_refuse(system: str, variant: str, name: str) -> bool:
    """What may be unable to run here: what is built by hand, and what needs a shape beforehand."""
    if name not in IMPLEMENTED.get(system, workloads.NAMES):
        return True
    if system == "cortex":
        recursion = RECURSIONS.get(name)
        sequence = isinstance(recursion, SequenceRecursion)
        return recursion is None or variant == ("refactor" if sequence else "project")
    return system == "dynet"


@pytest.mark.parametrize(("name", "system", "variant"), CASES)
def test_results_are_the_references(name: str, system: str, variant: str) -> None:
    batches = [str(b) for b in (8, *MORE.get(system, ()))]
    if system == "dynet":
        end()  # it is set up once per process
    report = ask(CHILD, f"{system}:{variant}", name, *batches)
    assert list(report) == batches
    for batch, row in report.items():
        if "unsupported" in row:
            assert row["unsupported"].strip() and may_refuse(system, variant, name), row
            continue
        # The floor is a limit and has no outputs.
        assert row["outputs"] == (0 if system == "floor" else int(batch))
        assert row["same_structure"] == (system != "floor"), batch
        assert row["error"] <= TOLERANCE, batch
