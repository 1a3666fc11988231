"""All workloads at `tiny`: batches against plain Python, permutations, options one by one."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from typing import Any

import numpy as np
import pytest

import acrobat as ab
import workloads
from acrobat.kernels.printers.cpu.target import machine_target
from tests.selection import some
from workloads.data.source import TreeSource
from workloads.results import flatten

SOURCE = TreeSource(None)
SINGLE = {
    f"{f.name}={choice}": ab.Options(**{f.name: choice})
    for f in dataclasses.fields(ab.Options)
    # The CPU has one; and weights that are rounded compute something else.
    if f.name not in ("precision", "gpu_mode", "weights")
    for choice in f.metadata["choices"]
    if choice != f.default
}


@functools.cache
def problem(name: str, batch: int) -> tuple[Any, list[Any], list[Any]]:
    """Params, instances and their results as plain Python."""
    workload = workloads.get(name)
    params = workload.make_params("tiny", 0, SOURCE)
    instances = workload.make_instances("tiny", batch, 0, SOURCE)
    return params, instances, workload.reference(params, instances)


def check(want: list[Any], got: list[Any]) -> None:
    assert len(want) == len(got)
    for a, b in zip(want, got, strict=True):
        (structure, arrays), (got_structure, got_arrays) = flatten(a), flatten(b)
        assert got_structure == structure
        for x, y in zip(arrays, got_arrays, strict=True):
            np.testing.assert_allclose(y, x, atol=1e-4)


@pytest.mark.parametrize("name", workloads.NAMES)
def test_batches_agree_with_plain_python(name: str) -> None:
    params, _, _ = problem(name, 1)
    fast = ab.compile(workloads.get(name).model, params)
    for batch in (1, 2, 7, 64):
        _, instances, want = problem(name, batch)
        check(want, fast(instances))


@pytest.mark.parametrize("name", workloads.NAMES)
def test_a_batch_is_its_instances_in_any_order_and_alone_to_the_last_bit(name: str) -> None:
    params, instances, _ = problem(name, 7)
    fast = ab.compile(workloads.get(name).model, params)
    together = [flatten(r) for r in fast(instances)]
    order = np.random.default_rng(0).permutation(len(instances))
    shuffled = [flatten(r) for r in fast([instances[i] for i in order])]
    for place, i in enumerate(order):
        (alone,) = fast([instances[i]])
        for other in (shuffled[place], flatten(alone)):
            assert other[0] == together[i][0]
            for a, b in zip(together[i][1], other[1], strict=True):
                np.testing.assert_array_equal(a, b)


def in_turn(option: str, name: str) -> bool:
    """Every option on one workload, all of which get their turn. (TreeLSTM has its own:
    test_treelstm_compiled.py.)"""
    others = [n for n in workloads.NAMES if n != "treelstm"]
    return name == others[list(SINGLE).index(option) % len(others)]


@pytest.mark.slow
@pytest.mark.usefixtures("small_kernels")
@pytest.mark.parametrize(
    ("option", "name"), some(itertools.product(SINGLE, workloads.NAMES), always=in_turn)
)
def test_every_option_by_itself(option: str, name: str) -> None:
    params, instances, want = problem(name, 7)
    check(want, ab.compile(workloads.get(name).model, params, options=SINGLE[option])(instances))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lanes", "name"),
    some(
        itertools.product((8, 4), workloads.NAMES),
        always=lambda lanes, name: (lanes, name) in {(8, "treelstm"), (4, "birnn")},
    ),
)
def test_narrower_vectors(monkeypatch: pytest.MonkeyPatch, lanes: int, name: str) -> None:
    if lanes >= machine_target().lanes:
        pytest.skip(f"this machine has vectors of {machine_target().lanes} floats")
    monkeypatch.setenv("ACROBAT_LANES", str(lanes))
    params, instances, want = problem(name, 7)
    check(want, ab.compile(workloads.get(name).model, params)(instances))


@pytest.mark.slow
@pytest.mark.usefixtures("small_kernels")
@pytest.mark.parametrize("name", workloads.NAMES)
def test_everything_off(name: str) -> None:
    params, instances, want = problem(name, 7)
    model = workloads.get(name).model
    check(want, ab.compile(model, params, options=ab.Options.all_off())(instances))
