"""Child process of the tests (children.py): native DyNet on one workload at `tiny`, in every form
it is written in. Questions are

    VARIANT WORKLOAD BATCH [BATCH ...]

and the answer is a list of what came out per batch and form.
"""

from __future__ import annotations

from typing import Any

import baselines
import workloads
from baselines.api import Problem, Supported
from tests.baselines.children import answer
from tests.baselines.run_workload import compare
from workloads.data.source import TreeSource


def results(variant: str, name: str, *batches: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    workload, source = workloads.get(name), TreeSource(None)
    params = workload.make_params("tiny", 0, source)
    for batch in map(int, batches):
        instances = workload.make_instances("tiny", batch, 0, source)
        problem = Problem(name, "tiny", batch, 0, "cpu", 1, variant, params, instances)
        system = baselines.get("dynet")()
        assert system.supports(problem) == Supported()
        system.prepare(problem)
        references = workload.reference(params, instances)
        for k, form in enumerate(system.system.driver.forms):  # type: ignore[attr-defined]
            system.system.form = k  # type: ignore[attr-defined]
            for _ in range(2):
                system.run()
            found = system.breakdown()
            figures = {name: getattr(found, name) for name in ("n_nodes", "n_batches", "n_syncs")}
            compared = compare(system.outputs(), references)
            rows.append({"batch": batch, "form": form, **compared, **figures})
    return rows


if __name__ == "__main__":
    answer(results)
