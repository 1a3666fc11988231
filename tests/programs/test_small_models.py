"""Models that need more than TreeLSTM does: control flow, shared weights, data that is built."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.lang.model import Model
from tests.selection import some

# Compiled kernels are those of the other executor.
pytestmark = pytest.mark.usefixtures("interpreted_kernels")

Load = Callable[[str], ModuleType]
Check = Callable[[Model[..., Any], object, list[Any]], None]
OPTIONS = {
    "on": ab.Options(),
    "all off": ab.Options.all_off(),
    "vm": ab.Options(executor="vm"),
    "no kernel fusion": ab.Options(kernel_fusion=False),
}


def weight(*shape: int, seed: int = 0) -> np.ndarray:
    return (np.random.default_rng([seed, *shape]).standard_normal(shape) * 0.4).astype(np.float32)


@pytest.fixture(params=some(OPTIONS, always=lambda name: name in ("on", "vm")), ids=str)
def check(request: pytest.FixtureRequest) -> Check:
    """Compiled in one way, a model computes what plain Python does. (All options at once and each
    by itself, always: test_workloads_compiled.py.)"""

    def compare(model: Model[..., Any], params: object, instances: list[Any]) -> None:
        got = ab.compile(model, params, options=OPTIONS[request.param])(instances)
        want = [model(params, i) for i in instances]
        for g, w in zip(got, want, strict=True):
            np.testing.assert_allclose(
                np.concatenate([np.ravel(a) for a in _flat(g)]),
                np.concatenate([np.ravel(a) for a in _flat(w)]),
                atol=1e-5,
            )

    return compare


def _flat(value: object) -> list[Any]:
    return [x for v in value for x in _flat(v)] if isinstance(value, tuple) else [value]


LIST = """
@ab.data
class Nil:
    pass

@ab.data
class Cons:
    head: int
    tail: "List"

List = Nil | Cons

@ab.params
class P:
    emb: Tensor["V", "E"]
    w: Tensor["E", "H"]
    u: Tensor["H", "H"]
    b: Tensor["H"]
    start: Tensor["H"]
"""


def make_list(module: ModuleType, items: list[int]) -> object:
    result = module.Nil()
    for i in reversed(items):
        result = module.Cons(i, result)
    return result


def list_params(module: ModuleType, e: int = 6, h: int = 10) -> object:
    return module.P(
        emb=weight(9, e), w=weight(e, h), u=weight(h, h), b=weight(h), start=weight(h, seed=1)
    )


LISTS = [[], [1], [2, 3, 4], [5, 6, 7, 8, 0, 1, 2], [4, 4]]


def test_a_recurrent_network_with_an_accumulator(load_model: Load, check: Check) -> None:
    m = load_model(
        LIST
        + """
@ab.model
def run(p: P, xs: List, h: Tensor["H"]) -> Tensor["H"]:
    match xs:
        case Nil():
            return h
        case Cons(x, rest):
            return run(p, rest, ops.tanh(p.emb[x] @ p.w + h @ p.u + p.b))

@ab.model
def rnn(p: P, xs: List) -> Tensor["H"]:
    return run(p, xs, p.start)
"""
    )
    check(m.rnn, list_params(m), [make_list(m, x) for x in LISTS])


def test_branches_numbers_and_early_returns(load_model: Load, check: Check) -> None:
    m = load_model(
        LIST
        + """
@ab.model
def count(p: P, xs: List, n: int) -> tuple[Tensor["H"], int]:
    match xs:
        case Nil():
            return p.b * 2.0, n
        case Cons(x, rest):
            if x % 3 == 0:
                return p.emb[x] @ p.w, n
            h, m = count(p, rest, n + x)
            if x > 4 and not (n < 2):
                h = ops.relu(h) - p.b
            else:
                m = m - 1
            return ops.sigmoid(h) / 2.0, m

@ab.model
def entry(p: P, xs: List) -> tuple[Tensor["H"], int]:
    return count(p, xs, 0)
"""
    )
    check(m.entry, list_params(m), [make_list(m, x) for x in LISTS])


def test_mutual_recursion(load_model: Load, check: Check) -> None:
    m = load_model(
        LIST
        + """
@ab.model
def even(p: P, xs: List) -> Tensor["H"]:
    match xs:
        case Nil():
            return p.start
        case Cons(x, rest):
            return ops.tanh(ops.linear(odd(p, rest), p.u, p.b))

@ab.model
def odd(p: P, xs: List) -> Tensor["H"]:
    match xs:
        case Nil():
            return p.b
        case Cons(x, rest):
            return even(p, rest) + p.emb[x] @ p.w
"""
    )
    check(m.even, list_params(m), [make_list(m, x) for x in LISTS])


def test_two_directions_keep_their_own_weights_shared(load_model: Load, check: Check) -> None:
    m = load_model(
        LIST
        + """
@ab.params
class Both:
    one: P
    two: P

@ab.model
def run(p: P, xs: List) -> Tensor["H"]:
    match xs:
        case Nil():
            return p.start
        case Cons(x, rest):
            return ops.tanh(p.emb[x] @ p.w + run(p, rest) @ p.u)

@ab.model
def both(p: Both, xs: List) -> Tensor["2H"]:
    a, b = ab.parallel(run(p.one, xs), run(p.two, xs))
    return ops.concat(a, b)
"""
    )
    one, two = list_params(m), list_params(m, h=10)
    params = m.Both(one=one, two=m.P(**{**two.__dict__, "u": weight(10, 10, seed=9)}))
    instances = [make_list(m, x) for x in LISTS]
    fast = ab.compile(m.both, params)
    assert set(fast.compilation.module.functions) == {"both", "run", "run#2"}
    check(m.both, params, instances)


def test_data_built_by_the_model_comes_back(load_model: Load) -> None:
    m = load_model(
        LIST
        + """
