"""Addresses within a kernel: which node and row a tile's row belongs to, and where its operands
are. All as TVMScript expressions of type int64."""

from __future__ import annotations

from ...specification.spec import Instr, KernelSpec, Matrix, Operand, Term, strides
from .template import Template


def int64(n: int) -> str:
    """A constant."""
    return f"T.int64({n})"


def total(*parts: str) -> str:
    """The sum of `parts`, zeros left out."""
    kept = [p for p in parts if p != int64(0)]
    return " + ".join(kept) or int64(0)


def times(factor: str, n: int) -> str:
    """factor * n."""
    if n == 0:
        return int64(0)
    return factor if n == 1 else f"{factor} * {int64(n)}"


def first_column(template: Template) -> str:
    """The first column of block `jo`."""
    start = times("jo", template.jv)
    if template.blocks * template.jv == template.width:
        return start
    return f"T.min({start}, {int64(template.width - template.jv)})"


class Access:
    """The addresses of one kernel variant with `tile` rows.

    A row of the call is number q; it is row q % M of node q / M. In a loop over the tile's rows,
    `r` is the row's number in the tile (an expression). With M = 1 node and q are the same. With
    `within_node` all rows of a tile are consecutive rows of one node.
    """

    def __init__(self, spec: KernelSpec, tile: int, within_node: bool) -> None:
        self.spec, self.tile, self.within = spec, tile, within_node
        self.chosen = spec.chosen

    def prologue(self) -> list[str]:
        """Statements at the beginning of a tile: node and row of each of its rows."""
        if self.spec.rows == 1:
            return []
        m, tile = int64(self.spec.rows), int64(self.tile)
        count, loop, r = tile, [f"for r in T.unroll({tile}):"], "r"
        if self.within:
            count, loop, r = int64(1), [], int64(0)
        q = f"(q0 + ib * {tile} + {r})"
        indent = "    " * len(loop)
        return [
            f"node = T.alloc_buffer(({count},), 'int64', scope='local')",
            f"row = T.alloc_buffer(({count},), 'int64', scope='local')",
            *loop,
            f"{indent}node[{r}] = T.truncdiv({q}, {m})",
            f"{indent}row[{r}] = {q} - node[{r}] * {m}",
        ]

    def node(self, r: str) -> str:
        """The node of the tile's row `r`, counted from the batch's first."""
        if self.spec.rows == 1:
            return f"(q0 + ib * {int64(self.tile)} + {r})"
        return f"node[{int64(0)}]" if self.within else f"node[{r}]"

    def m(self, r: str) -> str:
        """The row within the node of the tile's row `r`."""
        if self.spec.rows == 1:
            return int64(0)
        return f"(row[{int64(0)}] + {r})" if self.within else f"row[{r}]"

    def base(self, operand: Operand, number: int, r: str) -> tuple[str, str]:
        """The buffer of an operand and where the node's region begins in it."""
        if operand.kind == "self":
            return "out", total(times(self.node(r), self.spec.record), int64(operand.at))
        if operand.kind == "scratch":
            return "tmp", total(times(self.node(r), self.spec.scratch), int64(operand.at))
        return f"x{number}", f"T.Cast('int64', o{number}[{self.node(r)}])"

    def element(self, number: int, offset: str, r: str) -> str:
        """An element of operand `number` of the tile's row `r`."""
        buffer, start = self.base(self.spec.operands[number], number, r)
        return f"{buffer}[{total(start, offset)}]"

    def left(self, term: Term, k: str, r: str) -> str:
        """x[m, k] of a term."""
        row = times(self.m(r), term.row_stride) if self.spec.rows > 1 else int64(0)
        return self.element(
            term.operand, total(int64(term.offset), row, times(k, term.k_stride)), r
        )

    def right(self, matrix: Matrix, k: str, column: str) -> str:
        """W[k, j] of a term with a per-node matrix: the tile's rows share the node. A matrix that
        nodes chose, and that is not packed, begins at its base."""
        column = column if matrix.col_stride == 1 else times(f"({column})", matrix.col_stride)
        at = total(int64(matrix.offset), times(k, matrix.row_stride), column)
        if matrix.operand in self.chosen:
            return f"x{matrix.operand}[{at}]"
        return self.element(matrix.operand, at, int64(0))

    def affine(self, instr: Instr, column: str, r: str) -> str:
        """offset + m * row_stride + j * col_stride of a `load` or `load_shared` instruction."""
        offset, row_stride, col_stride = strides(instr)
        row = times(self.m(r), row_stride) if self.spec.rows > 1 else int64(0)
        return total(int64(offset), row, times(f"({column})", col_stride))

    def store(self, place: str, offset: int, row_stride: int, column: str, r: str) -> str:
        """The element of the record, or scratch record, that a store writes."""
        buffer, size = (
            ("out", self.spec.record) if place == "record" else ("tmp", self.spec.scratch)
        )
        row = times(self.m(r), row_stride) if self.spec.rows > 1 else int64(0)
        return f"{buffer}[{total(times(self.node(r), size), int64(offset), row, column)}]"
