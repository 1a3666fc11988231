"""Kernels without a contraction, for tests."""

from __future__ import annotations

from acrobat.kernels.specification.spec import Instr, KernelSpec, Operand, Store
from tests.kernels.kernel_specs import load, slot


def row_kernel(
    name: str, rows: int, width: int, code: list[Instr], scalar: bool = False
) -> KernelSpec:
    """A row kernel with two operands of the matrix' size that stores its last value."""
    return KernelSpec(
        name=name,
        width=width,
        record=slot(rows * width) + 16,
        operands=(Operand("gathered", rows * width), Operand("gathered", rows * width)),
        weights=(),
        vectors=(width,),
        gates=(),
        epilogue=tuple(code),
        stores=(Store(16, len(code) - 1, False, 1 if scalar else width, scalar=scalar),),
        rows=rows,
    )


def softmax(rows: int, width: int) -> KernelSpec:
    code = [load(0, 0, width), load(1, 0, width), Instr("add", (0, 1)), Instr("rmax", (2,))]
    code += [Instr("sub", (2, 3)), Instr("exp", (4,)), Instr("rsum", (5,)), Instr("div", (5, 6))]
    return row_kernel("softmax", rows, width, code)


def layer_norm(rows: int, width: int) -> KernelSpec:
    code = [load(0, 0, width), Instr("lit", (), 1 / width), Instr("rsum", (0,))]
    code += [Instr("mul", (2, 1)), Instr("sub", (0, 3)), Instr("mul", (4, 4)), Instr("rsum", (5,))]
    code += [Instr("mul", (6, 1)), Instr("lit", (), 1e-5), Instr("add", (7, 8))]
    code += [Instr("rsqrt", (9,)), Instr("mul", (4, 10)), Instr("load_shared", (0, 0, 0, 1))]
    return row_kernel("norm", rows, width, [*code, Instr("mul", (11, 12))])


def transpose(rows: int, width: int) -> KernelSpec:
    return row_kernel("transpose", rows, width, [load(0, 0, 1, rows)])


_MUL_TANH = (load(0), load(1, 2), Instr("mul", (0, 1)), Instr("tanh", (2,)))


def pointwise(width: int, code: tuple[Instr, ...] = _MUL_TANH, padded: bool = True) -> KernelSpec:
    """`code` on a row and on a row of a table, of which it skips the first two columns."""
    return KernelSpec(
        name="pointwise",
        width=width,
        record=slot(width) + 16,
        operands=(Operand("gathered", width), Operand("gathered_row", width + 2)),
        weights=(),
        vectors=(),
        gates=(),
        epilogue=code,
        stores=(Store(0, len(code) - 1, padded),),
    )
