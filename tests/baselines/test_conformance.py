"""Every system in every variant measured by default, on every workload: the plain-Python
reference's results and decisions, or a reason why not; and plausible figures of what it did. (More
batches and variants of DyNet: test_native_dynet.py; schedules of Cortex: test_cortex.py.)"""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Any

import pytest

import baselines
import workloads
from baselines.cortex.recursions import RECURSIONS, SequenceRecursion
from baselines.torch_batched import RECURRENT
from tests.baselines.children import ask, end
from tests.baselines.installed import lacking
from tests.selection import some
from workloads.data.source import find_source

CHILD = Path(__file__).with_name("run_workload.py")
TOLERANCE = 1e-4
CASES = [
    (name, system, variant)
    for system in baselines.names()
    for variant in baselines.variants(system)
    for name in workloads.NAMES
]
CASES += [(name, "torch_batched", "nn") for name in RECURRENT]
CASES += [("treelstm", "dynet", f"wheel-autobatch{strategy}") for strategy in range(4)]
# Every system on one workload, and where one more batch takes no time.
MORE_BATCHES = (1, 2, 7, 64)
QUICK = ("torch_eager", "torch_batched")
# In environments of their own, compiling.
ELSEWHERE = ("jax_vmap", "jax_levels", "tfp")


def usual(name: str, system: str, variant: str) -> bool:
    """What inductor compiles takes half a minute (what it is given to compile, by PyTorch as it is:
    test_other_device.py), g++ of Cortex ten seconds, XLA a few; variants differ in what TreeLSTM
    shows, too."""
    first = variant == [*baselines.variants(system), "nn"][0]
    if system == "torch_compile":
        return False
    if system == "cortex" and name in RECURSIONS:
        return first and name == "treelstm"
    if variant.startswith("wheel"):
        return variant.endswith("1")  # the one that batches as the native build does by default
    return name == "treelstm" or (first and system not in ELSEWHERE) or variant == "nn"


def slow(name: str, system: str, variant: str) -> bool:
    """What takes seconds to compile; `make test` has the other workloads of ours in
    tests/programs/test_workloads_compiled.py."""
    return system in ("cortex", "dgl", "torchfold") or (system == "acrobat" and name != "treelstm")


def may_refuse(system: str, variant: str, name: str) -> bool:
    """What may be unable to run here: what is built by hand, and what needs a shape beforehand."""
    module = sys.modules[baselines.get(system).__module__]
    if name not in getattr(module, "WORKLOADS", workloads.NAMES):  # what it has models of
        return True
    if system == "cortex":
        recursion = RECURSIONS.get(name)
        sequence = isinstance(recursion, SequenceRecursion)
        return recursion is None or variant == ("refactor" if sequence else "project")
    return system == "dynet" and not variant.startswith("wheel")


@functools.cache
def ask_about(name: str, system: str, variant: str) -> dict[str, dict[str, Any]]:
    """The child's report by batch size, as text."""
    compiled = ("torch_compile", *ELSEWHERE)
    more = system not in compiled if name == "treelstm" else system in QUICK
    batches = [str(b) for b in (8, *(MORE_BATCHES if more else ()))]
    if system == "dynet":
        end()  # it is set up once per process
    report: dict[str, dict[str, Any]] = ask(CHILD, f"{system}:{variant}", name, *batches)
    assert list(report) == batches
    return report


@pytest.mark.parametrize(("name", "system", "variant"), some(CASES, always=usual, slow=slow))
def test_results_are_the_references(name: str, system: str, variant: str) -> None:
    if lack := lacking(system):
        pytest.skip(lack)
    for batch, row in ask_about(name, system, variant).items():
        if "unsupported" in row:
            assert row["unsupported"].strip() and may_refuse(system, variant, name), row
            continue
        # The floor is a limit and has no outputs.
        assert row["outputs"] == (0 if system == "floor" else int(batch))
        assert row["same_structure"] == (system != "floor"), batch
        assert row["error"] <= TOLERANCE, batch
        figures = row["breakdown"]
        assert figures["versions"]
        times = {k: value for k, value in figures.items() if k.endswith("_ms")}
        assert all(value is None or 0 <= value < 10_000 for value in times.values()), times
        # Who tells its activities apart knows its kernels'.
        apart = [figures[f"{name}_ms"] for name in ("graph", "schedule", "copy", "kernel")]
        assert figures["kernel_ms"] is None or figures["kernel_ms"] > 0
        assert (figures["kernel_ms"] is None) == all(value is None for value in apart), system


@pytest.mark.parametrize("system", ["torch_batched", "floor"])
def test_number_of_batches_is_the_greatest_height_and_the_leaves(system: str) -> None:
    for batch, row in ask_about("treelstm", system, "full").items():
        trees = find_source("generated").sample(int(batch), 0, 18_000)
        highest = max(t.heights()[-1] for t in trees)
        assert row["breakdown"]["n_batches"] == row["breakdown"]["min_batches"] == highest + 1
        assert row["breakdown"]["n_nodes"] == sum(len(t.left) for t in trees)
