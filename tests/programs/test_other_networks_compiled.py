"""Networks beyond the paper's, compiled: batches against plain Python, interpreted and ahead of
time."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import numpy as np
import pytest

import acrobat as ab
import workloads
from tests.selection import some
from workloads.api import DIVERGENCE, OTHER
from workloads.data.source import TreeSource
from workloads.results import flatten

SOURCE = TreeSource(None)
NAMES = workloads.of_study(OTHER)


@functools.cache
def problem(name: str, size: str, batch: int) -> tuple[Any, list[Any], list[Any]]:
    """Weights, instances, and their results as plain Python."""
    workload = workloads.get(name)
    params = workload.make_params(size, 0, SOURCE)
    instances = workload.make_instances(size, batch, 0, SOURCE)
    return params, instances, workload.reference(params, instances)


def check(name: str, size: str, batch: int, options: ab.Options) -> ab.CompiledModel[Any, Any]:
    params, instances, want = problem(name, size, batch)
    fast = ab.compile(workloads.get(name).model, params, target="cpu", options=options)
    for a, b in zip(want, fast(instances), strict=True):
        (structure, arrays), (got_structure, got_arrays) = flatten(a), flatten(b)
        assert got_structure == structure
        for x, y in zip(arrays, got_arrays, strict=True):
            np.testing.assert_allclose(y, x, atol=1e-4)
    return fast


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("name", NAMES)
def test_interpreted_batches_agree_with_plain_python(name: str) -> None:
    fast = check(name, "tiny", 5, ab.Options(executor="vm"))
    nodes, batches = fast.last_profile.n_nodes, fast.last_profile.n_batches
    assert nodes > 1.5 * batches


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("name", workloads.of_study(DIVERGENCE))
def test_the_more_instances_differ_the_less_they_batch(name: str) -> None:
    counts = []
    for knob in (0, 100):
        fast = check(name, f"tiny_d{knob}", 8, ab.Options(executor="vm"))
        counts.append(fast.last_profile.n_nodes / fast.last_profile.n_batches)
    assert counts[0] > counts[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", some(NAMES, always=lambda name: name == "treegru"))
@pytest.mark.parametrize("batch", [1, 7, 64])
def test_compiled_batches_agree_with_plain_python(name: str, batch: int) -> None:
    check(name, "tiny", batch, ab.Options())


@pytest.mark.exhaustive
@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("name", NAMES)
def test_everything_off(name: str) -> None:
    off = dataclasses.replace(ab.Options.all_off(), executor="vm")
    check(name, "tiny", 3, off)
