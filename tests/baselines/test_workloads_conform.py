"""PyTorch, by instance and batched by hand, on every workload: the reference's results and
decisions. (The other systems: test_systems_conform.py.)"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import workloads

CHILD = Path(__file__).with_name("run_workload.py")
BATCHES = ("1", "2", "7", "64")


@pytest.mark.parametrize("system", ["torch_eager", "torch_batched"])
@pytest.mark.parametrize("name", workloads.NAMES)
def test_results_are_the_references(name: str, system: str) -> None:
    # A process of its own: torch's threads and TVM's disturb each other.
    child = subprocess.run(
        [sys.executable, str(CHILD), system, name, *BATCHES],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert child.returncode == 0, child.stderr
    report = json.loads(child.stdout.splitlines()[-1])
    assert list(report) == list(BATCHES)
    for batch, row in report.items():
        assert row["outputs"] == int(batch)
        assert row["same_structure"], batch
        assert row["error"] <= 1e-4, batch
