"""Tensors of rank 3 are tables of matrices: rows are taken of them, and operations refuse them."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

import acrobat as ab
from acrobat.frontend.module import lower_model

TYPES = """
@ab.params
class P:
    b: Tensor["3"]
    table: Tensor["2", "3", "3"]

@ab.data
class X:
    a: Tensor["2", "3", "3"]

"""


@pytest.mark.parametrize(
    ("expression", "message", "hint"),
    [
        ("x.a + x.a", "add of a Tensor[2, 3, 3]", "one of its matrices, `x.a[i]`"),
        ("ops.tanh(p.table)", "tanh of a Tensor[2, 3, 3]", "one of its matrices, `p.table[i]`"),
        ("ops.sum(x.a)", "sum of a Tensor[2, 3, 3]", "one of its matrices, `x.a[i]`"),
        ("ops.concat(p.b, x.a)", "concat of a Tensor[2, 3, 3]", "one of its matrices, `x.a[i]`"),
        ("p.b @ x.a", "matmul of a Tensor[2, 3, 3]", "one of its matrices, `x.a[i]`"),
        ("ops.reshape(p.b, 1, 1, 3)", "reshape to a Tensor[1, 1, 3]", "a list of matrices"),
    ],
)
def test_operations_have_rank_2_at_most(
    load_model: Callable[[str], ModuleType], expression: str, message: str, hint: str
) -> None:
    m = load_model(
        f"{TYPES}@ab.model\ndef f(p: P, x: X) -> Tensor['3']:\n    return {expression}\n"
    )
    with pytest.raises(ab.ModelError) as caught:
        lower_model(m.f)
    [error] = caught.value.errors
    assert (error.code, error.message, error.hint) == (
        "AC010",
        f"{message}: operations are on tensors of rank 2 at most",
        hint,
    )
    shown = caught.value.render().split("\n")
    assert shown[1:3] == [f"    return {expression}", "           " + "^" * len(expression)]


def test_no_tensor_has_rank_4(load_model: Callable[[str], ModuleType]) -> None:
    m = load_model(
        "@ab.params\nclass P:\n    b: Tensor['3']\n    w: Tensor['2', '2', '3', '3']\n\n"
        "@ab.model\ndef f(p: P, x: int) -> Tensor['3']:\n    return p.b\n"
    )
    with pytest.raises(ab.ModelError) as caught:
        lower_model(m.f)
    assert caught.value.render().split("\n")[1:] == [
        "    def f(p: P, x: int) -> Tensor['3']:",
        "          ^^^^",
        "AC004: the hint of 'p': P.w: Tensor[2, 2, 3, 3] has rank 4, and rank 3 is the most: a "
        "table of matrices",
        "  instead: a tensor of fewer axes, or a list of tensors",
    ]


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_rows_of_tables_that_instances_bring(
    executor: str, load_model: Callable[[str], ModuleType]
) -> None:
    m = load_model(
        f"{TYPES}@ab.model\ndef f(p: P, x: X) -> tuple[Tensor['3'], Tensor['2', '3', '3']]:\n"
        f"    return p.b @ x.a[1] + ops.tanh(p.table[0][-1]), x.a\n"
    )
    rng = np.random.default_rng(0)
    p = m.P(b=rng.normal(size=3), table=rng.normal(size=(2, 3, 3)))
    x = m.X(rng.normal(size=(2, 3, 3)).astype(np.float32))
    [(got, same)] = ab.compile(m.f, p, "cpu", ab.Options(executor=executor))([x])
    np.testing.assert_allclose(got, m.f(p, x)[0], rtol=1e-5)
    np.testing.assert_array_equal(same, x.a)
