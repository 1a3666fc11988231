"""`fast.explain(instances)` says how far batches are from their bound, why, and what helps."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
import workloads
from acrobat.errors import RecursionLimitError
from tests.natural import NATURALS
from tests.natural.model import Natural
from workloads.data.source import find_source

GOLDEN = Path(__file__).parents[1] / "golden" / "explain"
SHOWN = (
    "n-ary trees",
    "decoder with its cache in lists",
    "beam search",
    "code encoder",
    "mixture of experts in a loop",
    "a decision per iteration",
    "greedy decoding with a fold",
)
# Left to themselves these go by an order that leaves little to say.
DEEP = ("n-ary trees", "decoder with its cache in lists")

pytestmark = pytest.mark.usefixtures("interpreted_kernels")

WEIGHTS = """
@ab.params
class P:
    emb: Tensor["9", "H"]
    score: Tensor["H", "1"]
    w: Tensor["H", "H"]
    v: Tensor["H", "H"]
    w3: Tensor["2", "H", "H"]
"""


def named(name: str) -> Natural:
    return next(n for n in NATURALS if n.name == name)


@pytest.fixture
def explained(load_model: Callable[[str], ModuleType]) -> Callable[..., str]:
    """What is said of a model `f` and instances."""

    def explain(source: str, instances: list[Any], **options: Any) -> str:
        module = load_model(WEIGHTS + source)
        rng = np.random.default_rng(0)
        shapes = {"emb": (9, 4), "score": (4, 1), "w": (4, 4), "v": (4, 4), "w3": (2, 4, 4)}
        weights = module.P(**{n: rng.normal(size=s) for n, s in shapes.items()})
        chosen = ab.Options(executor="vm", **options)
        text: str = ab.compile(module.f, weights, options=chosen).explain(instances)
        return re.sub(r"model_\d+", "model", text)

    return explain


def batches(text: str, place: str) -> int:
    """How many batches `place` has."""
    found = re.search(rf"{re.escape(place)}.*nodes? in (\d+) batch", text)
    assert found, text
    return int(found[1])


@pytest.mark.parametrize("name", SHOWN)
def test_text_of_natural_models(name: str, golden: Callable[[Path, str], None]) -> None:
    natural = named(name)
    scheduler = "inline_depth" if name in DEEP else "auto"
    text = natural.compiled(executor="vm", scheduler=scheduler).explain(natural.mini_batch(8))
    golden(GOLDEN / f"{name.replace(' ', '_')}.txt", text)


def test_the_example_of_the_docs_is_what_is_said() -> None:
    docs = Path(__file__).parents[2] / "docs" / "debugging.md"
    assert f"```text\n{(GOLDEN / 'n-ary_trees.txt').read_text()}```" in docs.read_text()


@pytest.mark.parametrize("name", ["n-ary trees", "beam search"])
@pytest.mark.parametrize("scheduler", ["inline_depth", "lookahead"])
def test_numbers_are_those_of_the_call(name: str, scheduler: str) -> None:
    natural = named(name)
    fast = natural.compiled(executor="vm", scheduler=scheduler)
    inputs = fast.prepare(natural.mini_batch(5))
    fast.run(inputs)
    last, bound = fast.last_profile, fast.count_least_batches(inputs)
    text = fast.explain(natural.mini_batch(5))
    head = f"5 instances, {last.n_nodes} nodes: {last.n_batches} batches, bound {bound} ("
    assert text.startswith(head)
    assert (f"{last.n_syncs} waits for decisions" in text) == (last.n_syncs > 0)
    assert ('ab.Options(scheduler="lookahead")' in text) == (
        scheduler == "inline_depth" and name == "n-ary trees"
    )
    assert fast.last_profile == last


LOOP = """
@ab.model
def f(p: P, words: list[int]) -> Tensor["H"]:
    total = p.emb[0]
    for word in words:
        if ops.item(p.emb[word] @ p.score) > 0.0:
            total = total + ops.tanh(p.emb[word] @ p.w)
    return total @ p.v
