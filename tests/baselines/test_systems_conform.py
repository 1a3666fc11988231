"""TreeLSTM: results and figures of every system, each in a process of its own. (All workloads:
test_conformance.py.)

One process per system: TVM's, DyNet's and torch's threads disturb each other, and DyNet is
configured once per process.
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import baselines

BATCHES = (1, 2, 7, 64)
CHILD = Path(__file__).with_name("run_system.py")
TOLERANCE = 1e-4
# torch_compile: test_torch_compile.py, for its compilation takes long.
NAMES = [n for n in baselines.names() if n not in ("dynet", "torch_compile")]
# A tree has no inputs to project.
CASES = [(n, v) for n in NAMES for v in baselines.variants(n) if (n, v) != ("cortex", "project")]
CASES += [("dynet", f"wheel-autobatch{strategy}") for strategy in range(4)]


@functools.cache
def run(system: str, variant: str) -> dict[str, Any]:
    """The child's report by batch size, as text."""
    command = [sys.executable, str(CHILD), system, variant, "tiny", "1", "generated", "0"]
    child = subprocess.run(
        [*command, *map(str, BATCHES)], capture_output=True, text=True, timeout=1800
    )
    assert child.returncode == 0, child.stderr
    report: dict[str, Any] = json.loads(child.stdout.splitlines()[-1])
    return report


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize(("system", "variant"), CASES)
def test_outputs_are_the_references(system: str, variant: str, batch: int) -> None:
    row = run(system, variant)[str(batch)]
    assert "unsupported" not in row, row
    if system == "floor":
        assert row["outputs"] == 0
    else:
        assert row["outputs"] == batch
        assert row["error"] <= TOLERANCE


@pytest.mark.parametrize(("system", "variant"), CASES)
def test_breakdown_is_plausible(system: str, variant: str) -> None:
    figures = run(system, variant)["64"]["breakdown"]
    assert figures["versions"]
    times = {name: value for name, value in figures.items() if name.endswith("_ms")}
    assert all(value is None or 0 <= value < 10_000 for value in times.values()), times
    if system != "torch_eager":
        assert figures["kernel_ms"] > 0


@pytest.mark.parametrize("system", ["torch_batched", "floor"])
def test_number_of_batches_is_the_greatest_height_and_the_leaves(system: str) -> None:
    from workloads.data.source import find_source

    for batch, row in run(system, "full").items():
        trees = find_source("generated").sample(int(batch), 0, 18_000)
        highest = max(t.heights()[-1] for t in trees)
        assert row["breakdown"]["n_batches"] == row["breakdown"]["min_batches"] == highest + 1
        assert row["breakdown"]["n_nodes"] == sum(len(t.left) for t in trees)
