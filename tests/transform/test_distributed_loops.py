"""Calls of a loop that need no earlier iteration become iterations of a map."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.errors import InstanceError
from acrobat.pipeline import run_pipeline
from tests.selection import some
from tests.transform.count_batches import count_batches as batches

pytestmark = pytest.mark.usefixtures("interpreted_kernels")

Load = Callable[[str], ModuleType]

DOCUMENTS = """
@ab.params
class P:
    emb: Tensor["V", "H"]
    w: Tensor["2H", "H"]
    v: Tensor["H", 1]

@ab.model
def sentence(p: P, words: list[int]) -> Tensor["H"]:
    h = ops.zeros(p.emb.shape[1])
    for word in words:
        h = ops.tanh(ops.concat(p.emb[word], h) @ p.w)
    return h

@ab.model
def in_a_loop(p: P, document: list[list[int]]) -> Tensor["H"]:
    h = ops.zeros(p.emb.shape[1])
    for words in document:
        h = ops.tanh(ops.concat(sentence(p, words), h) @ p.w)
    return h

@ab.model
def as_a_map(p: P, document: list[list[int]]) -> Tensor["H"]:
    h = ops.zeros(p.emb.shape[1])
    for x in [sentence(p, words) for words in document]:
        h = ops.tanh(ops.concat(x, h) @ p.w)
    return h

@ab.model
def some_of_them(p: P, document: list[list[int]]) -> Tensor["H"]:
    h = ops.zeros(p.emb.shape[1])
    for at, words in enumerate(document):
        if len(words) > 2:
            x = sentence(p, words)
        else:
            x = p.emb[at]
        h = ops.tanh(ops.concat(x, h) @ p.w)
    return h

@ab.model
def until(p: P, document: list[list[int]]) -> Tensor["H"]:
    h = ops.zeros(p.emb.shape[1])
    for words in document:
        if len(words) == 0:
            break
        h = ops.tanh(ops.concat(sentence(p, words), h) @ p.w)
    return h

@ab.model
def nested_until(p: P, document: list[list[int]]) -> Tensor["H"]:
    h = ops.zeros(p.emb.shape[1])
    for words in document:
        x = sentence(p, words)
        for word in words:
            if word == 3:
                break
            h = ops.tanh(ops.concat(x, h) @ p.w)
    return h

@ab.model
def skipping(p: P, document: list[list[int]]) -> Tensor["H"]:
    h = ops.zeros(p.emb.shape[1])
    for words in document:
        x = sentence(p, words)
        if len(words) == 2:
            continue
        h = ops.tanh(ops.concat(x, h) @ p.w)
    return h

@ab.model
def guarded(p: P, document: list[list[int]]) -> Tensor["H"]:
    h = ops.zeros(p.emb.shape[1])
    for words in document:
        if len(words) == 0:
            continue
        x = sentence(p, words)
        h = ops.tanh(ops.concat(x, p.emb[words[0]]) @ p.w) + h
    return h

@ab.model
def chosen(p: P, document: list[list[int]]) -> Tensor["H"]:
    h = ops.zeros(p.emb.shape[1])
    for words in document:
        if ops.item(sentence(p, words) @ p.v) > 0.0:
            h = ops.tanh(ops.concat(sentence(p, words), h) @ p.w)
    return h

@ab.model
def twice(p: P, document: list[list[int]]) -> Tensor["H"]:
    h = ops.zeros(p.emb.shape[1])
    for words in document:
        x = sentence(p, words)
        if ops.item(x @ p.v) > 0.0:
            y = ops.tanh(ops.concat(x, p.emb[0]) @ p.w)
            if ops.item(y @ p.v) > 0.0:
                h = ops.tanh(ops.concat(y, h) @ p.w)
    return h

@ab.model
def in_part(p: P, document: list[list[int]]) -> list[Tensor["H"]]:
    found: list[Tensor["H"]] = []
    for words in document:
        if len(words) > 3:
            found += [deciding(p, words), p.emb[words[3]]]
        elif len(words) > 0:
            found = [deciding(p, words[1:]), *found]
    return found

@ab.data
class Some:
    words: list[int]

@ab.data
class Nothing:
    pass

@ab.model
def matched(p: P, items: list[Some | Nothing]) -> Tensor["H"]:
    h = ops.zeros(p.emb.shape[1])
    for item in items:
        match item:
            case Some(words):
                h = h + deciding(p, words)
            case Nothing():
                h = ops.tanh(h)
    return h

@ab.model
def deciding(p: P, words: list[int]) -> Tensor["H"]:
    h = p.emb[0]
    for word in words:
        h = ops.tanh(ops.concat(p.emb[word], h) @ p.w)
        if ops.item(h @ p.v) < 0.0:
            return h
    return h

@ab.model
def decisions(p: P, document: list[list[int]]) -> Tensor["H"]:
    h = ops.zeros(p.emb.shape[1])
    for words in document:
        h = ops.tanh(ops.concat(deciding(p, words), h) @ p.w)
    return h
