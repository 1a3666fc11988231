"""Blocks with more operands than a kernel may have: lowered to several kernels, never refused."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

import acrobat as ab
from acrobat.ir import typed as T
from acrobat.kernels.specification.spec import BlockPlan
from acrobat.limits import MAX_OPERANDS
from tests.kernels.run_block import Builder, judge

Load = Callable[[str], ModuleType]


def check_limit(plans: list[BlockPlan]) -> list[int]:
    """The kernels per plan; none has more operands than there is room for."""
    for plan in plans:
        assert max(len(k.indexed) for k in plan.kernels) <= MAX_OPERANDS
    return [len(plan.kernels) for plan in plans]


def total(b: Builder, parts: list[T.Var]) -> T.Var:
    return functools.reduce(lambda x, y: b.op("add", x, y), parts)


@pytest.mark.parametrize(("count", "kernels"), [(64, 1), (65, 2), (70, 2), (127, 2), (200, 4)])
def test_sums(count: int, kernels: int) -> None:
    b = Builder()
    plans = judge(b, total(b, [b.gathered(5) for _ in range(count)]))
    fused, _, *rest = check_limit(plans)
    assert fused == kernels
    assert max(len(k.indexed) for k in plans[0].kernels) == 64
    assert all(n >= kernels for n in rest)


@pytest.mark.parametrize("rows", [1, 3])
def test_two_sums_share_their_pieces(rows: int) -> None:
    b = Builder()
    dims = (5,) if rows == 1 else (rows, 5)
    many = total(b, [b.gathered(*dims) for _ in range(70)])
    plans = judge(b, b.op("tanh", many), b.op("exp", many))
    assert check_limit(plans)[0] == 2


def test_wide_trees_of_sums() -> None:
    b = Builder()
    parts = [b.gathered(5) for _ in range(130)]
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=False)
        parts = [*(b.op("add", x, y) for x, y in pairs), *parts[len(parts) // 2 * 2 :]]
    check_limit(judge(b, parts[0]))


@pytest.mark.parametrize("axis", [-1, 0])
def test_concatenations(axis: int) -> None:
    b = Builder()
    dims = (3, 4) if axis == 0 else (4,)
    check_limit(judge(b, b.op("concat", *(b.gathered(*dims) for _ in range(100)), axis=axis)))


def test_stacks() -> None:
    b = Builder()
    check_limit(judge(b, b.op("stack", *(b.gathered(4) for _ in range(100)))))


def test_contractions() -> None:
    """A contraction of a concatenation has an operand per part."""
    b = Builder()
    parts = b.op("concat", *(b.gathered(4) for _ in range(100)), axis=-1)
    plans = judge(b, b.op("linear", parts, b.shared(400, 6), b.gathered(6)), rtol=1e-3)
    assert check_limit(plans)[0] == 2


def test_own_matrices() -> None:
    b = Builder()
    products = [b.op("matmul", b.gathered(3), b.gathered(3, 5)) for _ in range(40)]
    check_limit(judge(b, b.op("softmax", total(b, products)), rtol=1e-3))


def test_reductions() -> None:
    b = Builder()
    scaled = [b.op("mul", b.gathered(6), b.gathered()) for _ in range(40)]
    many = b.op("softmax", total(b, scaled))
    check_limit(judge(b, b.op("sum", many), b.op("layer_norm", many, b.gathered(6), b.gathered(6))))


def test_contractions_beside_each_other() -> None:
    """Gates of one shape share a kernel until their operands do not fit."""
    b = Builder()
    outputs = []
    for _ in range(8):
        parts = b.op("concat", *(b.gathered(4) for _ in range(20)), axis=-1)
        outputs.append(b.op("tanh", b.op("matmul", parts, b.shared(80, 6))))
    check_limit(judge(b, *outputs, rtol=1e-3))


MODEL = """
@ab.params
class P:
    b: Tensor["H"]

@ab.data
class Item:
    xs: list[Tensor["H"]]

@ab.model
def many(p: P, item: Item) -> tuple[{results}]:
    xs = item.xs
{gets}
    joined = ops.concat({joined})
    return {values}
"""

COUNTS = (70, 200)


def source() -> str:
    sums = [" + ".join(f"x{i}" for i in range(n)) for n in COUNTS]
    values = [*(f"{s} + p.b" for s in sums), "joined"]
    types = [*['Tensor["H"]'] * len(COUNTS), 'Tensor["100H"]']
    return MODEL.format(
        results=", ".join(types),
        gets="\n".join(f"    x{i} = xs[{i}]" for i in range(200)),
        joined=", ".join(f"x{i}" for i in range(100)),
        values=", ".join(values),
    )


@pytest.mark.slow
def test_a_model_with_many_operands_is_like_plain_python(load_model: Load) -> None:
    module = load_model(source())
    rng = np.random.default_rng(0)
    params = module.P(b=rng.normal(size=4).astype(np.float32))
    instances = [
        module.Item([rng.normal(size=4).astype(np.float32) for _ in range(200)]) for _ in range(3)
    ]
    fast = ab.compile(module.many, params, options=ab.Options(threads=1))
    for got, item in zip(fast(instances), instances, strict=True):
        for g, w in zip(got, module.many(params, item), strict=True):
            np.testing.assert_allclose(g, w, rtol=1e-5, atol=2e-5)
