"""Enumerations whose members are not numbers or strings themselves."""

from __future__ import annotations

import enum
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops

H = 5


class Kind(enum.Enum):
    LEAF = "leaf"
    SUM = "sum"
    PRODUCT = "product"

    @property
    def arity(self) -> int:
        return 0 if self is Kind.LEAF else 2

    def grows(self, by: float) -> float:
        return by if self is Kind.PRODUCT else 1.0


class Action(enum.Enum):
    SHIFT = 3
    REDUCE = 7
    MOVE = 3  # noqa: PIE796  # another name for SHIFT


class Side(enum.Enum):
    LEFT = (1, 0.5)
    RIGHT = (2, 0.25)


@ab.data
class Node:
    kind: Kind
    word: int
    children: list[Node]
    actions: list[Action]
    last: Action | None
    sides: list[tuple[Side, int]]
    costs: dict[Kind, float]


@ab.params
class P:
    emb: Float32[Tensor, "V H"]
    w: Float32[Tensor, "H H"]
    by_kind: dict[str, Float32[Tensor, "H H"]]


COST = {Action.SHIFT: 1.0, Action.REDUCE: 2.5}
INNER = frozenset({Kind.SUM, Kind.PRODUCT})


def up(p: P, h: Float32[Tensor, "H"]) -> Float32[Tensor, "H"]:
    return ops.tanh(h @ p.w)


def down(p: P, h: Float32[Tensor, "H"]) -> Float32[Tensor, "H"]:
    return ops.sigmoid(h @ p.w)


STEPS = {Action.SHIFT: up, Action.REDUCE: down}


@ab.model
def tree(p: P, t: Node) -> Float32[Tensor, "H"]:
    """Fields, patterns, tables of the module by members, attributes and methods of members."""
    match t.kind:
        case Kind.LEAF:
            h = p.emb[t.word]
        case Kind.SUM | Kind.PRODUCT:
            a, b = tree(p, t.children[0]), tree(p, t.children[1])
            h = a + b if t.kind is Kind.SUM else a * b
    for action in t.actions:
        h = STEPS[action](p, h) * COST[action] * t.kind.grows(0.5)
        if action == Action.SHIFT and t.kind in INNER:
            h = h + float(action.value + t.kind.arity)
    if t.last is not None and t.last is not Action.MOVE:
        h = h * 0.5
    return p.by_kind[t.kind.value] @ h


@ab.model
def parse(p: P, t: Node) -> tuple[Float32[Tensor, "H"], list[Action], Kind, Action | None]:
    """Decisions that make members, which are collected and returned."""
    h, done = tree(p, t), []
    last: Action | None = None
    for i in range(4):
        action = Action.SHIFT if h[0] > 0.1 else Action.REDUCE
        done.append(action)
        last = Action(3 if i % 2 else 7)
        h = up(p, h) if action is Action.SHIFT else -h
    return h, done, t.kind, last if t.last else None


@ab.model
def pairs(p: P, t: Node) -> tuple[float, dict[Kind, float], Side]:
    """In tuples, dicts and results of them."""
    sides = [s for s, _ in t.sides] + [Side.RIGHT]
    total = sum(n * s.value[1] for s, n in t.sides)
    costs = {k: 2.0 * c for k, c in t.costs.items()}
    if t.kind in t.costs:
        total += t.costs[t.kind]
    match (t.kind, t.last):
        case (Kind.LEAF, None):
            total += 1.0
        case (Kind.LEAF | Kind.SUM, Action.SHIFT):
            total += 2.0
        case _:
            total += 3.0
    return total, costs, max(sides, key=lambda s: s.value[0])


@ab.model
def counted(p: P, t: Node) -> tuple[int, int, int, bool, list[Action]]:
    """Lists, sets and counters of members, and the class as a list of them."""
    counts = Counter(t.actions)
    n = 0
    for i, kind in enumerate(Kind):
        n += i * (kind is t.kind) + (kind.name == "SUM")
    return (
        n + len(Action),
        counts[Action.SHIFT] - counts[Action["REDUCE"]],
        [*t.actions, Action.REDUCE].index(Action.REDUCE) + list(Kind).index(t.kind),
        t.kind in (Kind.LEAF, Kind.SUM) and len(set(t.actions)) == 2,
        sorted(t.actions, key=lambda a: -a.value),
    )


@ab.model
def loss(p: P, t: Node) -> Float32[Tensor, ""]:
    return ops.sum(tree(p, t))


def data() -> tuple[P, list[Node]]:
    rng = np.random.default_rng(0)

    def matrix(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape).astype(np.float32)

    def node(depth: int) -> Node:
        leaf = depth == 0 or rng.random() < 0.3
        return Node(
            Kind.LEAF if leaf else [Kind.SUM, Kind.PRODUCT][rng.integers(2)],
            int(rng.integers(7)),
            [] if leaf else [node(depth - 1), node(depth - 1)],
            [list(Action)[i] for i in rng.integers(0, 2, rng.integers(4))],
            [None, Action.SHIFT, Action.REDUCE][rng.integers(3)],
            [(list(Side)[i], int(i)) for i in rng.integers(0, 2, rng.integers(3))],
            {k: float(i) for i, k in enumerate(Kind) if rng.random() < 0.6},
        )

    p = P(emb=matrix(7, H), w=matrix(H, H), by_kind={k.value: matrix(H, H) for k in Kind})
    return p, [node(3) for _ in range(9)]


def same(got: Any, want: Any) -> None:
    """Also of one class."""
    if isinstance(want, np.ndarray):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
    elif isinstance(want, tuple):
        for a, b in zip(got, want, strict=True):
            same(a, b)
    elif isinstance(want, float):
        assert got == pytest.approx(want)
    else:
        assert (got, type(got)) == (want, type(want))


@pytest.mark.parametrize("options", ["aot", "vm", "all off"])
@pytest.mark.parametrize("model", [tree, parse, pairs, counted], ids=lambda m: m.__name__)
def test_as_in_plain_python(model: Any, options: str) -> None:
    p, instances = data()
    chosen = ab.Options.all_off() if options == "all off" else ab.Options(executor=options)
    for got, instance in zip(
        ab.compile(model, p, options=chosen)(instances), instances, strict=True
    ):
        same(got, model(p, instance))


def test_a_copy_in_another_process_has_the_same_members() -> None:
    p, instances = data()
    fast = pickle.loads(pickle.dumps(ab.compile(parse, p)))
    assert fast(instances)[0][2] is instances[0].kind


def test_gradients() -> None:
    p, instances = data()
    losses, slopes = ab.gradients(loss, p)(instances)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ACROBAT_DISABLE", "1")
        want, plain = ab.gradients(loss, p)(instances)
    np.testing.assert_allclose(losses, want, rtol=1e-4)
    np.testing.assert_allclose(slopes.w, plain.w, rtol=1e-3, atol=1e-4)
