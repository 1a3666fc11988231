"""The Cortex-like compiler: every recursion and schedule gives the reference's results."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import acrobat as ab
import workloads
from acrobat.runtime.program import Program
from baselines.cortex.cells import NotExpressible, compile_cell
from baselines.cortex.compiler import NothingToDo, Schedule, compile_recursion
from baselines.cortex.recursions import REASONS, RECURSIONS
from tests.selection import some
from workloads import treelstm
from workloads.data.source import TreeSource
from workloads.results import flatten

SOURCE = TreeSource(None)
SCHEDULES = {
    "full": Schedule(),
    "unroll": Schedule(unroll=2),
    "unroll3": Schedule(unroll=3),
    "refactor": Schedule(refactor=True),
    "both": Schedule(unroll=2, refactor=True),
    "project": Schedule(project=True),
    "project_unroll": Schedule(unroll=2, project=True),
}


def compiled(name: str, schedule: Schedule, threads: int = 2) -> tuple[Program, Any, Any]:
    workload = workloads.get(name)
    params = workload.make_params("tiny", 0, SOURCE)
    program, _ = compile_recursion(RECURSIONS[name], workload.model, params, schedule, threads)
    return program, workload, params


def same(got: Any, want: Any) -> None:
    structure, arrays = flatten(want)
    got_structure, got_arrays = flatten(got)
    assert got_structure == structure
    for a, b in zip(got_arrays, arrays, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-5)


def test_a_workload_is_declared_or_has_a_reason() -> None:
    assert set(RECURSIONS) | set(REASONS) <= set(workloads.NAMES)
    assert not set(RECURSIONS) & set(REASONS)


# g++ takes seconds for each: what no other shows in kind, and test_conformance.py does not compile.
ALWAYS = {
    "treelstm": ("refactor", "project"),
    "mvrnn": ("both", "project"),
    "birnn": ("project", "refactor"),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "schedule"),
    some(
        itertools.product(RECURSIONS, SCHEDULES),
        always=lambda name, schedule: schedule in ALWAYS[name],
    ),
)
def test_results_are_the_references(name: str, schedule: str) -> None:
    if name == "birnn" and SCHEDULES[schedule].refactor:
        with pytest.raises(NothingToDo, match="a step of a sequence has one child"):
            compiled(name, SCHEDULES[schedule])
        return
    if name != "birnn" and SCHEDULES[schedule].project:
        with pytest.raises(NothingToDo, match="the leaves of a tree are a dense batch of their"):
            compiled(name, SCHEDULES[schedule])
        return
    for threads in (1, 2, 3):  # of one program, which is compiled once
        check_results(*compiled(name, SCHEDULES[schedule], threads))


def check_results(program: Program, workload: Any, params: Any) -> None:
    for batch in (1, 2, 7, 64):
        instances = workload.make_instances("tiny", batch, batch, SOURCE)
        results, read_profile = program.run(program.convert(instances))
        profile = read_profile()
        assert profile.n_nodes >= batch and profile.n_kernel_calls >= profile.n_batches > 0
        for got, instance in zip(results, instances, strict=True):
            same(got, workload.model(params, instance))
    assert program.run(program.convert([]))[0] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "schedule",
    some(
        (n for n, s in SCHEDULES.items() if not s.project),
        always=lambda schedule: schedule in ALWAYS["treelstm"],
    ),
)
def test_leaves_alone_and_deep_chains(schedule: str) -> None:
    program, workload, params = compiled("treelstm", SCHEDULES[schedule])
    chain: Any = treelstm.Leaf(3)
    for word in range(20_000):
        leaf = treelstm.Leaf(word % 50)
        chain = treelstm.Node(leaf, chain) if word % 3 else treelstm.Node(chain, leaf)
    instances = [treelstm.Leaf(7), chain, treelstm.Leaf(9)]
    fast = ab.compile(workload.model, params, options=ab.Options(stack_mb=256))
    for got, want in zip(program.run(program.convert(instances))[0], fast(instances), strict=True):
        same(got, want)


@pytest.mark.slow
@pytest.mark.parametrize("schedule", some(["unroll", "project"], always=lambda s: s == "project"))
def test_sequences_without_items(schedule: str) -> None:
    program, workload, params = compiled("birnn", SCHEDULES[schedule])
    instances = [[], [1, 2, 3], [], [4]]
    for got, instance in zip(program.run(program.convert(instances))[0], instances, strict=True):
        same(got, workload.model(params, instance))
    assert program.run(program.convert([[], []]))[0] == [[], []]


@pytest.mark.slow
def test_refactoring_moves_the_products_to_the_children() -> None:
    """A node sends its parent one message, but for the root; there are as many nodes else."""
    instances = workloads.get("treelstm").make_instances("tiny", 16, 0, SOURCE)
    nodes = {}
    for name in ("full", "refactor"):
        program, _, _ = compiled("treelstm", SCHEDULES[name])
        nodes[name] = program.run(program.convert(instances))[1]().n_nodes
    assert nodes["refactor"] == 2 * nodes["full"] - len(instances)


@pytest.mark.exhaustive
def test_projecting_adds_a_batch_per_direction() -> None:
    instances = workloads.get("birnn").make_instances("tiny", 16, 0, SOURCE)
    profiles = []
    for name in ("full", "project"):
        program, _, _ = compiled("birnn", SCHEDULES[name])
        profiles.append(program.run(program.convert(instances))[1]())
    full, projected = profiles
    assert projected.n_batches == full.n_batches + 2
    assert projected.n_nodes == full.n_nodes + 2 * sum(map(len, instances))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "schedule"),
    some(
        [*((n, "full") for n in RECURSIONS), ("birnn", "project")],
        always=lambda name, schedule: schedule in ALWAYS[name],
    ),
)
def test_a_wrong_word_names_the_instance(name: str, schedule: str) -> None:
    program, workload, params = compiled(name, SCHEDULES[schedule])
    good: Any = [1, 2] if name == "birnn" else treelstm.Node(treelstm.Leaf(1), treelstm.Leaf(2))
    bad: Any = [1, 10**7] if name == "birnn" else treelstm.Node(good, treelstm.Leaf(10**7))
    with pytest.raises(ab.InstanceError, match=r"^instances\[1\]: row 10000000 of "):
        program.run(program.convert([good, bad]))
    (after,) = program.run(program.convert([good]))[0]
    same(after, workload.model(params, good))


def test_a_cell_with_control_flow_is_refused() -> None:
    params = workloads.get("treelstm").make_params("tiny", 0, SOURCE)
    with pytest.raises(NotExpressible, match="the cell encode is not one static block"):
        compile_cell(treelstm.encode, params)
