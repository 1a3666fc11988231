"""Every construct of the language: compiled, interpreted and as plain Python, the same result."""

from __future__ import annotations

import itertools
from typing import Any, Optional

import numpy as np
import pytest

import acrobat as ab
from acrobat import Tensor, ops
from tests.selection import some
from workloads.results import flatten

# Compiled kernels are those of the other executor.
pytestmark = pytest.mark.usefixtures("interpreted_kernels")


@ab.data
class Item:
    word: int
    weight: float


@ab.data
class Bag:
    items: list[Item]
    next: Optional["Bag"]  # noqa: UP045
    x: Tensor["H"]


@ab.params
class P:
    emb: Tensor["V", "H"]
    w: Tensor["H", "H"]
    b: Tensor["H"]
    pair: Tensor["H", 2]


@ab.model
def cell(p: P, h: Tensor["H"], word: int) -> Tensor["H"]:
    return ops.tanh(h @ p.w + p.emb[word])


@ab.model
def loops(p: P, bag: Bag) -> tuple[list[Tensor["H"]], int, float]:
    h = p.b
    states: list[Tensor["H"]] = []
    count = 0
    total = 0.0
    for i, item in enumerate(bag.items):
        if item.word == 3:
            continue
        h = cell(p, h, item.word) * item.weight
        if i > 4 and count > 3:
            break
        states.append(h)
        count += 1
        total += item.weight
    for k in range(10, 0, -4):
        count -= k
    while count < 0:
        count += 3
        if count == -2:
            return states, count, total
    return [*states[::-1], p.b], count, total


@ab.model
def comprehensions(p: P, bag: Bag) -> tuple[list[Tensor["H"]], list[tuple[int, Tensor["H"]]]]:
    long = [cell(p, bag.x, item.word) for item in bag.items if item.weight > 0.5]
    pairs = [(i, a + b) for i, (a, b) in enumerate(zip(long, reversed(long), strict=False))]
    return [h * float(i) for i, h in pairs], pairs[1:]


@ab.model
def optional(p: P, bag: Optional[Bag]) -> tuple[Tensor["H"], int]:  # noqa: UP045
    if bag is None:
        return p.b, 0
    inner, depth = optional(p, bag.next)
    match bag.next:
        case None:
            h = bag.x
        case Bag(items, _, x):
            h = x + inner if len(items) > 2 and items[-1].word >= 0 else x
    return h, depth + 1


@ab.model
def find(p: P, h: Tensor["H"], words: list[int], limit: float) -> tuple[Tensor["H"], int]:
    for n, word in enumerate(words):
        h = cell(p, h, word)
        if ops.item(ops.max(h)) > limit:
            return h, n
    return h, -1


@ab.model
def decisions(p: P, bag: Bag) -> tuple[Tensor["H"], list[int], int]:
    words = [item.word for item in bag.items]
    one, two = ab.parallel(find(p, bag.x, words, 0.9), find(p, p.b, words[::-1], 0.8))
    chosen = [ops.argmax(cell(p, bag.x, w)) for w in words]
    iterations = 0
    h = one[0] + two[0]
    while ops.item(ops.sum(ops.abs(h))) > 1.0 and iterations < 7:
        h = h * 0.7
        iterations += 1
    if ops.argmax(h @ p.pair) == 1:
        h = ops.where(ops.greater(h, 0.0), h, p.b)
    ab.phase()
    return ops.tanh(h), chosen, one[1] * 100 + two[1]


@ab.model
def matrices(p: P, bag: Bag) -> tuple[Tensor["H"], Tensor["H", "H"], Tensor[()]]:
    m = ops.outer(bag.x, p.b) + p.w
    for item in bag.items:
        m = ops.softmax(m @ ops.transpose(m)) if item.word % 2 == 0 else m * item.weight
    row = m[1] + m[len(bag.items) % 3]
    return row @ m + p.w @ row, ops.concat(m[0:2], m[2 : m.shape[0]], axis=0), ops.mean(m)


