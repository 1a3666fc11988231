"""What decisions need moves up, so that those that follow each other wait together."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.ir.types import TensorType, Type
from acrobat.transform import speculate
from tests.selection import some

pytestmark = pytest.mark.usefixtures("interpreted_kernels")

Load = Callable[[str], ModuleType]

PARAMS = """
@ab.params
class P:
    emb: Tensor["V", "H"]
    w: Tensor["H", "H"]
    a: Tensor["H", 1]
    b: Tensor["H", 1]
"""

# The second decision is in a branch, and needs nothing that the first one decides.
TWO = """
@ab.model
def run(p: P, word: int, level: int) -> tuple[Tensor["H"], int]:
    h = ops.tanh(p.emb[word] @ p.w)
    taken = 0
    if level > 0:
        if ops.item(h @ p.a) > 0.0:
            taken += 1
    if level > 1:
        if ops.item(h @ p.b) > 0.0:
            taken += 2
    return h, taken
"""

# In the branch the row is there.
NO_ROW = """
@ab.model
def run(p: P, word: int, level: int) -> tuple[Tensor["H"], int]:
    h = ops.tanh(p.emb[word] @ p.w)
    taken = 0
    if level < 12:
        if ops.item(p.emb[level] @ p.a) > 0.0:
            taken += 1
    return h, taken
"""

# A matrix product is too much to compute in vain, but may leave the decision before it.
HEAVY = """
@ab.model
def run(p: P, word: int, level: int) -> tuple[Tensor["H"], int]:
    h = ops.tanh(p.emb[word] @ p.w)
    taken = 0
    if ops.item(h @ p.a) > 0.0:
        taken += 1
    if level > 0:
        x = ops.tanh(h @ p.w)
        if ops.item(x @ p.b) > 0.0:
            taken += 2
    return h, taken
"""

# Each iteration's first decision stays in its iteration; its second joins the first.
LOOP = """
@ab.model
def run(p: P, word: int, level: int) -> tuple[Tensor["H"], int]:
    h = p.emb[word]
    taken = 0
    for i in range(level):
        h = ops.tanh(h @ p.w)
        if ops.item(h @ p.a) > 0.0:
            taken += 1
        if ops.item(h @ p.b) > 0.0:
            taken += 2
    return h, taken
"""

INSTANCES = [(word, level) for word in (1, 5, 11) for level in (0, 1, 2)]


def _weights(m: ModuleType) -> Any:
    rng = np.random.default_rng(3)
    shapes = {"emb": (12, 80), "w": (80, 80), "a": (80, 1), "b": (80, 1)}
    return m.P(**{k: rng.normal(0, 0.3, s).astype(np.float32) for k, s in shapes.items()})


def _agrees(m: ModuleType, p: Any, fast: Any, instances: list[tuple[int, int]]) -> None:
    for (h, taken), instance in zip(fast(instances), instances, strict=True):
        expected, decided = m.run(p, *instance)
        assert taken == decided
        np.testing.assert_allclose(h, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("source", "waits", "executor"),
    some(
        [
            (source, waits, executor)
            for source, waits in ((TWO, (1, 2)), (HEAVY, (2, 2)), (LOOP, (2, 4)))
            for executor in ("aot", "vm")
        ],
        always=lambda source, waits, executor: executor == "vm" or source == LOOP,
    ),
    ids=[f"{name}-{executor}" for name in ("two", "heavy", "loop") for executor in ("aot", "vm")],
)
def test_decisions_wait_together(
    load_model: Load, source: str, waits: tuple[int, int], executor: str
) -> None:
    m = load_model(PARAMS + source)
    p = _weights(m)
    for on, expected in zip((True, False), waits, strict=True):
        fast = ab.compile(m.run, p, options=ab.Options(speculation=on, executor=executor))
        _agrees(m, p, fast, INSTANCES)
        assert fast.last_profile.n_syncs == expected


def test_what_can_fail_stays_where_it_is(load_model: Load) -> None:
    m = load_model(PARAMS + NO_ROW)
    p = _weights(m)
    fast = ab.compile(m.run, p)
    _agrees(m, p, fast, [(1, 0), (5, 11), (5, 12), (1, 100)])


@pytest.mark.slow
def test_a_product_stays_in_its_branch(load_model: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    m = load_model(PARAMS + HEAVY)

    def tensor(t: Type) -> TensorType:
        assert isinstance(t, TensorType)
        return t

    def most_products() -> int:
        blocks = ab.compile(m.run, _weights(m)).compilation.module.blocks
        return max(
            sum(o.op.name == "matmul" and tensor(o.out.type).size == 80 for o in b.ops)
            for b in blocks
        )

    assert most_products() == 1
    monkeypatch.setattr(speculate, "MOST_WORK", 1 << 20)
    assert most_products() == 2