"""
TERMS = """
@ab.model
def f(p: P, words: list[int]) -> Tensor["H"]:
    terms = [ops.tanh(p.emb[w] @ p.w) for w in words if ops.item(p.emb[w] @ p.score) > 0.0]
    return (p.emb[0] + sum(terms)) @ p.v
"""
WORDS = [[1, 2, 3, 4, 5, 6, 7, 8], [3, 1, 8, 6, 4], [6, 6, 2, 3, 7, 7, 1, 3, 8, 4, 2, 5]]


def test_a_fold_that_only_adds_is_told_to_sum_a_list(explained: Callable[..., str]) -> None:
    text = explained(LOOP, WORDS)
    assert (
        "an iteration reads total of the one before, only to add to it\n"
        "        helps: the values of all items in a comprehension, and sum() of that list\n"
    ) in text
    better = explained(TERMS, WORDS)
    assert total(better) < total(text) and "only to add" not in better


def total(text: str) -> int:
    found = re.search(r"nodes?: (\d+) batch", text)
    assert found
    return int(found[1])


def test_instances_that_come_after_different_numbers_of_waits(
    golden: Callable[[Path, str], None],
) -> None:
    drnn, source = workloads.get("drnn"), find_source()
    options = ab.Options(executor="vm")
    fast = ab.compile(drnn.model, drnn.make_params("tiny", 0, source), options=options)
    golden(GOLDEN / "drnn.txt", fast.explain(drnn.make_instances("tiny", 8, 0, source)))


BRANCHES = """
@ab.model
def f(p: P, n: int) -> Tensor["H"]:
    x = p.emb[n]
    if n % 2 == 0:
        return ops.tanh(x @ p.w)
    return ops.tanh(x @ p.v)
"""
TABLE = """
@ab.model
def f(p: P, n: int) -> Tensor["H"]:
    return ops.tanh(p.emb[n] @ p.w3[n % 2])
"""


def test_weights_in_branches_are_told_to_be_a_table(explained: Callable[..., str]) -> None:
    text = explained(BRANCHES, [1, 2, 3, 4])
    assert text.splitlines()[-3:] == [
        "    2 blocks do the same with other weights (w, v), and take at least 2 batches where one "
        "block",
        "        would take 1",
        "        helps: one weight of rank 3 instead, of which a number chooses the matrix: p.w[k]",
    ]
    better = explained(TABLE, [1, 2, 3, 4])
    assert (total(text), total(better)) == (2, 1)
    assert better == (
        "4 instances, 4 nodes: 1 batch, bound 1 (1.00)\n\n"
        "f (model.py:14): 4 nodes in 1 batch, the bound\n"
    )


def test_nothing_recorded(explained: Callable[..., str]) -> None:
    same = '@ab.model\ndef f(p: P, x: Tensor["4"]) -> Tensor["4"]:\n    return x\n'
    assert explained(same, [np.zeros(4, np.float32)]) == "1 instance: no node, no batch\n"


def test_instances_nested_deeply() -> None:
    natural = named("n-ary trees")
    fast, shallow = natural.compiled(executor="vm"), natural.compiled(executor="vm", stack_mb=1)
    tree = natural.mini_batch(1)[0]
    for _ in range(3000):
        tree = type(tree)(1, [tree])
    assert re.search(r"^1 instance, 60\d\d nodes: 60\d\d batches", fast.explain([tree]))
    with pytest.raises(RecursionLimitError) as caught:
        shallow.explain([tree])
    assert str(caught.value) == (
        "the model recursed deeper than its stack holds (1 MiB); raise Options.stack_mb, or make "
        "the instances shallower"
    )


def test_instances_are_checked() -> None:
    fast = named("n-ary trees").compiled(executor="vm")
    with pytest.raises(ab.InstanceError, match=r"instances\[0\]: expected Tree, got int"):
        fast.explain([3])


def test_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACROBAT_DISABLE", "1")
    natural = named("n-ary trees")
    assert "nothing is compiled" in natural.compiled().explain(natural.mini_batch(2))
