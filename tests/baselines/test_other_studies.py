"""Networks beyond the paper's, and workloads that share another's model: every system that has them
gives what plain Python gives."""

from __future__ import annotations

from pathlib import Path

import pytest

import baselines
import workloads
from baselines.api import Unsupported
from harness.worker import Worker, make_problem
from tests.baselines.children import ask, end
from tests.selection import some
from workloads.api import DIVERGENCE, OTHER

CHILD = Path(__file__).with_name("run_workload.py")
TOLERANCE = 1e-4


def may_refuse(name: str, system: str) -> bool:
    """DyNet may not be built here; where nothing is decided or ends there is no such variant."""
    return system.startswith("dynet") or (system.endswith("maximum") and "exits" not in name)


# By system, for each starts a process: (system, workload or workload/size).
SHARING = [f"{n}/tiny_d{knob}" for n in workloads.of_study(DIVERGENCE) for knob in (0, 50, 100)]
CASES = [("torch_eager", name) for name in workloads.of_study(OTHER)]
CASES += [("torch_batched:full", name) for name in (*workloads.of_study(OTHER), *SHARING)]
CASES += [("torch_batched:maximum", name) for name in ("trm", "berxit", *SHARING)]
CASES += [("floor", name) for name in workloads.of_study(OTHER)]
CASES += [("jax_vmap", name) for name in SHARING]
CASES += [("dynet:autobatch1-lockstep", name) for name in SHARING]


def usual(system: str, name: str) -> bool:
    """Those that take no time beside others."""
    return system.startswith("torch") and ("/" not in name or name.endswith("d50"))


@pytest.mark.slow
@pytest.mark.parametrize(("system", "name"), some(CASES, always=usual))
def test_results_are_the_references(system: str, name: str) -> None:
    environment = baselines.record(system.partition(":")[0]).environment
    if environment is not None and not environment.is_there():
        pytest.skip(str(environment.lack()))
    if system.startswith("dynet"):
        end()  # it is set up once per process
    batches = ("1", "8", "33") if system == "torch_batched:full" else ("8",)
    for batch, row in ask(CHILD, system, name, *batches).items():
        if "unsupported" in row:
            assert may_refuse(name, system), row
            continue
        # The floor is a limit and has no outputs.
        assert row["outputs"] == (0 if system == "floor" else int(batch))
        assert row["same_structure"] is (system != "floor")
        assert row["error"] <= TOLERANCE


def test_workers_know_the_model_by_the_name_of_what_it_shares() -> None:
    request = {"workload": "divergent_exits", "size": "tiny_d25", "batch": 3, "seed": 0}
    request |= {"device": "cpu", "threads": 1, "sst_dir": "generated"}
    problem, _ = make_problem(request, "full")
    assert (problem.workload, problem.size, len(problem.instances)) == ("berxit", "tiny_d25", 3)
    asked = request | {"command": "supports", "system": "torch_batched", "variant": "maximum"}
    assert Worker().answer(asked) == {"status": "", "reason": ""}
    asked["workload"] = "divergent_shapes"
    assert Worker().answer(asked) == {
        "status": "unsupported",
        "reason": "torch_batched has no variant 'maximum' of treelstm: its instances do not repeat "
        "a step until they end",
    }


def test_systems_without_a_network_say_so() -> None:
    request = {"workload": "spinn", "size": "tiny", "batch": 3, "seed": 0}
    request |= {"device": "cpu", "threads": 1, "sst_dir": "generated"}
    for system in ("dynet", "cortex", "jax_vmap", "torch_compile"):
        variant = baselines.variants(system)[0]
        problem, _ = make_problem(request, variant)
        answer = baselines.get(system).supports(problem)
        assert isinstance(answer, Unsupported)
        assert answer.reason.startswith(f"{system} has no model for the workload 'spinn'; it has ")
