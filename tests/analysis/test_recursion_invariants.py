"""What does not change along a recursion, and what a model passes on as a constant."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.ir import typed as T

# Compiled kernels are those of the other executor.
pytestmark = pytest.mark.usefixtures("interpreted_kernels")

Load = Callable[[str], ModuleType]

FOREST = """
@ab.data
class Nil:
    pass

@ab.data
class Tree:
    x: Tensor["H"]
    child: "Forest"
    sibling: "Forest"

Forest = Nil | Tree

@ab.params
class P:
    w: Tensor["H", "H"]
    u: Tensor["H", "H"]

@ab.model
def walk(
    p: P, f: Forest, parent: Tensor["H"], before: Tensor["H"], level: int
) -> Tensor["H"]:
    above = ops.tanh(parent @ p.w)
    h = ops.tanh(above + before @ p.u)
    match f:
        case Nil():
            return h
        case Tree(x, child, sibling):
            down, right = ab.parallel(
                walk(p, child, h + x, ops.zeros(p.u.shape[0]), level + 1),
                walk(p, sibling, parent, h, level),
            )
            return down + right * 0.5

@ab.model
def run(p: P, f: Forest, start: Tensor["H"]) -> Tensor["H"]:
    return walk(p, f, start, start, 0)
"""
H = 6


def weight(*shape: int, seed: int = 0) -> np.ndarray:
    return (np.random.default_rng([seed, *shape]).standard_normal(shape) * 0.4).astype(np.float32)


def forest(m: ModuleType, depth: int, width: int, seed: int = 0) -> object:
    """`width` siblings, of which each has a forest one less deep and one less wide."""
    made = m.Nil()
    for i in range(width if depth else 0):
        child = forest(m, depth - 1, width - 1, seed + i)
        made = m.Tree(weight(H, seed=seed + i), child, made)
    return made


def trees(m: ModuleType, f: Any) -> int:
    return 0 if isinstance(f, m.Nil) else 1 + trees(m, f.child) + trees(m, f.sibling)


@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_siblings_share_what_depends_on_their_parent(load_model: Load, executor: str) -> None:
    m = load_model(FOREST)
    params = m.P(w=weight(H, H), u=weight(H, H, seed=1))
    instances = [(forest(m, 3, w, seed=w), weight(H, seed=w)) for w in (0, 3, 2, 4)]
    n = sum(trees(m, f) for f, _ in instances)
    for on in (True, False):
        fast = ab.compile(m.run, params, options=ab.Options(hoisting=on, executor=executor))
        for got, instance in zip(fast(instances), instances, strict=True):
            np.testing.assert_allclose(got, m.run(params, *instance), atol=1e-5)
        calls, sums = len(instances) + 2 * n, 2 * n
        families = len(instances) + n if on else 0
        assert fast.last_profile.n_nodes == calls + sums + families


def test_the_function_is_split(load_model: Load) -> None:
    m = load_model(FOREST)
    fast = ab.compile(m.run, m.P(w=weight(H, H), u=weight(H, H, seed=1)))
    module = fast.compilation.stages["float_invariants"]
    assert isinstance(module, T.Module)
    inner = module.functions["walk#inner"]
    # Only the function that calls it needs the parent.
    assert [v.name for v in inner.params] == ["p", "f", "before", "level", "tanh"]
    assert [v.name for v in module.functions["walk"].params][2] == "parent"


def test_a_state_of_zeros_is_folded(load_model: Load) -> None:
    """The first child's state from its siblings is a constant; later siblings' is not."""
    m = load_model(FOREST)
    params = m.P(w=weight(H, H), u=weight(H, H, seed=1))
    fast = ab.compile(m.run, params)
    folded = [name for name in fast.compilation.weights if name.startswith("matmul(zeros(")]
    assert folded == [f"matmul(zeros(shape=({H},)), u)"]
    np.testing.assert_array_equal(fast.compilation.weights[folded[0]], np.zeros(H))
    insensitive = ab.compile(
        m.run, params, options=ab.Options(parameter_reuse="context-insensitive")
    )
    assert not any(name.startswith("matmul(") for name in insensitive.compilation.weights)


def test_what_only_some_calls_compute_stays(load_model: Load) -> None:
    m = load_model(
        """
@ab.params
class P:
    w: Tensor["H", "H"]

@ab.model
def f(p: P, x: Tensor["H"], y: Tensor["H"], n: int) -> Tensor["H"]:
    if n > 2:
        return f(p, x, y * 0.5, n - 1)
    z = ops.tanh(x @ p.w)
    if n > 0:
        return f(p, x, y + z, n - 1)
    return y

@ab.model
def g(p: P, x: Tensor["H"], y: Tensor["H"], n: int) -> Tensor["H"]:
    z = ops.tanh(y @ p.w) * x
    if n > 0:
        return g(p, x, z, n - 1)
    return z

@ab.model
def run(p: P, x: Tensor["H"], n: int) -> tuple[Tensor["H"], Tensor["H"]]:
    return f(p, x, x, n), g(p, x, x, n)
"""
    )
    params = m.P(w=weight(H, H))
    fast = ab.compile(m.run, params)
    module = fast.compilation.stages["float_invariants"]
    assert isinstance(module, T.Module)
    assert not any("inner" in f for f in module.functions)
    for n in (0, 1, 4):
        x = weight(H, seed=n)
        for got, want in zip(fast([(x, n)])[0], m.run(params, x, n), strict=True):
            np.testing.assert_allclose(got, want, atol=1e-5)
