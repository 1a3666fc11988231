"""Software prefetching.

Operands of the epilogue are prefetched before the products that precede it: they are scattered over
the arena, one or two cache lines at a time, where no hardware prefetcher finds them; the products
of a tile take long enough for the memory to respond.

Weights are prefetched some steps of k before their products: a column block is read from the
second-level cache for every row tile, and the hardware prefetcher is a little late for every line.
(A Xeon with AVX-512, K = 768, 8 rows: 12 cycles per k for 16 multiply-adds, which take 8.) The
schedule determines by how many steps.
"""

from __future__ import annotations

from ...specification.spec import KernelSpec, strides
from .access import Access, first_column, int64
from .template import Template

LINE = 16  # floats


def prefetch(element: str) -> str:
    """A statement that prefetches the cache line of `element`, which need not exist."""
    return (
        f"T.evaluate(T.call_llvm_intrin('void', 'llvm.prefetch', T.address_of({element}), "
        "T.int32(0), T.int32(3), T.int32(1)))"
    )


def prefetches(spec: KernelSpec, access: Access, template: Template, r: int) -> list[str]:
    """Statements that prefetch what the epilogue of one tile reads through offsets."""
    read = {
        (i.args[0], *strides(i))
        for i in spec.epilogue
        if i.fn == "load" and spec.operands[i.args[0]].kind in ("gathered", "gathered_row")
    }
    lines: list[str] = []
    for operand, offset, row_stride, column_stride in sorted(read):
        if column_stride != 1:
            continue
        for at in range(0, template.jv, LINE):
            column = f"{first_column(template)} + {int64(offset + at)}"
            if spec.rows > 1 and row_stride:
                column += f" + {access.m('r')} * {int64(row_stride)}"
            lines.append("    " + prefetch(access.element(operand, column, "r")))
    return [f"for r in T.unroll({int64(r)}):", *lines] if lines else []
