"""Workloads at `tiny`, their results as plain Python, and the comparison."""

from __future__ import annotations

import functools
from typing import Any, Literal

import numpy as np

import acrobat as ab
import workloads
from workloads.data.source import TreeSource
from workloads.results import flatten

GpuMode = Literal["launches", "persistent"]
SOURCE = TreeSource(None)


@functools.cache
def problem(name: str, batch: int) -> tuple[Any, list[Any], list[Any]]:
    """Params, instances and their results."""
    workload = workloads.get(name)
    params = workload.make_params("tiny", 0, SOURCE)
    instances = workload.make_instances("tiny", batch, 0, SOURCE)
    return params, instances, workload.reference(params, instances)


def on_gpu(name: str, options: ab.Options | None = None) -> ab.CompiledModel[Any, Any]:
    """A workload compiled for the GPU."""
    params, _, _ = problem(name, 1)
    return ab.compile(workloads.get(name).model, params, target="cuda", options=options)


def check(want: list[Any], got: list[Any]) -> None:
    """The same structure, and the same numbers to 1e-4."""
    assert len(want) == len(got)
    for a, b in zip(want, got, strict=True):
        (structure, arrays), (got_structure, got_arrays) = flatten(a), flatten(b)
        assert got_structure == structure
        for x, y in zip(arrays, got_arrays, strict=True):
            np.testing.assert_allclose(y, x, atol=1e-4)
