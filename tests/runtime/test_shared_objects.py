"""Objects that occur more than once in a mini-batch, or within themselves."""

from __future__ import annotations

import functools
from typing import Literal

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops
from tests.programs.reference_kernels import reference_kernels
from workloads.treelstm import Leaf, Node, Tree


@ab.params
class Weights:
    emb: Float32[Tensor, "V H"]
    w: Float32[Tensor, "2H H"]


@ab.model
def encode(p: Weights, tree: Tree) -> Float32[Tensor, "H"]:
    match tree:
        case Leaf(word):
            return p.emb[word]
        case Node(left, right):
            return ops.tanh(ops.concat(encode(p, left), encode(p, right)) @ p.w)


EMB = np.random.default_rng(0).normal(size=(5, 8)).astype(np.float32)
WEIGHT = np.random.default_rng(1).normal(size=(16, 8)).astype(np.float32)
PARAMS = Weights(emb=EMB, w=WEIGHT)


@pytest.fixture(scope="module", params=["aot", "vm"])
def fast(request: pytest.FixtureRequest) -> ab.CompiledModel[Tree, Tensor]:
    executor: Literal["aot", "vm"] = request.param
    with reference_kernels():
        return ab.compile(encode, PARAMS, "cpu", ab.Options(executor=executor, threads=1))


def chain(levels: int) -> Tree:
    tree: Tree = Leaf(1)
    for _ in range(levels):
        tree = Node(tree, tree)
    return tree


@functools.cache
def encoded(levels: int) -> np.ndarray:
    if levels == 0:
        return EMB[1]
    below = encoded(levels - 1)
    return np.tanh(np.concatenate([below, below]) @ WEIGHT)


@pytest.mark.slow
def test_doubled_mentions_are_computed_once(fast: ab.CompiledModel[Tree, Tensor]) -> None:
    first, second = fast([chain(40), chain(39)])
    np.testing.assert_allclose(first, encoded(40), atol=1e-5)
    np.testing.assert_allclose(second, encoded(39), atol=1e-5)
    assert fast.last_profile.n_nodes == 79
    assert fast.last_profile.n_batches == 40


def test_random_graphs(fast: ab.CompiledModel[Tree, Tensor]) -> None:
    rng = np.random.default_rng(2)
    made: list[Tree] = [Leaf(i) for i in range(5)]
    for _ in range(30):
        left, right = rng.integers(max(0, len(made) - 6), len(made), 2)
        made.append(Node(made[left], made[right]))
    known: dict[int, np.ndarray] = {}
    for tree in made:
        if isinstance(tree, Leaf):
            known[id(tree)] = EMB[tree.word]
        else:
            x = np.concatenate([known[id(tree.left)], known[id(tree.right)]])
            known[id(tree)] = np.tanh(x @ WEIGHT)
    for got, tree in zip(fast(made), made, strict=True):
        np.testing.assert_allclose(got, known[id(tree)], atol=1e-5)


def test_results_of_one_object_are_their_own(fast: ab.CompiledModel[Tree, Tensor]) -> None:
    tree = chain(3)
    first, second = fast([tree, tree])
    first[:] = 7  # type: ignore[index]
    np.testing.assert_allclose(second, encoded(3), atol=1e-5)


@pytest.mark.parametrize("long", [0, 3])
def test_a_cycle_is_an_error(fast: ab.CompiledModel[Tree, Tensor], long: int) -> None:
    bottom = Node(Leaf(1), Leaf(2))
    tree: Tree = bottom
    for _ in range(long):
        tree = Node(tree, Leaf(0))
    object.__setattr__(bottom, "right", tree)
    path = "instances[1]" + ".left" * long + ".right"
    with pytest.raises(ab.InstanceError) as caught:
        fast([Leaf(1), tree])
    assert str(caught.value) == f"{path} is instances[1]: a cycle, and an instance must end"
    np.testing.assert_allclose(fast([chain(2)])[0], encoded(2), atol=1e-5)
