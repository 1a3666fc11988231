"""Operands of the epilogue are asked for before the products that precede it.

They lie scattered over the arena, a cache line or two at a time, where no hardware prefetcher finds
them; the products of a tile take long enough for the memory to answer.
"""

from __future__ import annotations

from ..spec import KernelSpec, strides
from .access import Access, int64
from .template import Template

LINE = 16  # floats


def prefetches(spec: KernelSpec, access: Access, template: Template, r: int) -> list[str]:
    """Statements that ask for what the epilogue of one tile reads through offsets."""
    read = {
        (i.args[0], *strides(i))
        for i in spec.epilogue
        if i.fn == "row" and spec.operands[i.args[0]].kind in ("row", "table")
    }
    lines: list[str] = []
    for operand, offset, row_stride, column_stride in sorted(read):
        if column_stride != 1:
            continue
        for at in range(0, template.jv, LINE):
            column = f"jo * {int64(template.jv)} + {int64(offset + at)}"
            if spec.rows > 1 and row_stride:
                column += f" + {access.m('r')} * {int64(row_stride)}"
            lines.append(
                "    T.evaluate(T.call_llvm_intrin('void', 'llvm.prefetch', "
                f"T.address_of({access.element(operand, column, 'r')}), "
                "T.int32(0), T.int32(3), T.int32(1)))"
            )
    return [f"for r in T.unroll({int64(r)}):", *lines] if lines else []
