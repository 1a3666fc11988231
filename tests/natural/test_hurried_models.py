"""Models about text, and models that search, do what plain Python does."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest

import acrobat as ab
from workloads.results import flatten

from .papers import common_models as c
from .papers import everyday_models as e
from .papers import further_models as f
from .papers import search_models as s
from .papers import text_models as m

H = 8
SHAPES: dict[str, tuple[int, ...]] = {
    "emb": (408, H),
    "chars": (40, H),
    "w": (H, H),
    "u": (H, H),
    "pos": (30, H),
    "out": (H, 5),
    "trans": (5, 5),
    "b": (H,),
    "score": (H, 1),
}
CASES: list[tuple[Any, list[Any]]] = [
    (
        m.crf,
        [
            (["The", "cat", "sat", "on", "Paris-mat", "42", "NATO"],),
            (["a"],),
            (["word3", "X-y", "sat"],),
        ],
    ),
    (
        m.pointer,
        [("the cat sat on word7 dogs .", 6), ("london xyz", 3), ("  a b c\td e f", 10)],
    ),
    (
        m.chart,
        [
            ([("the", "DT"), ("cat", "NN"), ("sat", "VB"), ("on", "XX")],),
            ([("mat", "NN")],),
            ([("sat", "VB"), ("mat", "NN")],),
        ],
    ),
    (m.writer, [(3, 20), (5, 7), (0, 0), (17, 30)]),
    (
        m.interpreter,
        [
            ("set a 1.5\nset the 2\nadd a the\n# no\nemit the\nemit a\n",),
            ("",),
            ("set x 2\n\n  emit x",),
        ],
    ),
]


SEARCHES: list[tuple[Any, list[Any]]] = [
    (
        s.best_first,
        [
            ({0: [1, 2], 1: [3], 2: [3, 4], 3: [5], 4: [5]}, 0, 5),
            ({}, 3, 4),
            ({1: [1, 2, 9]}, 1, 7),
        ],
    ),
    (
        s.gnn,
        [
            (s.Graph([1, 2, 3], {1: [2, 3], 2: [1]}, {"a": 1, "xyz": 3, "q": 9}),),
            (s.Graph([4], {}, {}),),
        ],
    ),
    (
        s.tree,
        [
            (s.Node(1, s.Node(2), s.Node(3, s.Node(4), None)),),
            (s.Node(7),),
            (s.Node(1, None, s.Node(2)),),
        ],
    ),
    (s.beam, [(1, 2, 4), (3, 3, 3), (0, 1, 1)]),
    (s.bag, [("The cat, the dog! a cat.",), ("",), ("b a b a c d e f g",)]),
    (s.agent, [(["..#", "#..", "..G"], 8), (["G"], 3), (["##", "##"], 2)]),
]


def weights(kind: Any, sizes: dict[str, tuple[int, ...]]) -> Any:
    rng = np.random.default_rng(0)
    return kind(**{name: rng.normal(size=shape) for name, shape in sizes.items()})


HUFFMAN = e.Huff(None, 1, (e.Huff(3), e.Huff(None, 2, (e.Huff(4), e.Huff(5)))))
EVERYDAY: list[tuple[Any, list[Any]]] = [
    (e.rae, [([1, 2, 3, 4, 5],), ([7],), ([3, 9, 1],)]),
    (
        e.calc,
        [
            (
                e.Let(
                    "z",
                    e.Bin("+", e.Var("x"), e.Num(2.0)),
                    e.Bin("*", e.Var("z"), e.Var("y")),
                ),
            ),
            (e.Num(1.0),),
        ],
    ),
    (e.deq, [([1, 2, 3], 0.01), ([], 0.01), ([4], 1e-3)]),
    (
        e.hops,
        [(e.KB([(1, 2, 3), (1, 4, 5), (3, 2, 1), (5, 6, 7)]), 1, 2), (e.KB([]), 2, 3)],
    ),
    (e.sample_word, [(HUFFMAN, [1, 2, 3]), (HUFFMAN, []), (HUFFMAN, [9, 8])]),
    (e.parse, [([1, 2, 3, 4],), ([5],), ([6, 7, 8],)]),
    (e.segment, [([1, 2, 3, 4, 4, 4],), ([7],)]),
    (e.lru, [([1, 2, 3, 1, 2, 9, 8, 1], 2), ([4], 3)]),
    (e.enc, [([[1, 2, 3], [4]],), ([[5]],)]),
    (e.pairs, [([0, 1, 2, 1, 3, 4, 0],), ([],), ([1],), ([2, 2, 0, 5],)]),
]
COMMON: list[tuple[Any, list[Any]]] = [
    (c.bilstm, [([1, 2, 3],), ([4],)]),
    (c.ode, [(1, 1.0), (2, 0.3), (3, 2.0)]),
    (c.hmm, [([1, 2, 3],), ([],)]),
    (c.gat, [([1, 2, 3], [(0, 1), (1, 2)]), ([5], [])]),
    (c.machine, [([1, 2, 3, 4],), ([],)]),
    (c.rpn, [(["1", "2", "+", "tanh"],), (["3", "neg"],), (["1", "2", "3", "*", "max"],)]),
    (c.updown, [(c.Tree(1, [c.Tree(2), c.Tree(3, [c.Tree(4)])]),), (c.Tree(5),)]),
    (c.moe, [([1, 2, 3], 2), ([4], 1)]),
    (c.copynet, [([1, 2, 3], 6), ([4], 3)]),
    (c.edit, [([1, 2, 3], [2, 3]), ([], [1])]),
    (c.mlp, [(3,), (4,)]),
    (c.slots, [({"a": [1, 2], "b": [3]},), ({},)]),
]


CODE = [("emb", 1), ("mul", 2), ("jmpneg", 4), ("emb", 3), ("emb", 5)]
FURTHER: list[tuple[Any, list[Any]]] = [
    (f.cky, [([1, 2, 3, 4],), ([5],)]),
    (f.dijkstra, [({0: [1, 2], 1: [3], 2: [3]}, 0), ({}, 4)]),
    (f.kalman, [([1.0, 2.0, 1.5],), ([0.3],)]),
    (f.scene, [([f.Circle(1, 2.0), f.Rect(2, 1.0, 3.0), f.Circle(1, 0.5)],), ([],)]),
    (f.textcnn, [([1, 2, 3], 2), ([4], 3)]),
    (f.vmrun, [(CODE,), ([],)]),
    (f.early, [([1, 2, 3], [4, 5, 6]), ([1, 1, 1, 1], [1, 1, 1, 1])]),
    (f.tagger, [(["The", "cat", "the"],), (["a"],)]),
    (f.pipeline, [([1, 2, 3],), ([2],)]),
]


def _common() -> Any:
    random = np.random.default_rng(0)

    def draw(*shape: int) -> Any:
        return (random.standard_normal(shape) * 0.5).astype(np.float32)

    def layers() -> list[Any]:
        return [c.LSTM(wx=draw(H, 4 * H), wh=draw(H, 4 * H), b=draw(4 * H)) for _ in range(2)]

    square = {"w": draw(H, H), "u": draw(H, H)}
    return c.W(emb=draw(50, H), **square, b=draw(H), out=draw(H, 6), fwd=layers(), bwd=layers())


@pytest.mark.parametrize("executor", ["vm", "aot"])
@pytest.mark.parametrize(
    "case", [*CASES, *SEARCHES, *EVERYDAY, *COMMON, *FURTHER], ids=lambda case: case[0].__name__
)
@pytest.mark.usefixtures("interpreted_kernels")
def test_agrees(case: tuple[Any, list[Any]], executor: Literal["vm", "aot"]) -> None:
    model, instances = case
    searches = {name: SHAPES[name] for name in ("w", "u", "b", "score")}
    searches |= {"emb": (50, H), "out": (H, 6)}
    classes = [(CASES, m.W, SHAPES), (SEARCHES, s.W, searches), (EVERYDAY, e.W, searches)]
    classes.append((FURTHER, f.W, {n: s for n, s in searches.items() if n != "score"}))
    found = [weights(cls, shapes) for cases, cls, shapes in classes if case in cases]
    p = found[0] if found else _common()
    fast = ab.compile(model, p, options=ab.Options(executor=executor))
    given = [i if len(i) > 1 else i[0] for i in instances]
    for instance, got in zip(instances, fast(given), strict=True):
        (texts, arrays), (got_texts, got_arrays) = flatten(model(p, *instance)), flatten(got)
        assert got_texts == texts
        for a, b in zip(arrays, got_arrays, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-4, atol=1e-5)


def test_an_unknown_operation_names_the_instance() -> None:
    fast = ab.compile(m.interpreter, weights(m.W, SHAPES), options=ab.Options(executor="vm"))
    with pytest.raises(ab.InstanceError) as caught:
        fast(["emit a", "set a 1\njump 3"])
    assert str(caught.value) == "instances[1]: ValueError: unknown op 'jump'"
