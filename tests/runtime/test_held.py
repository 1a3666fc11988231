"""Strings, tuples, dicts, and what may be None in instances: what fits, what does not, and results
that have them."""

from __future__ import annotations

import gc
import pickle
import sys
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops


class Text(str):
    """Not as other strings are."""

    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 0


class Box(NamedTuple):
    x: Float32[Tensor, "H"]
    n: int = 0


@ab.data
class Note:
    text: str
    kind: Literal["a", "b"]
    count: int | None
    pair: tuple[int, tuple[float, bool]]
    edges: list[tuple[int, str]]
    scores: dict[str, float]
    box: Box | None
    vector: Float32[Tensor, "H"] | None = None
    below: Note | None = None


@ab.params
class P:
    w: Float32[Tensor, "H H"]


Result = tuple[Note, dict[str, int], Float32[Tensor, "H"] | None]


@ab.model
def echo(p: P, x: Note) -> Result:
    if x.text == "bad":
        raise ValueError(f"{x.text} and {x.kind!r} of {x.pair[0]}")
    counts = {text: n for n, text in x.edges}
    h = x.vector
    if h is None and x.box is not None:
        h = x.box.x @ p.w
    made = Note(x.kind, "b", x.count, x.pair, x.edges[::-1], x.scores, x.box, h, x)
    return made, counts, h


WEIGHTS = P(w=np.eye(3, dtype=np.float32) * 2)


def vector(value: float) -> np.ndarray[Any, Any]:
    return np.full(3, value, np.float32)


def note(**changes: Any) -> Note:
    fields: dict[str, Any] = {
        "text": "x",
        "kind": "a",
        "count": None,
        "pair": (1, (0.5, True)),
        "edges": [(1, "é"), (2, "")],
        "scores": {"s": 0.5},
        "box": None,
    }
    return Note(**(fields | changes))


NOTES = [
    note(),
    note(text=Text("b\0c"), count=3, edges=[], box=Box(vector(1.0))),
    note(kind=np.str_("b"), vector=vector(2.0), below=note(count=0), scores={}),
]


