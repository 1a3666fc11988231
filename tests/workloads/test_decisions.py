"""Decisions that come from tensor values: within their bounds, spread as stated."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import workloads
from acrobat import ops
from workloads import berxit, drnn, stackrnn
from workloads.data.source import TreeSource

SOURCE = TreeSource(None)


def run(name: str, size: str, batch: int) -> tuple[list[Any], list[Any]]:
    """Instances and their results."""
    workload = workloads.get(name)
    params = workload.make_params(size, 0, SOURCE)
    instances = workload.make_instances(size, batch, 0, SOURCE)
    return instances, workload.reference(params, instances)


def levels(forest: Any, level: int = 0) -> list[tuple[int, bool]]:
    """Level of every node, and whether it has children."""
    found = []
    while isinstance(forest, drnn.Tree):
        found.append((level, isinstance(forest.child, drnn.Tree)))
        found += levels(forest.child, level + 1)
        forest = forest.sibling
    return found


def families(forest: Any) -> list[int]:
    """How many siblings every group of siblings has."""
    groups, count = [], 0
    while isinstance(forest, drnn.Tree):
        count += 1
        groups += families(forest.child)
        forest = forest.sibling
    return [*groups, count] if count else groups


@pytest.mark.parametrize("size", ["tiny", "small"])
def test_drnn_trees(size: str) -> None:
    _, forests = run("drnn", size, 400)
    nodes = [levels(f) for f in forests]
    assert max(level for tree in nodes for level, _ in tree) == drnn.LEVELS
    assert all(isinstance(f.sibling, drnn.Nothing) for f in forests)
    groups = [n for f in forests for n in families(f.child)]
    assert (min(groups), max(groups)) == (1, drnn.SIBLINGS)
    sizes = np.array([len(tree) for tree in nodes])
    assert sizes.max() <= drnn.POSITIONS == 121
    assert 4 < sizes.mean() < 8
    assert sizes.std() > 3
    assert len(set(sizes.tolist())) > 12
    # "About six nodes in ten have children and five in ten a sibling."
    above = [has for tree in nodes for level, has in tree if level < drnn.LEVELS]
    assert np.mean(above) == pytest.approx(0.6, abs=0.07)
    assert np.mean([n > 1 for n in groups]) == pytest.approx(0.5, abs=0.1)


def test_drnn_trees_depend_on_the_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same thresholds but other weights, other trees."""
    workload = workloads.get("drnn")
    instances = workload.make_instances("tiny", 64, 0, SOURCE)
    shapes = [
        [levels(f) for f in workload.reference(workload.make_params("tiny", s, SOURCE), instances)]
        for s in (0, 1)
    ]
    differ = sum(a != b for a, b in zip(*shapes, strict=True))
    assert differ > 10


@pytest.mark.slow
def test_berxit_exits_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve layers as in `small`, each as narrow as in `tiny`."""
    monkeypatch.setitem(berxit.SIZES, "tiny", {**berxit.SIZES["tiny"], "layers": 12})
    _, found = run("berxit", "tiny", 512)
    exits = np.bincount([layers for _, layers in found], minlength=13)
    assert exits[0] == 0
    assert (exits[1:] > 0).all()
    assert exits.max() < 0.4 * exits.sum()
    # "About one in six stops at the first"; "five to nine of twelve on average".
    assert exits[1] / exits.sum() == pytest.approx(1 / 6, abs=0.05)
    assert 5 < np.mean([layers for _, layers in found]) < 9
    # A batch of 64 has early and late ones.
    assert exits[:4].sum() > 512 / 5
    assert exits[9:].sum() > 512 / 5


def test_stackrnn_parses_are_valid_and_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every action recorded: shifts and reductions in turn leave one phrase."""
    log: list[str] = []
    free: list[int] = []
    shift, reduce, argmax = stackrnn.push, stackrnn.reduce, ops.argmax

    def record_shift(p: Any, stack: Any, phrase: Any) -> Any:
        log.append("s")
        return shift(p, stack, phrase)

    def record_reduce(p: Any, stack: Any) -> Any:
        # Its own push is no shift.
        before = len(log)
        result = reduce(p, stack)
        log[before:] = ["r"]
        return result

    def record_choice(x: np.ndarray) -> int:
        free.append(argmax(x))
        return free[-1]

    # The model's functions look their names up in the module.
    operations = {n: getattr(ops, n) for n in dir(ops) if n[0] != "_"}
    monkeypatch.setattr(stackrnn, "push", record_shift)
    monkeypatch.setattr(stackrnn, "reduce", record_reduce)
    monkeypatch.setattr(stackrnn, "ops", SimpleNamespace(**{**operations, "argmax": record_choice}))
    workload = workloads.get("stackrnn")
    params = workload.make_params("tiny", 0, SOURCE)
    ratios = []
    for words in workload.make_instances("tiny", 64, 0, SOURCE):
        log.clear()
        ((_, deepest),) = workload.reference(params, [words])
        heights = np.cumsum([1 if action == "s" else -1 for action in log])
        assert log.count("s") == len(words)
        assert log.count("r") == len(words) - 1
        assert heights.min() >= 1
        assert heights[-1] == 1
        assert heights.max() == deepest
        ratios.append(deepest / len(words))
    # Neither always shift (ratio 1) nor always reduce (2 phrases at most).
    assert 0.3 < np.mean(free) < 0.7
    assert np.quantile(ratios, 0.1) < 0.3 < 0.5 < np.quantile(ratios, 0.9)
