"""Child process of the tests: one system, several mini-batches; prints one JSON object.

    python run_system.py SYSTEM VARIANT SIZE THREADS SOURCE REPEAT BATCH [BATCH ...]

For every batch: the largest absolute error against the workload's plain-Python reference (None if
the system has no outputs), the median time of REPEAT runs, and the breakdown.
"""

from __future__ import annotations

import dataclasses
import json
import statistics
import sys
import time
from typing import Any

import numpy as np

import baselines
import workloads
from baselines.api import Problem, Unsupported
from workloads.data.source import find_source


def main() -> None:
    system_name, variant, size, threads, source_name, repeat, *batches = sys.argv[1:]
    source = find_source(None if source_name == "any" else source_name)
    workload = workloads.get("treelstm")
    params = workload.make_params(size, 0, source)
    report: dict[int, dict[str, Any]] = {}
    for batch in map(int, batches):
        instances = workload.make_instances(size, batch, 0, source)
        problem = Problem(
            "treelstm", size, batch, 0, "cpu", int(threads), variant, params, instances
        )
        system_class = baselines.get(system_name)
        answer = system_class.supports(problem)
        if isinstance(answer, Unsupported):
            report[batch] = {"unsupported": answer.reason}
            continue
        system = system_class()
        system.prepare(problem)
        # More than once: what a run leaves behind must not disturb the next.
        for _ in range(2):
            system.run()
        times = []
        for _ in range(int(repeat)):
            start = time.perf_counter()
            system.run()
            times.append((time.perf_counter() - start) * 1e3)
        outputs = system.outputs()
        error = None
        if outputs:
            reference = workload.reference(params, instances)
            assert [len(o) for o in outputs] == [len(r) for r in reference]
            error = max(
                float(np.abs(got - want).max())
                for out, ref in zip(outputs, reference, strict=True)
                for got, want in zip(out, ref, strict=True)
            )
        breakdown = dataclasses.asdict(system.breakdown())
        report[batch] = {
            "error": error,
            "outputs": len(outputs),
            "median_ms": statistics.median(times) if times else None,
            "min_ms": min(times, default=None),
            "breakdown": breakdown,
        }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
