"""Child process of the tests: native DyNet on one workload at `tiny`, in every form it is written
in; prints one JSON object per batch and form.

    python run_dynet_forms.py VARIANT WORKLOAD BATCH [BATCH ...]
"""

from __future__ import annotations

import json
import sys

from run_workload import compare

import baselines
import workloads
from baselines.api import Problem, Supported
from workloads.data.source import TreeSource


def main() -> None:
    variant, name, *batches = sys.argv[1:]
    workload, source = workloads.get(name), TreeSource(None)
    params = workload.make_params("tiny", 0, source)
    for batch in map(int, batches):
        instances = workload.make_instances("tiny", batch, 0, source)
        problem = Problem(name, "tiny", batch, 0, "cpu", 1, variant, params, instances)
        system = baselines.get("dynet")()
        assert system.supports(problem) == Supported()
        system.prepare(problem)
        references = workload.reference(params, instances)
        for k, form in enumerate(system.system.driver.forms):
            system.system.form = k
            for _ in range(2):
                system.run()
            found = system.breakdown()
            figures = {name: getattr(found, name) for name in ("n_nodes", "n_batches", "n_syncs")}
            answer = compare(system.outputs(), references)
            print(json.dumps({"batch": batch, "form": form, **answer, **figures}))


if __name__ == "__main__":
    main()
