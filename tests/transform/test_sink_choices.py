"""A matrix chosen in front of a loop or a branch is chosen where it is used, in any form."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab

DECLARATIONS = """
@ab.params
class P:
    experts: Tensor["E", "H", "H"]
    u: Tensor["H", "H"]

@ab.data
class Item:
    k: int
    x: Tensor["H"]
    steps: list[int]

@ab.model
def grow(p: P, h: Tensor["H"], n: int) -> Tensor["H"]:
    if n <= 0:
        return h
    return grow(p, ops.tanh(h @ p.u), n - 1)

@ab.model
def f(p: P, t: Item) -> Tensor["H"]:
    h = t.x
    w = p.experts[t.k]
"""

# Everything in sight is chosen in the block that uses it.
SUNK = {
    "in a loop": """
    for s in t.steps:
        h = ops.tanh(h @ w)
    return h
""",
    "in loops and branches": """
    for s in t.steps:
        if s > 2:
            for _ in range(2):
                h = ops.tanh(h @ w)
        elif s == 1:
            h = h - h @ w
    return h
""",
    "behind a call": """
    h = grow(p, h, t.k)
    return h @ w + ops.tanh(h) @ w
""",
    "by columns and in parts": """
    v = ops.transpose(w)
    for s in t.steps:
        h = ops.tanh(w @ h + h @ v + ops.sum(h[0:2] @ w[0:2][:, 0:3]))
    return h
""",
    "of another choice": """
    for s in t.steps:
        v = p.experts[s]
        for _ in range(2):
            h = ops.tanh(h @ v - h @ w)
    return h
""",
    "while deciding": """
    n = 0
    while n < 3 and ops.item(ops.sum(h @ w)) < 2.0:
        h = ops.tanh(h @ w)
        n = n + 1
    return h
""",
}

# What is passed on is read through references.
PASSED_ON = {
    "in a list": """
    ws = [w, p.experts[0]]
    for s in t.steps:
        h = ops.tanh(h @ ws[s % 2])
    return h
""",
    "from a branch": """
    if t.k > 1:
        w = p.u
    for s in t.steps:
        h = ops.tanh(h @ w)
    return h
""",
}


def compiled(load_model: Callable[[str], ModuleType], body: str) -> ab.CompiledModel[Any, Any]:
    module = load_model(DECLARATIONS + body)
    rng = np.random.default_rng(0)

    def draw(*shape: int) -> np.ndarray:
        return (rng.standard_normal(shape) / 2).astype(np.float32)

    p = module.P(experts=draw(4, 4, 4), u=draw(4, 4))
    items = [
        module.Item(int(rng.integers(-4, 4)), draw(4), [int(s) for s in rng.integers(0, 4, n % 4)])
        for n in range(9)
    ]
    fast = ab.compile(module.f, p, "cpu", ab.Options(executor="vm"))
    for batch in (items, items[:1], []):
        for got, item in zip(fast(batch), batch, strict=True):
            np.testing.assert_allclose(got, module.f(p, item), rtol=1e-5, atol=1e-5)
    return fast


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("body", SUNK.values(), ids=SUNK)
def test_a_block_reads_the_table_itself(load_model: Callable[[str], ModuleType], body: str) -> None:
    fast = compiled(load_model, body)
    batched = fast.ir("batched")
    assert "a row of experts Tensor[4, 4]" in batched
    assert "= row of experts" not in batched
    assert "per instance Tensor[4, 4]" not in batched


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("body", PASSED_ON.values(), ids=PASSED_ON)
def test_a_matrix_that_is_passed_on_is_a_reference(
    load_model: Callable[[str], ModuleType], body: str
) -> None:
    fast = compiled(load_model, body)
    batched = fast.ir("batched")
    assert "= row of experts" in batched and "per instance Tensor[4, 4]" in batched
