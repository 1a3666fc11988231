"""Child process of the tests (children.py): a system's training step at `tiny`. Questions are

    SYSTEM[:VARIANT[:OPTIMISER]] WORKLOAD BATCH [BATCH ...]

and the answer is, for every batch: the largest relative difference from the reference by name, and
the breakdown; or the reason why it cannot train. The rate is so large that an update of the wrong
size is seen in the weights.
"""

from __future__ import annotations

import dataclasses
import importlib
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

import baselines
from baselines.api import NotBuilt, Problem, Training, Unsupported
from harness.step_reference import reference_step
from tests.baselines.children import PYTORCH, answer
from workloads import losses
from workloads.data.source import TreeSource

RATE = 2.0


def kernels_for(system: str, variant: str, name: str) -> AbstractContextManager[None]:
    """All heights of row tiles, which take long to compile, in whole steps of one workload."""
    if system != "acrobat" or (variant, name) == ("full", "treelstm"):
        return nullcontext()
    from tests.few_tiles import few_tiles  # other systems' interpreters may lack what it needs

    return few_tiles()


def results(given: str, name: str, *batches: str) -> dict[int, dict[str, object]]:
    system_name, variant, optimiser, *_ = [*given.split(":"), "", ""]
    if system_name in PYTORCH:
        vars(importlib.import_module("baselines.shared.gemm"))["_MOST_REPEATS"] = 1
    source, loss = TreeSource(None), losses.get(name)
    params = loss.make_params("tiny", 0, source)
    report: dict[int, dict[str, object]] = {}
    for batch in map(int, batches):
        instances = loss.make_instances("tiny", batch, 0, source)
        training = Training(RATE, optimiser or "sgd")
        problem = Problem(
            name, "tiny", batch, 0, "cpu", 1, variant or "full", params, instances, training
        )
        able = baselines.supports(system_name, problem)
        if isinstance(able, (Unsupported, NotBuilt)):
            report[batch] = {"unsupported": able.reason}
            continue
        trainer = baselines.trainer(system_name)
        assert trainer is not None
        system = trainer()
        with kernels_for(system_name, variant, name):
            system.prepare(problem)
        for _ in range(2):  # The step that is compared begins with the first weights again.
            system.run()
        outputs: list[Any] = list(system.outputs())
        got, want = dict(outputs), dict(reference_step(problem))
        errors = {
            what: float(np.abs(array - want[what]).max() / (np.abs(want[what]).max() or 1.0))
            for what, array in got.items()
        }
        breakdown = dataclasses.asdict(system.breakdown())
        report[batch] = {"names": list(want), "errors": errors, "breakdown": breakdown}
    return report


if __name__ == "__main__":
    answer(results)
