"""What a profile says of kernels: shares of the time, calls by number of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat import Float32, Tensor, ops
from acrobat.kernels.specification.spec import KernelSpec
from acrobat.tuning.uses import Calls, Use, classes, find_uses, tunable
from tests.kernels.kernel_specs import wide
from tests.programs.reference_kernels import reference_kernels


def test_calls_are_classed_by_rows() -> None:
    use = Use(wide(16, 8, 1), {1: 100, 5: 2, 7: 4, 8: 1, 64: 3, 2000: 1, 40: 1}, 1.0)
    # By classes of 1, 8, 64 and 2048 rows; a call of 7 nodes stands for those of 5 and 8.
    assert classes(use) == [
        Calls(1, 1, 100.0),
        Calls(8, 7, (10 + 28 + 8) / 7),
        Calls(64, 64, (192 + 40) / 64),
        Calls(2048, 2000, 1.0),
    ]


def test_rows_count_not_nodes() -> None:
    assert classes(Use(wide(16, 8, 1, rows=9), {3: 2}, 1.0)) == [Calls(32, 3, 2.0)]


def test_long_calls_are_measured_in_part() -> None:
    assert classes(Use(wide(16, 8, 1), {8000: 3}, 1.0)) == [Calls(8192, 2048, 3 * 8000 / 2048)]
    large = wide(3072, 768, 1)
    assert classes(Use(large, {8000: 1}, 1.0)) == [Calls(8192, 211, 8000 / 211)]
    assert classes(Use(wide(3072, 768, 1, 128), {60: 1}, 1.0)) == [Calls(8192, 1, 60.0)]


def test_the_classes_of_most_time_are_kept() -> None:
    use = Use(wide(16, 8, 1), {1: 1, 2: 1, 4: 1, 8: 1, 16: 1}, 1.0)
    assert [c.rows for c in classes(use)] == [2, 4, 8, 16]


def test_kernels_without_products_are_not_tuned() -> None:
    spec: KernelSpec = wide(16, 8, 1)
    assert tunable(spec)
    assert not tunable(KernelSpec("copy", 16, 16, spec.operands, (), (), (), (), ()))


@ab.data
class Leaf:
    word: int


@ab.data
class Node:
    left: "Leaf | Node"
    right: "Leaf | Node"


@ab.params
class Weights:
    emb: Float32[Tensor, "V H"]
    w: Float32[Tensor, "2H H"]
    out: Float32[Tensor, "H C"]


@ab.model
def encode(p: Weights, tree: Leaf | Node) -> Float32[Tensor, "H"]:
    match tree:
        case Leaf(word):
            return p.emb[word]
        case Node(left, right):
            return ops.tanh(ops.concat(encode(p, left), encode(p, right)) @ p.w)


@ab.model
def classify(p: Weights, tree: Leaf | Node) -> Float32[Tensor, "C"]:
    return encode(p, tree) @ p.out


@pytest.fixture
def program() -> Iterator[ab.CompiledModel]:  # type: ignore[type-arg]
    rng = np.random.default_rng(0)
    weights = Weights(
        emb=rng.normal(size=(9, 4)), w=rng.normal(size=(8, 4)), out=rng.normal(size=(4, 3))
    )
    with reference_kernels():
        yield ab.compile(classify, weights, "cpu", ab.Options(executor="vm"))


def test_uses_of_a_program(program: ab.CompiledModel) -> None:  # type: ignore[type-arg]
    def four() -> Node:  # objects that occur twice are computed once
        return Node(Node(Leaf(1), Leaf(2)), Node(Leaf(3), Leaf(4)))

    run: Any = program.program
    found = find_uses(run.layout, [run.trace(run.convert([four(), four(), Leaf(1)]))])
    by_k = {u.spec.gates[0].terms[0].k * len(u.spec.gates[0].terms): u for u in found}
    # Two trees of four leaves: four nodes, then two; and three classifiers.
    assert by_k[8].calls == {4: 1, 2: 1}
    assert by_k[4].calls == {3: 1}
    assert sum(u.share for u in found) == pytest.approx(1.0, abs=1e-3)
    assert all(u.share > 0 for u in found)


def test_what_cannot_be_tuned(program: ab.CompiledModel) -> None:  # type: ignore[type-arg]
    with pytest.raises(ValueError, match=r"^tune needs instances: ab.tune\(fast, instances\)$"):
        ab.tune(program)
    with pytest.raises(ValueError, match=r"^seconds=0: tuning takes some, 60 for a model of a few"):
        ab.tune(program, [Leaf(1)], seconds=0)
    off = ab.compile(classify, program.params, "cpu", ab.Options(executor="vm", autoschedule=False))
    with pytest.raises(
        ab.OptionError,
        match=r"^Options.autoschedule=False: what is found would not be used; compile the model "
        r"with it$",
    ):
        ab.tune(off, [Leaf(1)])
