"""Models that take data apart, and build it."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.lang.model import Model
from tests.programs.word_lists import LIST, LISTS, list_params, make_list, weight

# Compiled kernels are those of the other executor.
pytestmark = pytest.mark.usefixtures("interpreted_kernels")
Load = Callable[[str], ModuleType]
Check = Callable[[Model[..., Any], object, list[Any]], None]


@pytest.mark.slow
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
