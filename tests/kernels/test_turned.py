"""Products with the transpose of a weight, which is packed in its place."""

from __future__ import annotations

from acrobat.kernels.specification.spec import Gate, Instr, KernelSpec, Operand, Store, Term
from tests.kernels import run_cuda, run_kernel


def turned(width: int, k: int) -> KernelSpec:
    """Two parts of a transpose beside the weight itself."""
    terms = (
        Term(0, 0, k, 0, 1, 2, turned=True),
        Term(0, 0, k, 0, 2, 1),
        Term(0, 0, k, 1, 0, 0, turned=True),
    )
    return KernelSpec(
        name="turned",
        width=width,
        record=64,
        operands=(Operand("gathered", k),),
        weights=((width + k + 2, width + k + 1), (width, k)),
        vectors=(),
        gates=(Gate(terms),),
        epilogue=(Instr("acc", (0,)),),
        stores=(Store(0, 0),),
    )


def test_on_the_cpu() -> None:
    run_kernel.run(turned(20, 33))


def test_on_a_gpu() -> None:
    run_cuda.run(turned(20, 33), 5)
