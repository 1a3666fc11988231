"""Results are their instance's own: who writes to one changes nothing that others get."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops
from workloads.treelstm import Leaf, Node, Tree

# Compiled kernels are those of the other executor.
pytestmark = pytest.mark.usefixtures("interpreted_kernels")


@ab.params
class Weights:
    emb: Float32[Tensor, "V H"]
    v: Float32[Tensor, "H H"]
    w: Float32[Tensor, "2H H"]


@ab.model
def state(p: Weights, tree: Tree) -> Float32[Tensor, "H"]:
    match tree:
        case Leaf(word):
            # Computed once for all leaves of a word.
            return ops.tanh(p.emb[word] @ p.v)
        case Node(left, right):
            return ops.tanh(ops.concat(state(p, left), state(p, right)) @ p.w)


@ab.model
def encode(p: Weights, tree: Tree) -> tuple[Float32[Tensor, "H"], Float32[Tensor, "H"]]:
    match tree:
        case Leaf(word):
            # A row of a weight as it is.
            return state(p, tree), p.emb[word]
        case Node(left, right):
            x, _ = encode(p, left)
            _, y = encode(p, right)
            return state(p, tree), ops.tanh(x + y)


@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_writing_to_a_result_changes_no_other(executor: Literal["aot", "vm"]) -> None:
    rng = np.random.default_rng(0)

    def draw(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape).astype(np.float32)

    params = Weights(emb=draw(5, 16), v=draw(16, 16), w=draw(32, 16))
    fast = ab.compile(encode, params, "cpu", ab.Options(executor=executor))
    trees: list[Tree] = [Leaf(3), Leaf(3), Node(Leaf(3), Leaf(1)), Leaf(1)]
    want = [encode(params, t) for t in trees]
    first = [tuple(np.copy(part) for part in result) for result in fast(trees)]
    for result, expected in zip(first, want, strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=2e-6)
    for _ in range(3):
        results = fast(trees)
        for n, (parts, before) in enumerate(zip(results, first, strict=True)):
            for g, e in zip(parts, before, strict=True):
                np.testing.assert_array_equal(g, e, err_msg=f"instance {n}")
                g[:] = np.nan  # type: ignore[index]
