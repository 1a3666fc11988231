"""Which kernels of a plan wait for which."""

from __future__ import annotations

import acrobat as ab
import workloads
from acrobat.kernels.specification.levels import kernel_levels
from acrobat.kernels.specification.spec import BlockPlan, Gate, KernelSpec, Operand, Store, Term
from acrobat.pipeline import run_pipeline
from workloads.data.source import TreeSource


def kernel(name: str, reads: tuple[Operand, ...], store: Store) -> KernelSpec:
    """Four rows of eight columns, stored eight apart or closer."""
    return KernelSpec(
        name=name,
        width=8,
        record=64,
        operands=(Operand("gathered", 8), *reads),
        weights=((8, 8),),
        vectors=(),
        gates=(Gate((Term(0, 0, 8, 0),)),),
        epilogue=(),
        stores=(store,),
        rows=4,
        scratch=64,
    )


def levels(*kernels: KernelSpec) -> list[int]:
    none = ((),) * len(kernels)
    return kernel_levels(BlockPlan("block", 64, (), kernels, none, none, none, 64))


def test_memory_that_meets() -> None:
    """A kernel waits for those that store what it reads, in the same place, and for no others."""
    first = kernel("first", (), Store(0, 0, row_stride=8, place="scratch"))
    beside = kernel("beside", (), Store(32, 0, row_stride=8, place="scratch"))
    record = kernel("record", (), Store(0, 0, row_stride=8))
    reader = kernel("reader", (Operand("scratch", 32, 0),), Store(0, 0, row_stride=8))
    last = kernel("last", (Operand("self", 8, 24),), Store(32, 0, row_stride=8))
    behind = kernel("behind", (Operand("self", 8, 32),), Store(40, 0, row_stride=8))
    assert levels(first, beside) == [0, 0]
    assert levels(first, reader) == [0, 1]
    assert levels(beside, reader) == levels(record, reader) == [0, 0]
    assert levels(first, reader, last) == [0, 1, 2]
    assert levels(first, reader, behind) == [0, 1, 0]


def test_a_number_per_row() -> None:
    scalar = kernel("scalar", (), Store(0, 0, row_stride=1, place="scratch", scalar=True))
    reader = kernel("reader", (Operand("scratch", 4, 0),), Store(0, 0, row_stride=8))
    behind = kernel("behind", (Operand("scratch", 4, 4),), Store(0, 0, row_stride=8))
    assert levels(scalar, reader) == [0, 1]
    assert levels(scalar, behind) == [0, 0]


def test_an_encoder_layer() -> None:
    """Scores wait for queries and keys, the softmax for scores, and so on down the layer."""
    workload = workloads.get("berxit")
    params = workload.make_params("tiny", 0, TreeSource(None))
    plans = run_pipeline(workload.model, params, ab.Options()).plans
    [layer] = [p for p in plans if len(p.kernels) > 5]
    found = kernel_levels(layer)
    assert found[0] == 0 and found[-1] == max(found)
    assert set(found) == set(range(max(found) + 1)), "a level that nothing waits for"
