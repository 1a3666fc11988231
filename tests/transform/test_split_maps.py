"""Concurrent iterations that decide become two maps, of which the second runs in turn."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.errors import InstanceError
from acrobat.pipeline import run_pipeline
from tests.transform.count_batches import count_batches

pytestmark = pytest.mark.usefixtures("interpreted_kernels")

Load = Callable[[str], ModuleType]

MODELS = """
@ab.data
class Word:
    i: int

@ab.data
class Number:
    x: float

@ab.params
class P:
    emb: Tensor["V", "H"]
    gate: Tensor["H", 3]
    more: Tensor["H", 1]
    w: Tensor["H", "H"]
    u: Tensor["H", "H"]

@ab.model
def at_once(p: P, words: list[int]) -> list[Tensor["H"]]:
    found = []
    for word in words:
        x = p.emb[word]
        k = ops.argmax(x @ p.gate)
        if k == 0:
            y = ops.tanh(x @ p.w)
        elif k == 1:
            y = ops.tanh(x @ p.u)
        else:
            y = x
        found.append(x + y)
    return found

@ab.model
def in_a_branch(p: P, words: list[int]) -> list[Tensor["H"]]:
    return [step(p, word) for word in words]

@ab.model
def step(p: P, word: int) -> Tensor["H"]:
    x = p.emb[word]
    k = ops.argmax(x @ p.gate)
    if k > 0:
        y = ops.tanh(x @ p.w) * k
        if ops.item(y @ p.more) > 0.0:
            z = ops.tanh(y @ p.u)
            return z * ops.item(z @ p.more) + x
        return y
    return x

@ab.model
def of_a_union(p: P, words: list[Word | Number]) -> list[float]:
    return [weigh(p, word) for word in words]

@ab.model
def weigh(p: P, word: Word | Number) -> float:
    match word:
        case Word(i):
            x = p.emb[i]
            k = ops.argmax(x @ p.gate)
            y = ops.tanh(x @ p.w) * (k - 1)
            found = ops.item(y @ p.more) * k
        case Number(number):
            found = number
    return found

@ab.model
def kept(p: P, words: list[int]) -> list[int]:
    return [word for word in words if ops.item(p.emb[word] @ p.more) > 0.0]

@ab.model
def nested(p: P, documents: list[list[int]]) -> list[list[Tensor["H"]]]:
    return [[step(p, word) for word in words] for words in documents]

@ab.model
def computed_before(p: P, words: list[int]) -> list[float]:
    xs = [p.emb[word] @ p.more for word in words]
    total = ops.zeros(1)
    for x in xs:
        total = total + x
    high = ops.item(total)
    return [ops.item(x) * high for x in xs]

@ab.model
def deepen(p: P, x: Tensor["H"], steps: int) -> Tensor["H"]:
    if steps == 0 or ops.item(x @ p.more) > 0.0:
        return x
    return deepen(p, ops.tanh(x @ p.w), steps - 1)

@ab.model
def with_calls(p: P, words: list[int]) -> list[Tensor["H"]]:
    return [deepen(p, p.emb[word], 3) for word in words]
"""

# How many maps there are, and how many of them run in turn.
MAPS = {
    "at_once": (2, 1),
    "in_a_branch": (4, 3),
    "of_a_union": (3, 2),
    "kept": (3, 1),
    "computed_before": (3, 1),
    "with_calls": (1, 0),
}


def weights(module: ModuleType, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    shapes = {"emb": (7, 4), "gate": (4, 3), "more": (4, 1), "w": (4, 4), "u": (4, 4)}
    return module.P(**{k: rng.normal(size=s).astype(np.float32) for k, s in shapes.items()})


def mini_batch(module: ModuleType, name: str) -> list[Any]:
    rng = np.random.default_rng(1)
    lengths = (0, 1, 5, 9, 3, 2)
    if name == "nested":
        return [[[int(w) for w in rng.integers(0, 7, 3)] for _ in range(n)] for n in lengths]
    found: list[Any] = [[int(w) for w in rng.integers(0, 7, n)] for n in lengths]
    if name == "of_a_union":
        return [
            [module.Word(w) if w % 3 else module.Number(w / 4) for w in words] for words in found
        ]
    return found


@pytest.mark.parametrize("name", MAPS)
def test_maps_are_split_where_every_decision_is_in_the_iteration(
    name: str, load_model: Load
) -> None:
    module = load_model(MODELS)
    options = ab.Options(speculation=False)
    text = run_pipeline(getattr(module, name), weights(module), options).text("split_maps")
    assert (len(re.findall(r"= map\b", text)), len(re.findall(r"= map, .*in turn", text))) == MAPS[
        name
    ]


@pytest.mark.parametrize("name", [*MAPS, "nested"])
@pytest.mark.parametrize("speculation", [True, False], ids=["early", "late"])
def test_batches_waits_and_results_are_those_of_fibers(
    name: str, speculation: bool, load_model: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = load_model(MODELS)
    given = getattr(module, name), weights(module), mini_batch(module, name)
    split = count_batches(*given, speculation=speculation)
    monkeypatch.setattr("acrobat.transform.split_maps._split", lambda stmt, _: [stmt])
    fibers = count_batches(*given, speculation=speculation)
    assert split == fibers


def test_nothing_is_split_for_a_gpu_where_all_waiting_fibers_are_served_at_once(
    load_model: Load,
) -> None:
    module = load_model(MODELS)
    done = run_pipeline(module.at_once, weights(module), ab.Options(), target="cuda")
    assert "in turn" not in done.text("split_maps")


@pytest.mark.parametrize("option", ["fibers", "instance_parallelism"])
def test_without_fibers_or_concurrency_there_is_nothing_to_split(
    option: str, load_model: Load
) -> None:
    module = load_model(MODELS)
    done = run_pipeline(module.at_once, weights(module), ab.Options.parse({option: "off"}))
    assert "in turn" not in done.text("batched")


def test_an_error_behind_a_decision_names_its_instance(load_model: Load) -> None:
    module = load_model(
        MODELS
        + """
@ab.model
def beyond(p: P, words: list[int]) -> list[Tensor["H"]]:
    return [p.emb[word + 9 * ops.argmax(p.emb[word] @ p.gate)] for word in words]
"""
    )
    p = weights(module)
    good = [w for w in range(7) if np.argmax(np.asarray(p.emb)[w] @ np.asarray(p.gate)) == 0]
    bad = next(w for w in range(7) if w not in good)
    fast = ab.compile(module.beyond, p)
    with pytest.raises(InstanceError, match=r"^instances\[1\]: row \d+ of emb does not exist"):
        fast([good, [*good, bad, *good], good])
    assert len(fast([good])[0]) == len(good)