@pytest.fixture(scope="module", params=("aot", "vm"))
def fast(request: pytest.FixtureRequest) -> ab.CompiledModel[Any, Any]:
    return ab.compile(echo, WEIGHTS, options=ab.Options(executor=request.param))


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal, arrays by their items."""
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and bool((a == b).all())
    if isinstance(a, Note):
        return all(same(getattr(a, n), getattr(b, n)) for n in Note.__dataclass_fields__)
    if isinstance(a, (tuple, list)):
        return isinstance(b, (tuple, list)) and all(map(same, a, b)) and len(a) == len(b)
    if isinstance(a, str):
        return isinstance(b, str) and "".join(a) == "".join(b)
    return type(b) is type(a) and bool(a == b)


def test_results_are_those_of_plain_python(fast: ab.CompiledModel[Any, Any]) -> None:
    for got, x in zip(fast(NOTES * 2), NOTES * 2, strict=True):
        made, counts, h = echo(WEIGHTS, x)
        assert same(made.below, x) and same(got[0].below.edges, x.edges)
        assert got[1] == counts and same(h, got[2])
        assert same([made.kind, made.count, made.pair, made.scores, made.box, made.edges],
                    [got[0].kind, got[0].count, got[0].pair, got[0].scores, got[0].box,
                     got[0].edges])  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"text": 3}, "instances[1].text: expected str, got int (3)"),
        ({"text": None}, "instances[1].text: expected str, got NoneType (None)"),
        ({"count": "3"}, "instances[1].count: expected int, got str ('3')"),
        ({"pair": [1, (0.5, True)]}, "instances[1].pair: expected a tuple (int, tuple[float, bool])"
         ", got list"),
        ({"pair": (1, 0.5)}, "instances[1].pair[1]: expected a tuple (float, bool), got float "
         "(0.5)"),
        ({"pair": (1,)}, "instances[1].pair: expected a tuple (int, tuple[float, bool]), got a "
         "tuple of 1"),
        ({"edges": [(1, "a"), (2, 3)]}, "instances[1].edges[1][1]: expected str, got int (3)"),
        ({"scores": [("a", 1.0)]}, "instances[1].scores: expected dict[str, float], got list"),
        ({"scores": {"a": "b"}}, "instances[1].scores.values()[0]: expected float, got str ('b')"),
        ({"scores": {1: 1.0}}, "instances[1].scores.keys()[0]: expected str, got int (1)"),
        ({"box": (vector(1.0),)}, "instances[1].box: expected Box, a tuple (Tensor[3], int), got a "
         "tuple of 1"),
        ({"vector": np.zeros(2, np.float32)}, "instances[1].vector: expected Tensor[3], got an "
         "array of shape (2,)"),
        ({"below": note(box=4)}, "instances[1].below.box: expected Box, a tuple (Tensor[3], int), "
         "got int (4)"),
    ],
)  # fmt: skip
def test_what_does_not_fit(
    fast: ab.CompiledModel[Any, Any], changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ab.InstanceError) as caught:
        fast([note(), note(**changes)])
    assert str(caught.value) == message


def test_a_message_has_strings(fast: ab.CompiledModel[Any, Any]) -> None:
    with pytest.raises(ab.InstanceError) as caught:
        fast([note(), note(text="bad", kind="ö", count=4)])
    assert "ValueError: bad and 'ö' of 1" in str(caught.value)


def test_references_are_given_back(fast: ab.CompiledModel[Any, Any]) -> None:
    text, pair = "".join(["a", "string"]), (1, (0.5, True))
    notes = [note(text=text, pair=pair, scores={text: 1.0}) for _ in range(3)]
    fast(notes)
    gc.collect()
    before = sys.getrefcount(text), sys.getrefcount(pair)
    for _ in range(5):
        fast(notes)
    gc.collect()
    assert (sys.getrefcount(text), sys.getrefcount(pair)) == before


def test_prepared_and_pickled(fast: ab.CompiledModel[Any, Any]) -> None:
    inputs = fast.prepare(NOTES)
    first, second = fast.run(inputs), fast.run(inputs)
    assert all(same(a, b) for a, b in zip(first, second, strict=True))
    again: ab.CompiledModel[Any, Any] = pickle.loads(pickle.dumps(fast))
    assert all(same(a, b) for a, b in zip(first, again(NOTES), strict=True))


@ab.model
def loss(p: P, x: Note) -> tuple[Float32[Tensor, "1"], Float32[Tensor, "H"] | None]:
    h = (x.vector if x.vector is not None else x.box.x if x.box else ops.zeros(p.w.shape[0])) @ p.w
    return ops.reshape(ops.sum(h * h), 1), h if x.count else None


@pytest.mark.slow
def test_gradients_of_results_that_may_be_none() -> None:
    notes: Sequence[Note] = [
        note(count=c, vector=v, box=b)
        for c in (None, 1)
        for v, b in ((vector(1.0), None), (None, Box(vector(0.5))), (None, None))
    ]
    found = []
    for executor in ("aot", "vm"):
        fast = ab.compile(loss, WEIGHTS, options=ab.Options(executor=executor))
        cotangents = [(np.ones(1), None if r is None else np.ones(3)) for _, r in fast(list(notes))]
        _, gradients = fast.vjp(list(notes), cotangents)
        found.append(gradients.w)
    x = np.stack([n.vector if n.vector is not None else n.box.x if n.box else vector(0.0)
                  for n in notes])  # fmt: skip
    h = x @ WEIGHTS.w
    direct = np.array([1.0 if n.count else 0.0 for n in notes])[:, None]
    want = x.T @ (2 * h + direct)
    np.testing.assert_allclose(found[0], want, rtol=1e-4)
    np.testing.assert_allclose(found[1], want, rtol=1e-4)
