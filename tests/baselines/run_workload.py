"""Child process of the tests: a system on one workload at `tiny`; prints one JSON object.

    python run_workload.py SYSTEM[:VARIANT] WORKLOAD BATCH [BATCH ...]

For every batch: whether all structures are the reference's (they hold the decisions), and the
largest absolute error (0 if the system has no outputs); or the reason why it cannot run.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

import baselines
import workloads
from baselines.api import Problem, Unsupported
from workloads.data.source import TreeSource
from workloads.results import flatten


def main() -> None:
    system, name, *batches = sys.argv[1:]
    system_name, _, variant = system.partition(":")
    workload, source = workloads.get(name), TreeSource(None)
    params = workload.make_params("tiny", 0, source)
    report = {}
    for batch in map(int, batches):
        instances = workload.make_instances("tiny", batch, 0, source)
        problem = Problem(name, "tiny", batch, 0, "cpu", 1, variant or "full", params, instances)
        system = baselines.get(system_name)()
        answer = system.supports(problem)
        if isinstance(answer, Unsupported):
            report[batch] = {"unsupported": answer.reason}
            continue
        system.prepare(problem)
        for _ in range(2):
            system.run()
        report[batch] = compare(system.outputs(), workload.reference(params, instances))
    print(json.dumps(report))


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
    main()