"""


def params(m: ModuleType) -> Any:
    rng = np.random.default_rng(1)
    shapes = {"emb": (9, 6), "w": (12, 6), "v": (6, 1)}
    return m.P(**{n: rng.standard_normal(s).astype(np.float32) for n, s in shapes.items()})


def documents(least: int = 0) -> list[Any]:
    rng = np.random.default_rng(0)
    lengths = [rng.integers(least, 6, n).tolist() for n in (0, 1, 4, 7)]
    return [[rng.integers(0, 9, k).tolist() for k in document] for document in lengths]


@pytest.mark.parametrize(
    ("name", "executor"),
    some(
        itertools.product(["in_a_loop", "some_of_them"], ["aot", "vm"]),
        always=lambda name, executor: executor == "vm" or name == "some_of_them",
    ),
)
def test_sentences_are_read_side_by_side(load_model: Load, executor: str, name: str) -> None:
    m = load_model(DOCUMENTS)
    p = params(m)
    given = documents()
    n, _ = batches(getattr(m, name), p, given, executor=executor)
    if name == "in_a_loop":
        assert n == batches(m.as_a_map, p, given, executor=executor)[0]
    # At most five words and seven sentences.
    assert n <= 5 + 7
    off, _ = batches(getattr(m, name), p, given, executor=executor, inferred_parallelism=False)
    assert off > n


@pytest.mark.parametrize("name", ["nested_until", "skipping"])
def test_what_ends_an_inner_loop_or_an_iteration_is_no_obstacle(
    load_model: Load, name: str
) -> None:
    m = load_model(DOCUMENTS)
    on, _ = batches(getattr(m, name), params(m), documents(), executor="vm")
    off, _ = batches(
        getattr(m, name), params(m), documents(), executor="vm", inferred_parallelism=False
    )
    assert on < 0.7 * off


def test_what_an_iteration_skips_is_not_computed(load_model: Load) -> None:
    """`words[0]` of an empty sentence would be an error."""
    m = load_model(DOCUMENTS)
    batches(m.guarded, params(m), [*documents(), [[], [1], []]], executor="vm")


@pytest.mark.parametrize("name", ["chosen", "twice", "in_part"])
@pytest.mark.parametrize("size", [1, 4])
def test_a_loop_waits_for_all_its_decisions_at_once(load_model: Load, name: str, size: int) -> None:
    """What is chosen by them follows, be it in part of a branch."""
    m = load_model(DOCUMENTS)
    given = [*documents(), [[1, 2]] * 5][-size:]
    p = params(m)
    _, on = batches(getattr(m, name), p, given, executor="vm")
    _, off = batches(getattr(m, name), p, given, executor="vm", inferred_parallelism=False)
    assert on <= {"chosen": 1, "twice": 2, "in_part": 5}[name]
    assert on < off


def test_arms_of_a_match_are_divided(load_model: Load) -> None:
    m = load_model(DOCUMENTS)
    given = [[m.Some(w) if w else m.Nothing() for w in d] for d in documents()]
    _, on = batches(m.matched, params(m), given, executor="vm")
    _, off = batches(m.matched, params(m), given, executor="vm", inferred_parallelism=False)
    # At most as many as a sentence has words.
    assert on <= 5 < off


@pytest.mark.parametrize("executor", some(["aot", "vm"], always=lambda executor: executor == "vm"))
def test_decisions_of_all_turns_are_taken_together(load_model: Load, executor: str) -> None:
    m = load_model(DOCUMENTS)
    p = params(m)
    on = batches(m.decisions, p, documents(), executor=executor)
    off = batches(m.decisions, p, documents(), executor=executor, inferred_parallelism=False)
    assert on[1] <= 5 < off[1]


def test_a_loop_that_may_end_early_is_left_alone(load_model: Load) -> None:
    m = load_model(DOCUMENTS)
    p = params(m)
    done = run_pipeline(m.until, p, ab.Options())
    assert done.text("distribute_loops") == done.text("drop_results")
    batches(m.until, p, documents())


def test_what_is_cheap_is_done_again_and_the_rest_is_passed(load_model: Load) -> None:
    m = load_model(DOCUMENTS)
    done = run_pipeline(m.some_of_them, params(m), ab.Options())
    text = re.sub(r"\.\d+\b", "", done.text("distribute_loops"))
    before, loop = text.rsplit("for i in range", 1)
    # The sentence is not needed any more, nor is its length.
    assert "x = map i in range" in before and "list_get(document, i)" in before
    assert "list_get(x, i)" in loop and "list_get(document, i)" not in loop


def test_a_fault_of_a_turn_is_still_the_instances(load_model: Load) -> None:
    m = load_model(DOCUMENTS)
    fast = ab.compile(m.in_a_loop, params(m))
    with pytest.raises(InstanceError, match=r"^instances\[1\]: row 9 of emb"):
        fast([[[1]], [[1, 2], [9]], [[3]]])
