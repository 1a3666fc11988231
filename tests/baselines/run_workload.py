"""Child process of the tests (children.py): a system on one workload, at `tiny` unless it says
another size. Questions are

    SYSTEM[:VARIANT] WORKLOAD[/SIZE] BATCH [BATCH ...]

and the answer is, for every batch: whether all structures are the reference's (they hold the
decisions), the largest absolute error (0 if the system has no outputs), and the breakdown; or the
reason why it cannot run.
"""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any

import numpy as np

import baselines
import workloads
from baselines.api import NotBuilt, Problem, Unsupported
from tests.baselines.children import PYTORCH, answer
from workloads.data.source import find_source
from workloads.results import flatten


def results(given: str, name: str, *batches: str) -> dict[int, dict[str, object]]:
    system_name, _, variant = given.partition(":")
    if system_name in PYTORCH:
        # Which of the matrix kernels is the fastest is not what is asked: each runs a few times
        # instead of thousands. (Other systems' processes do not import PyTorch.)
        vars(importlib.import_module("baselines.shared.gemm"))["_MOST_REPEATS"] = 1
    name, _, size = name.partition("/")
    size = size or "tiny"
    workload, source = workloads.get(name), find_source("generated")
    params = workload.make_params(size, 0, source)
    report: dict[int, dict[str, object]] = {}
    for batch in map(int, batches):
        instances = workload.make_instances(size, batch, 0, source)
        like, variant = workload.implementation, variant or "full"
        problem = Problem(like, size, batch, 0, "cpu", 1, variant, params, instances)
        system = baselines.get(system_name)()
        able = system.supports(problem)
        if isinstance(able, (Unsupported, NotBuilt)):
            report[batch] = {"unsupported": able.reason}
            continue
        system.prepare(problem)
        for _ in range(2):
            system.run()
        row = compare(system.outputs(), workload.reference(params, instances))
        report[batch] = row | {"breakdown": dataclasses.asdict(system.breakdown())}
    return report


def compare(outputs: list[Any], references: list[Any]) -> dict[str, object]:
    """How outputs differ from the reference's; a system without outputs does not."""
    got, want = [flatten(r) for r in outputs], [flatten(r) for r in references]
    pairs = zip(got, want, strict=bool(got))
    errors = [
        float(np.abs(a - b).max())
        for (_, ours), (_, theirs) in pairs
        for a, b in zip(ours, theirs, strict=True)
    ]
    error = max(errors, default=0.0)
    same = [g[0] for g in got] == [w[0] for w in want]
    return {"outputs": len(got), "same_structure": same, "error": error}


if __name__ == "__main__":
    answer(results)
