"""Expressions: made once, printed, checked, moved."""

from __future__ import annotations

import re

import pytest

from acrobat.errors import CompilerBug
from acrobat.kernels.lowering.rewrite import down, merge_sums, replaced, shift, with_strides
from acrobat.kernels.specification.expr import Expr, Pool, Product, Region
from acrobat.kernels.specification.print_expr import print_exprs
from acrobat.kernels.specification.verify_expr import verify_exprs

X, Y, T = Region("gathered", 0), Region("gathered", 1), Region("temp", 2)


def gate(pool: Pool, x: Region = X, weight: str = "w") -> Expr:
    return pool.contraction([Product(x, 2, 4, 4, 1, row=3, col=0, weight=weight)])


def cell(pool: Pool) -> Expr:
    biased = pool.apply("add", gate(pool), pool.shared("b", 0, 0, 1))
    return pool.apply("mul", pool.apply("tanh", biased), pool.load(Y, 5, 8, 1))


def test_equal_expressions_are_one() -> None:
    pool = Pool()
    assert cell(pool) is cell(pool)
    assert pool.load(X, 0, 1, 1) is not pool.load(X, 0, 1, 2)
    added, subtracted = (pool.apply(fn, gate(pool), gate(pool)) for fn in ("add", "sub"))
    assert added is not subtracted
    assert pool.reduction("rsum", 4, gate(pool)) is not pool.reduction("rmax", 4, gate(pool))


def test_text() -> None:
    assert print_exprs([cell(Pool())]) == (
        "%0 = gathered1[5 + 8*m + j]\n"
        "%1 = b[j]\n"
        "%2 = sum k < 4: gathered0[2 + 4*m + k] * w[3 + k, j]\n"
        "%3 = add %2, %1\n"
        "%4 = tanh %3\n"
        "%5 = mul %4, %0\n"
    )


def test_text_of_reductions_and_own_matrices() -> None:
    pool = Pool()
    x = pool.load(T, 0, 3, 1)
    assert print_exprs([pool.apply("div", x, pool.reduction("rsum", 3, x))]) == (
        "%0 = temp2[3*m + j]\n%1 = rsum %0 over 3\n%2 = div %0, %1\n"
    )
    own = pool.contraction([Product(X, 0, 3, 3, 1, row=5, col=7, matrix=Y)])
    assert print_exprs([own, pool.number(0.5)]) == (
        "%0 = sum k < 3: gathered0[3*m + k] * gathered1[7 + 5*k + j]\n%1 = 0.5\n"
    )


def test_columns_and_rows_are_strides() -> None:
    pool = Pool()
    assert "gathered1[7 + 8*m + j]" in print_exprs([shift(pool, cell(pool), 2)])
    assert "w[3 + k, 2 + j]" in print_exprs([shift(pool, cell(pool), 2)])
    assert "gathered1[21 + 8*m + j]" in print_exprs([down(pool, cell(pool), 2)])
    assert "gathered0[10 + 4*m + k] * w[3 + k, j]" in print_exprs([down(pool, cell(pool), 2)])
    swapped = with_strides(pool, pool.load(Y, 5, 8, 1), lambda rs, cs: (cs, rs))
    assert swapped is pool.load(Y, 5, 1, 8)
    assert shift(pool, cell(pool), 0) is cell(pool)


def test_a_part_is_replaced_under_reductions_too() -> None:
    pool = Pool()
    stored = pool.load(T, 0, 0, 1)
    for wrap in (lambda e: pool.reduction("rmax", 4, e), lambda e: pool.apply("exp", e)):
        assert replaced(pool, wrap(gate(pool)), gate(pool), stored) is wrap(stored)


def test_sums_of_contractions_are_merged() -> None:
    pool = Pool()
    both = pool.apply("add", gate(pool), gate(pool, Y, "u"))
    assert print_exprs([merge_sums(pool, both)]) == (
        "%0 = sum k < 4: gathered0[2 + 4*m + k] * w[3 + k, j] + "
        "sum k < 4: gathered1[2 + 4*m + k] * u[3 + k, j]\n"
    )
    # Not if something else reads a part.
    shared = pool.apply("mul", both, gate(pool))
    assert merge_sums(pool, shared) is shared


def broken() -> dict[str, Expr]:
    pool = Pool()
    x = pool.load(X, 0, 0, 1)
    two = Product(X, 0, 4, 0, 1, row=0, col=0, weight="w", matrix=Y)
    none = Product(X, 0, 4, 0, 1, row=0, col=0)
    return {
        "a contraction beside a reduction": pool.apply(
            "add", gate(pool), pool.reduction("rsum", 4, x)
        ),
        "a contraction without terms": pool.contraction([]),
        "a term needs a weight or a matrix, and not both": pool.apply(
            "add", pool.contraction([two]), pool.contraction([none])
        ),
        "a reduction over 3 columns of 4": pool.reduction("rsum", 3, x),
        "add of nothing": pool.apply("add"),
        "a read from -1 on": pool.load(X, -1, 0, 1),
    }


@pytest.mark.parametrize("what", broken())
def test_the_check_names_what_is_wrong(what: str) -> None:
    e = broken()[what]
    message = f"kernel block_k0: {what}\n{print_exprs([e])}"
    with pytest.raises(CompilerBug, match=f"^{re.escape(message)}$"):
        verify_exprs("block_k0", [e], 4)
