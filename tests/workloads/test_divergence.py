"""Workloads with a knob: at 0 all instances are of one shape, at 100 they are independent, and the
work to be expected stays what it is."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import workloads
from workloads.api import DIVERGENCE
from workloads.berxit import Sequence
from workloads.data.source import TreeSource
from workloads.divergent.decisions import count_nodes
from workloads.divergent.knob import KNOBS, Choices, base
from workloads.treelstm import Leaf

SOURCE = TreeSource(None)
NAMES = workloads.of_study(DIVERGENCE)


def instances(name: str, divergence: int, batch: int) -> list[Any]:
    made = workloads.get(name).make_instances(f"tiny_d{divergence}", batch, 0, SOURCE)
    assert len(made) == batch
    return made


def tree(t: Any) -> Any:
    return "." if isinstance(t, Leaf) else (tree(t.left), tree(t.right))


def leaves(t: Any) -> int:
    return 1 if isinstance(t, Leaf) else leaves(t.left) + leaves(t.right)


def decisions(seed: Any) -> np.ndarray:
    return np.array([seed.child, seed.sibling]) < 0


def exit_layer(sequence: Sequence) -> int:
    return 1 + sequence.thresholds.index(-1.0)


# The shape of an instance, and its work.
SHAPE: dict[str, Callable[[Any], Any]] = {
    "divergent_shapes": tree,
    "divergent_decisions": lambda seed: decisions(seed).ravel(),
    "divergent_exits": exit_layer,
}
WORK: dict[str, Callable[[Any], float]] = {
    "divergent_shapes": leaves,
    "divergent_decisions": lambda seed: count_nodes(decisions(seed)),
    "divergent_exits": exit_layer,
}


def entropy(shapes: list[Any]) -> float:
    """In bits; of arrays of decisions that of one decision, on average."""
    if isinstance(shapes[0], np.ndarray):
        return float(np.mean([entropy(column) for column in np.stack(shapes, 1).tolist()]))
    shares = [n / len(shapes) for n in Counter(shapes).values()]
    return -sum(p * math.log2(p) for p in shares)


def test_every_workload_has_every_knob() -> None:
    assert set(NAMES) == set(SHAPE)
    for name in NAMES:
        workload = workloads.get(name)
        shared = workloads.get(workload.shares)
        assert workload.implementation == shared.name
        assert workload.model is shared.model
        dims = {size: workload.dims(size)["divergence"] for size in workload.sizes}
        assert [dims[f"small_d{knob}"] for knob in KNOBS] == list(KNOBS) == [0, 10, 25, 50, 100]
        assert {base(size) for size in dims} == {"tiny", "small"}


@pytest.mark.parametrize("name", NAMES)
def test_shapes_differ_more_and_more(name: str) -> None:
    found = [entropy([SHAPE[name](i) for i in instances(name, knob, 64)]) for knob in KNOBS]
    assert found[0] == 0
    # 64 shapes have 6 bits at most.
    assert all(b > a or b > 5.9 for a, b in itertools.pairwise(found))
    assert found[-1] > {"divergent_decisions": 0.85}.get(name, 2.5)


@pytest.mark.parametrize("name", NAMES)
def test_the_work_is_the_same_at_every_knob(name: str) -> None:
    count = 50 if name == "divergent_shapes" else 150
    means = [np.mean([WORK[name](i) for i in instances(name, knob, count)]) for knob in KNOBS]
    assert max(means) < 1.25 * min(means), means


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_instances(name: str) -> None:
    def shapes(seed: int) -> str:
        made = workloads.get(name).make_instances("tiny_d50", 16, seed, SOURCE)
        return repr([SHAPE[name](i) for i in made])

    assert shapes(0) == shapes(0) != shapes(1)


def test_decisions_are_those_that_were_drawn() -> None:
    workload = workloads.get("divergent_decisions")
    params = workload.make_params("tiny_d100", 0, SOURCE)
    seeds = instances("divergent_decisions", 100, 32)

    def nodes(forest: Any) -> int:
        if not hasattr(forest, "label"):
            return 0
        return 1 + nodes(forest.child) + nodes(forest.sibling)

    counts = [nodes(f) for f in workload.reference(params, seeds)]
    assert counts == [count_nodes(decisions(seed)) for seed in seeds]
    assert len(set(counts)) > 5


def test_exits_are_those_that_were_drawn() -> None:
    workload = workloads.get("divergent_exits")
    params = workload.make_params("tiny_d100", 0, SOURCE)
    sequences = instances("divergent_exits", 100, 32)
    found = [layers for _, layers in workload.reference(params, sequences)]
    assert found == [exit_layer(s) for s in sequences]
    assert set(found) == set(range(1, workload.dims("tiny_d100")["layers"] + 1))


def test_a_common_choice_depends_on_its_place_alone() -> None:
    def draw(rng: np.random.Generator) -> float:
        return float(rng.random())

    common = Choices(0, 5, 6)
    first = [common.draw(draw, place) for place in (1, 2, 1, 2)]
    assert first[:2] == first[2:]
    assert first[0] != first[1]
    assert Choices(0, 5, 7).draw(draw, 1) != first[0]
    own = Choices(100, 5, 6)
    assert len({own.draw(draw, 1) for _ in range(4)}) == 4
