"""What `torch_compile` promises: it compiles before it is timed, and other mini-batches of the same
model need no compilation. (Its results: test_conformance.py.)"""

from __future__ import annotations

import subprocess
import sys

import pytest

import baselines
from baselines.api import Problem, Unsupported
from tests.selection import some

# One process for both: DRNN has the cheapest regions with rows, waves and decisions. Whether there
# is something to compile does not depend on what compiles, but inductor takes a minute for it.
CODE = """
import functools, sys, torch
if sys.argv[1] != "inductor":
    torch.compile = functools.partial(torch.compile, backend=sys.argv[1])
import baselines, workloads
from baselines.api import Problem
from baselines.torch_batched.drnn import flatten
from workloads.data.source import TreeSource

source, workload = TreeSource(None), workloads.get("drnn")
params = workload.make_params("tiny", 0, source)

def problem(batch, seed):
    instances = workload.make_instances("tiny", batch, seed, source)
    return Problem("drnn", "tiny", batch, seed, "cpu", 1, "unfrozen", params, instances)

system = baselines.get("torch_compile")()
system.prepare(problem(64, 0))
assert system.breakdown().compile_s > 0
from baselines.torch_compile import regions
first = regions.compilations()
torch.compiler.set_stance("default")
for batch, seed in ((64, 1), (8, 2), (33, 3), (2, 4), (1, 5), (5, 6)):
    system.net.tokens, system.net.thresholds = flatten(problem(batch, seed).instances)
    system.run()
last = regions.compilations()
# A wave for one row and for more; what is passed on (one graph for both cells: weights are
# arguments) also to one row of many.
assert 2 <= first <= last <= 5, (first, last)

timed = baselines.get("torch_compile")()
timed.prepare(problem(8, 0))
prepared = regions.compilations()
for _ in range(3):
    timed.run()
assert regions.compilations() == prepared
"""


@pytest.mark.slow
@pytest.mark.parametrize("backend", some(["eager", "inductor"], always=lambda b: b == "eager"))
def test_nothing_is_compiled_for_another_mini_batch_or_in_a_timed_run(backend: str) -> None:
    child = subprocess.run(
        [sys.executable, "-c", CODE, backend], capture_output=True, text=True, timeout=1800
    )
    assert child.returncode == 0, child.stderr


def test_a_missing_compiler_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CXX", raising=False)
    problem = Problem("treelstm", "tiny", 1, 0, "cpu", 1, "unfrozen", None, [])
    assert baselines.get("torch_compile").supports(problem) == Unsupported(
        "torch_compile needs a C++ compiler: g++ was not found"
    )