@ab.data
class Done:
    h: Tensor["H"]
    n: int
    big: bool

@ab.model
def build(p: P, xs: List) -> Done:
    match xs:
        case Nil():
            return Done(p.start, 0, False)
        case Cons(x, rest):
            inner = build(p, rest)
            return Done(ops.tanh(inner.h @ p.u), inner.n + x, inner.n + x > 5)
"""
    )
    params = list_params(m)
    for options in (ab.Options(), ab.Options.all_off()):
        for xs in LISTS:
            (got,) = ab.compile(m.build, params, options=options)([make_list(m, xs)])
            want = m.build(params, make_list(m, xs))
            np.testing.assert_allclose(got.h, want.h, atol=1e-5)
            assert (got.n, got.big) == (want.n, want.big)


def test_tensors_in_the_instances(load_model: Load, check: Check) -> None:
    m = load_model(
        """
@ab.data
class Pair:
    x: Tensor["K"]
    y: Tensor["N"]
    scale: float

@ab.params
class P:
    w: Tensor["K", "N"]
    b: Tensor["N"]

@ab.model
def apply(p: P, pair: Pair) -> Tensor["N"]:
    if pair.scale > 0.5:
        return ops.linear(pair.x, p.w, p.b) * pair.y
    return pair.y
"""
    )
    params = m.P(w=weight(5, 3), b=weight(3))
    pairs = [m.Pair(weight(5, seed=i), weight(3, seed=i), i / 4) for i in range(5)]
    check(m.apply, params, pairs)
    with pytest.raises(ab.InstanceError) as caught:
        ab.compile(m.apply, params)([m.Pair(weight(4), weight(3), 1.0)])
    assert str(caught.value) == "instances[0].x: expected Tensor[5], got an array of shape (4,)"


def test_integer_division_by_zero_names_the_instance(load_model: Load) -> None:
    m = load_model(
        """
@ab.data
class N:
    n: int

@ab.params
class P:
    b: Tensor["H"]

@ab.model
def f(p: P, x: N) -> tuple[Tensor["H"], int]:
    return p.b + 1.0, 7 // x.n + (-7) % x.n
"""
    )
    params = m.P(b=weight(4))
    fast = ab.compile(m.f, params)
    assert [r[1] for r in fast([m.N(2), m.N(-3)])] == [7 // 2 + -7 % 2, 7 // -3 + -7 % -3]
    with pytest.raises(ab.InstanceError) as caught:
        fast([m.N(1), m.N(0)])
    assert str(caught.value) == "instances[1]: integer division by zero"


def test_a_cell_that_runs_ahead_in_leaves_and_reads_them_in_nodes(
    load_model: Load, check: Check
) -> None:
    m = load_model(
        """
@ab.data
class Leaf:
    x: Tensor["H"]

@ab.data
class Node:
    child: "Tree"

Tree = Leaf | Node

@ab.params
class P:
    w: Tensor["H", "H"]

@ab.model
def cell(p: P, x: Tensor["H"]) -> Tensor["H"]:
    return ops.tanh(x @ p.w)

@ab.model
def walk(p: P, t: Tree) -> Tensor["H"]:
    match t:
        case Leaf(x):
            return cell(p, x)
        case Node(child):
            return cell(p, walk(p, child))
"""
    )
    leaves = [m.Leaf(weight(8, seed=i)) for i in range(3)]
    check(m.walk, m.P(w=weight(8, 8)), [m.Node(leaves[0]), leaves[1], m.Node(m.Node(leaves[2]))])


def test_objects_with_code_of_their_own_are_constructed(load_model: Load) -> None:
    m = load_model(
        """
made = []

@ab.data
class Plain:
    x: Tensor["H"]

@ab.data
class Noted:
    x: Tensor["H"]
    plain: "Plain"

    def __post_init__(self):
        made.append(self.plain)

@ab.params
class P:
    w: Tensor["H", "H"]

@ab.model
def f(p: P, x: Tensor["H"]) -> Noted:
    return Noted(x @ p.w, Plain(x))
"""
    )
    params = m.P(w=np.eye(4, dtype=np.float32))
    fast = ab.compile(m.f, params)
    (result,) = fast([np.arange(4, dtype=np.float32)])
    assert isinstance(result, m.Noted) and m.made == [result.plain]
    assert isinstance(result.plain, m.Plain)
    np.testing.assert_array_equal(result.plain.x, [0, 1, 2, 3])
    np.testing.assert_array_equal(result.x, [0, 1, 2, 3])


def test_variables_may_have_the_names_of_what_is_generated(load_model: Load, check: Check) -> None:
    names = (
        "count",
        "start",
        "end",
        "iteration",
        "iterations",
        "items",
        "row",
        "mark",
        "kept",
        "f",
        "g",
    )
    lines = [
        line
        for at, name in enumerate(names)
        for line in (
            f"    {name} = [ops.tanh(p.emb[i + {at % 3}] @ p.w) for i in xs if i > 0]",
            f"    for {name}_2 in {name}:",
            f"        h = ops.tanh(h + g(p, {name}_2, h))",
        )
    ]
    m = load_model(
        LIST
        + """
@ab.model
def g(p: P, x: Tensor["H"], h: Tensor["H"]) -> Tensor["H"]:
    for _ in range(2):
        x = ops.tanh(x + h @ p.u)
    return x

@ab.model
def f(p: P, xs: list[int]) -> Tensor["H"]:
    h = p.start
"""
        + "\n".join(lines).replace("g = [", "gs = [").replace(" in g:", " in gs:")
        + "\n    return h\n"
    )
    check(m.f, list_params(m), [[], [1], [3, 0, 2], [5, 6, 4]])