@ab.model
def weights_and_numbers(p: P, bag: Bag) -> tuple[Tensor["H"], list[Tensor["H"]]]:
    """What is computed from weights and the number of an iteration differs between iterations."""
    h = p.b
    for i in range(3):
        h = ops.tanh(p.b * i)
    return h, [ops.tanh(p.b * i) for i, _ in enumerate(bag.items)]


MODELS = (loops, comprehensions, optional, decisions, matrices, weights_and_numbers)
OPTIONS = {
    "full": ab.Options(),
    "all off": ab.Options.all_off(),
    "vm": ab.Options(executor="vm"),
    "vm, all off": ab.Options.all_off(executor="vm"),
    "agenda": ab.Options(scheduler="agenda"),
    "lookahead": ab.Options(scheduler="lookahead"),
    "no fibers": ab.Options(fibers=False),
}


def make_params() -> P:
    rng = np.random.default_rng(0)
    shapes = {"emb": (20, 24), "w": (24, 24), "b": (24,), "pair": (24, 2)}
    return P(**{n: rng.normal(0, 0.3, s).astype(np.float32) for n, s in shapes.items()})


def make_bags(count: int) -> list[Bag]:
    rng = np.random.default_rng(1)
    bags: list[Bag] = []
    for n in range(count):
        items = [
            Item(int(rng.integers(20)), float(rng.uniform(0.2, 1.2)))
            for _ in range(0 if n == 2 else int(rng.integers(0, 9)))
        ]
        x = rng.normal(0, 0.5, 24).astype(np.float32)
        bags.append(Bag(items, bags[-1] if n % 3 else None, x))
    return bags


def same(want: Any, got: Any) -> None:
    (structure, arrays), (got_structure, got_arrays) = flatten(want), flatten(got)
    assert got_structure == structure
    for a, b in zip(arrays, got_arrays, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-4, atol=1e-5)


def usual(model: Any, options: str) -> bool:
    """Every construct in both executors; other options on what decides."""
    return options in ("full", "vm", "vm, all off") or model is decisions


@pytest.mark.parametrize(
    ("model", "options"),
    some(itertools.product(MODELS, OPTIONS), always=usual),
    ids=lambda x: getattr(x, "__name__", x),
)
def test_agrees_with_plain_python(model: Any, options: str) -> None:
    params, bags = make_params(), make_bags(9)
    fast = ab.compile(model, params, options=OPTIONS[options])
    for part in (bags, bags[:1], bags[::-1]):
        for bag, result in zip(part, fast(part), strict=True):
            same(model(params, bag), result)
    assert fast([]) == []


def test_a_wrong_item_of_a_list_is_named() -> None:
    bag = make_bags(3)[1]
    fast = ab.compile(loops, make_params())
    wrong = Bag([*bag.items, Item(1, "heavy")], None, bag.x)  # type: ignore[arg-type]
    with pytest.raises(ab.InstanceError) as caught:
        fast([bag, wrong])
    path = f"instances[1].items[{len(bag.items)}].weight"
    assert str(caught.value) == f"{path}: expected float, got str ('heavy')"


@ab.model
def item_at(p: P, xs: list[int]) -> Tensor["H"]:
    return p.emb[xs[3]] * 1.0


@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_a_list_index_out_of_range_names_the_instance(executor: str) -> None:
    fast = ab.compile(item_at, make_params(), options=ab.Options(executor=executor))
    with pytest.raises(ab.InstanceError) as caught:
        fast([[1, 2, 3, 4], [1]])
    assert str(caught.value) == ("instances[1]: list index 3 is out of range: the list has 1 item")


@ab.model
def too_wide(p: P, x: Tensor["H"]) -> Tensor[30]:
    return x[0:30] * 2.0


def test_a_slice_beyond_the_actual_size() -> None:
    with pytest.raises(ab.ModelError) as caught:
        ab.compile(too_wide, make_params())
    assert caught.value.msg == "AC010: slice 0:30 of Tensor[24]"


def test_the_interpreter_needs_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    params, bags = make_params(), make_bags(3)
    fast = ab.compile(optional, params, options=ab.Options(executor="vm"))
    same([optional(params, b) for b in bags], fast(bags))
    with pytest.raises(ValueError, match="there is no C\\+\\+"):
        fast.ir("cpp")
