"""Weights chosen by a number: nodes of a batch that chose the same matrix of a table share it."""

from __future__ import annotations

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Options, Tensor, ops
from tests.programs.tables_of_matrices import instances, use, weights
from tests.selection import some

# Compiled kernels are those of the other executor.
pytestmark = pytest.mark.usefixtures("interpreted_kernels")

SETTINGS = {
    "one thread": Options(threads=1),
    "two threads": Options(threads=2),
    "vm": Options(executor="vm"),
    "agenda": Options(scheduler="agenda", threads=1),
    "runtime depth": Options(scheduler="runtime_depth", threads=1),
    "no gather fusion": Options(gather_fusion=False, threads=1),
    "no kernel fusion": Options(kernel_fusion=False, threads=1),
    "no horizontal fusion": Options(horizontal_fusion=False, threads=1),
    "no parameter reuse": Options(parameter_reuse="off", threads=1),
    "no fibers": Options(fibers=False, threads=1),
    "check finite": Options(check_finite=True, threads=1),
    "all off": Options.all_off(),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "setting", some(SETTINGS, always=lambda name: name in ("two threads", "vm", "all off"))
)
def test_results_are_those_of_plain_python(setting: str) -> None:
    p = weights()
    fast = ab.compile(use, p, target="cpu", options=SETTINGS[setting])
    for count in (1, 2, 11, 64, 300):
        given = instances(count, seed=count)
        for got, item in zip(fast(given), given, strict=True):
            for a, b in zip(got, use(p, item), strict=True):
                np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("threads", [1, 2])
def test_what_else_is_in_the_batch_changes_no_bit(threads: int) -> None:
    fast = ab.compile(use, weights(), target="cpu", options=Options(threads=threads))
    given = instances(88)
    alone = [fast([x])[0] for x in given]
    rng = np.random.default_rng(1)
    for count in (2, 11, 40, 88):
        chosen = rng.permutation(len(given))[:count]
        for got, i in zip(fast([given[i] for i in chosen]), chosen, strict=True):
            for a, b in zip(got, alone[i], strict=True):
                np.testing.assert_array_equal(a, b)


@ab.params
class Table:
    table: Float32[Tensor, "K H H"]


@ab.data
class Chosen:
    k: int
    x: Float32[Tensor, "H"]


@ab.model
def one(p: Table, t: Chosen) -> Float32[Tensor, "H"]:
    return ops.tanh(t.x @ p.table[t.k])


@pytest.mark.parametrize("k", [1, 3, 1000])
def test_tables_of_one_a_few_and_many_matrices(k: int) -> None:
    rng = np.random.default_rng(k)
    p = Table(table=(rng.standard_normal((k, 46, 46)) / 6).astype(np.float32))
    xs = rng.standard_normal((64, 46)).astype(np.float32)
    given = [Chosen(int(rng.integers(-k, k)), x) for x in xs]
    same = [Chosen(k - 1, t.x) for t in given]
    apart = [Chosen(n % k, t.x) for n, t in enumerate(given)]
    fast = ab.compile(one, p, target="cpu")
    for batch in (given, same, apart):
        np.testing.assert_allclose(fast(batch), [one(p, t) for t in batch], rtol=1e-5, atol=1e-5)
    for wrong in (k, -k - 1):
        with pytest.raises(ab.InstanceError, match=f"^instances\\[1\\]: row {wrong} of table does"):
            fast([given[0], Chosen(wrong, given[0].x)])
