"""Models that need more than TreeLSTM does: control flow, shared weights, data that is built."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import acrobat as ab
from acrobat.lang.model import Model
from tests.programs.word_lists import LIST, LISTS, list_params, make_list, weight

# Compiled kernels are those of the other executor.
pytestmark = pytest.mark.usefixtures("interpreted_kernels")

Load = Callable[[str], ModuleType]
Check = Callable[[Model[..., Any], object, list[Any]], None]


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
