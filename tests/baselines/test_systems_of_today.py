"""TorchFold, DGL and TensorFlow Probability: what they cannot run, and why; that TorchFold runs on
today's PyTorch, and batches; what is to be installed where one is missing."""

from __future__ import annotations

import importlib.util
import json
import subprocess
from pathlib import Path

import pytest

import baselines
import workloads
from baselines import dgl, needs, tfp, torchfold
from baselines.api import NotBuilt, Problem, Supported, Unsupported
from baselines.needs import Needs
from baselines.tfp.environment import TFP
from tests.baselines.children import ask
from tests.baselines.installed import lacking

CHILD = Path(__file__).with_name("run_workload.py")


def answer(system: str, workload: str, variant: str) -> Supported | Unsupported | NotBuilt:
    problem = Problem(workload, "tiny", 1, 0, "cpu", 1, variant, None, [])
    return baselines.get(system).supports(problem)


def test_what_there_is_a_model_of() -> None:
    assert set(tfp.WORKLOADS) == set(workloads.NAMES)
    decide = {name for name in workloads.NAMES if workloads.get(name).decides}
    assert set(torchfold.WORKLOADS) == set(workloads.NAMES) - decide
    assert set(dgl.WORKLOADS) == {"treelstm", "treelstm_childsum"}


@pytest.mark.parametrize("workload", ["drnn", "berxit", "stackrnn", "beam_search"])
def test_torchfold_cannot_decide(workload: str) -> None:
    assert answer("torchfold", workload, "full") == Unsupported(
        f"torchfold records all of the graph before it computes anything; control flow of "
        f"{workload} depends on tensors"
    )


def test_dgl_has_the_two_of_its_example() -> None:
    assert answer("dgl", "mvrnn", "full") == Unsupported(
        "dgl has no model for the workload 'mvrnn'; it has treelstm, treelstm_childsum"
    )


@pytest.mark.parametrize(("system", "package"), [("torchfold", "torchfold"), ("dgl", "dgl==1.1.3")])
def test_what_is_to_be_installed(
    system: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *_: None if name == system else find(name)
    )
    assert answer(system, "treelstm", "full") == Unsupported(
        f"{system} needs the Python module '{system}', which is not installed; "
        f"pip install {package}"
    )


def test_a_package_of_another_version_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Needs("dgl", "DGL", packages=("dgl==1.1.3",))
    there = {"dgl": "1.1.3"}
    monkeypatch.setattr(needs, "_version", there.get)
    assert line.examine(compiler=True, headers=True) == (True, "dgl 1.1.3")
    there["dgl"] = "2.1.0"
    wanted = "no rows of DGL: dgl==1.1.3 missing; pip install dgl==1.1.3"
    assert line.examine(compiler=True, headers=True) == (False, wanted)
    there.clear()
    assert line.examine(compiler=True, headers=True) == (False, wanted)


@pytest.mark.slow
def test_torchfold_batches() -> None:
    """A batch per depth, of which leaves have the first: the expert's levels."""
    if lack := lacking("torchfold"):
        pytest.skip(lack)
    one, many = ask(CHILD, "torchfold", "treelstm", "1", "8").values()
    expected = ask(CHILD, "torch_batched", "treelstm", "1", "8").values()
    for row, by_levels in zip((one, many), expected, strict=True):
        assert row["breakdown"]["n_batches"] == by_levels["breakdown"]["n_batches"]
    assert many["breakdown"]["n_nodes"] > one["breakdown"]["n_nodes"]


THREADS = """
import json, time
from baselines.tfp import System
from baselines.api import Problem
import workloads
from workloads.data.source import find_source
workload, source = workloads.get("berxit"), find_source("generated")
params, instances = (
    workload.make_params("tiny", 0, source), workload.make_instances("tiny", 64, 0, source)
)
system = System()
system.prepare(Problem("berxit", "tiny", 64, 0, "cpu", 1, "program_counter", params, instances))
wall, cpu = time.perf_counter(), time.process_time()
for _ in range(30):
    system.run()
print(json.dumps((time.process_time() - cpu) / (time.perf_counter() - wall)))
"""


@pytest.mark.slow
def test_tensorflow_keeps_to_its_thread() -> None:
    """CPU time per wall time; a busy machine makes it less, never more."""
    if not TFP.is_there():
        pytest.skip(str(TFP.lack()))
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [str(TFP.python), "-c", THREADS],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(root), "PATH": ""},
        check=True,
    )
    assert json.loads(done.stdout.splitlines()[-1]) <= 1.05
