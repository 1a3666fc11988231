"""Weights that the instance chooses, by a number, by a string or in a branch: what is done with
them is what plain Python does, and nodes of one choice batch."""

# Models as they are written in a hurry have no hints.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops

SIZE = 8


@ab.params
class Layer:
    a: Float32[Tensor, "D E"]
    b: Float32[Tensor, "E D"]

    def __call__(self, x):
        return ops.relu(x @ self.a) @ self.b

    def outer(self, x, scale=1.0):
        return ops.tanh(self(x) * scale)


@ab.params
class P:
    emb: Float32[Tensor, "V D"]
    experts: list[Layer]
    cells: dict[str, Layer]
    router: Float32[Tensor, "D K"]
    ws: list[Float32[Tensor, "D D"]]
    bs: list[Float32[Tensor, "D"]]
    by: dict[str, Float32[Tensor, "D D"]]
    groups: dict[str, list[Layer]]


@ab.data
class Item:
    word: int
    kind: str


@ab.data
class Items:
    items: list[Item]


@ab.model
def experts(p: P, x: Items):
    """One of a list, by what the model computes."""
    out = ops.zeros(SIZE)
    for item in x.items:
        h = p.emb[item.word]
        out = out + p.experts[ops.argmax(h @ p.router)](h)
    return out


@ab.model
def named(p: P, x: Items):
    """One of a dict, by a string of the instance, with a name of its own."""
    h = ops.zeros(SIZE)
    for item in x.items:
        cell = p.cells[item.kind]
        h = ops.tanh(cell(h) + p.emb[item.word] @ cell.a @ cell.b)
    return h


@ab.model
def branches(p: P, x: Items):
    """One in an expression, and one behind an `if`; the same one on both paths is known."""
    h = ops.zeros(SIZE)
    for i, item in enumerate(x.items):
        f = p.cells["x"] if item.kind == "y" else p.experts[i % 3]
        if item.word % 2:
            g = p.experts[2]
            same = p.experts[1]
        elif item.word > 4:
            g = f
            same = p.experts[1]
        else:
            g = p.cells[item.kind]
            same = p.experts[1]
        h = ops.tanh(f(h) + g.outer(p.emb[item.word], scale=0.5) + same.b[0])
    return h


def run(layer: Layer, h, n=2):
    for _ in range(n):
        h = ops.tanh(h + layer(h))
    return h


@ab.model
def passed_on(p: P, x: Items):
    """Arguments of functions, by position and by name; what local functions and lambdas use."""
    hs = [run(p.cells[item.kind], p.emb[item.word]) for item in x.items]

    def again(i):
        layer = p.experts[i % 3]
        return run(h=hs[i], layer=layer, n=1) + hs[i]

    one = lambda k: p.experts[k](hs[0])  # noqa: E731
    best = sorted(range(3), key=lambda k: ops.sum(p.experts[k].a), reverse=True)[:2]
    return sum(one(k) for k in best) + again(len(hs) - 1)


@ab.model
def tensors(p: P, x: Items):
    """Tensors of a list or a dict, in products, in operations, as values."""
    h = ops.zeros(SIZE)
    for item in x.items:
        k = item.word % 3 - 1  # -1 is the last
        h = ops.tanh(h @ p.ws[k] + p.bs[k] + p.emb[item.word] @ p.by[item.kind])
        h = h + ops.linear(h, p.ws[k], p.bs[k]) * 0.1 + p.ws[k] @ h
        h = h + p.groups[item.kind][0](h) + p.groups[item.kind][1].b[0]
    return h


MODELS = (experts, named, branches, passed_on, tensors)


def data() -> tuple[P, list[Any]]:
    random = np.random.default_rng(0)

    def weight(*shape: int) -> np.ndarray:
        return (random.normal(size=shape) / 4).astype(np.float32)

    def layer() -> Layer:
        return Layer(a=weight(SIZE, 12), b=weight(12, SIZE))

    p = P(
        emb=weight(9, SIZE) * 4,
        experts=[layer() for _ in range(3)],
        cells={k: layer() for k in "xy"},
        router=weight(SIZE, 3),
        ws=[weight(SIZE, SIZE) for _ in range(3)],
        bs=[weight(SIZE) for _ in range(3)],
        by={k: weight(SIZE, SIZE) for k in "xy"},
        groups={k: [layer(), layer()] for k in "xy"},
    )
    instances = [
        Items([Item(int(random.integers(9)), "xy"[random.integers(2)]) for _ in range(n)])
        for n in (1, 4, 2, 6, 3)
    ]
    return p, instances


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["aot", "vm"])
@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.function.__name__)
def test_as_in_plain_python(model: Any, executor: str) -> None:
    p, instances = data()
    got = ab.compile(model, p, options=ab.Options(executor=executor))(instances)
    for result, instance in zip(got, instances, strict=True):
        np.testing.assert_allclose(result, model(p, instance), rtol=1e-4, atol=1e-5)


@pytest.mark.usefixtures("interpreted_kernels")
def test_nodes_of_one_choice_batch() -> None:
    """However many words and instances there are, every expert runs once."""
    p, _ = data()
    fast = ab.compile(experts, p, options=ab.Options(executor="vm"))
    random = np.random.default_rng(1)
    counts = []
    for n in (2, 16):
        words = [[Item(int(w), "x") for w in random.permutation(9)] for _ in range(n)]
        fast([Items(w) for w in words])
        counts.append(fast.last_profile.n_batches)
    assert counts[0] == counts[1] <= 6


@pytest.mark.usefixtures("interpreted_kernels")
def test_gradients_reach_what_was_chosen() -> None:
    p, _ = data()

    @ab.model
    def loss(p: P, x: Items) -> Float32[Tensor, ""]:
        return ops.sum(named(p, x))

    step = ab.gradients(loss, p, options=ab.Options(executor="vm"))
    _, grads = step([Items([Item(3, "x")])])
    assert grads.cells["x"].a.any() and not grads.cells["y"].a.any()


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize(
    ("kind", "word", "said"),
    [
        ("z", 0, "KeyError: p.cells has no key z"),
        ("x", 7, "list index 7 is out of range: the list has 3 items"),
    ],
)
def test_what_is_not_there(kind: str, word: int, said: str) -> None:
    p, _ = data()

    @ab.model
    def model(p: P, x: Item) -> Float32[Tensor, "D"]:
        return p.cells[x.kind](p.experts[x.word](p.emb[0]))

    fast = ab.compile(model, p, options=ab.Options(executor="vm"))
    with pytest.raises(ab.InstanceError) as error:
        fast([Item(0, "x"), Item(word, kind)])
    assert said in str(error.value)


def test_as_a_value_they_are_refused() -> None:
    p, _ = data()

    @ab.model
    def model(p: P, x: Item) -> Float32[Tensor, "D"]:
        cell = p.cells[x.kind]
        both = [cell, cell]
        return both[0](p.emb[0])

    with pytest.raises(ab.ModelError) as error:
        ab.compile(model, p)
    assert "AC002: 'cell' is one of 2 weights, chosen at run time" in str(error.value)
