"""Epilogue instructions and stores as Triton. Every value is a matrix of the tile's rows and
columns, either of which is 1 where the value is the same for all of them."""

from __future__ import annotations

from collections.abc import Set

from ....ir.ops import POINTWISE
from ...specification.spec import Instr, Store, strides
from ..text import Text
from .address import Address, across, down, times, total
from .functions import constant, pointwise
from .packing import slice_shape, vector_offsets
from .parts import Parts, needed


class Points:
    """The point-wise part of one kernel variant."""

    def __init__(self, text: Text, address: Address, parts: Parts) -> None:
        self.text, self.address, self.parts = text, address, parts
        self.spec = parts.first
        self.vectors, self.vector_floats = vector_offsets(self.spec)

    def prologue(self, wait: str = "") -> None:
        """Statements that find the memory that the kernel reads and writes, for all columns; then
        `wait`, if given, a statement that waits for the kernels that write it."""
        used = {i.args[0] for i in self.spec.epilogue if i.fn == "load"}
        for gate in self.spec.gates:
            used |= {t.operand for t in gate.terms}
            used |= {t.matrix.operand for t in gate.terms if t.matrix}
        used -= set(self.spec.chosen)  # which are found cluster by cluster
        for number in sorted(used):
            self.text(self.address.node(number))
        for place in sorted({s.place for s in self.spec.stores}):
            self.text(self.address.place(place))
        if self.vectors and len(self.parts.specs) > 1:
            self.text(f"vectors += part * {self.vector_floats}")
        if wait:
            self.text(wait)

    def values(self, wanted: list[int], known: Set[int] = frozenset()) -> None:
        """Statements for the instructions `wanted` and those that they need, except those that are
        `known`, as reductions must be."""
        for n in needed(self.spec, wanted, known):
            self.text(f"v{n} = {self.value(n)}")

    def value(self, n: int) -> str:
        """The expression of an instruction."""
        instr = self.spec.epilogue[n]
        match instr.fn:
            case "acc":
                return f"sum{instr.args[0]}"
            case "load":
                return self._load(n, instr)
            case "load_shared":
                return self._load_shared(n, instr)
            case "lit":
                return f"tl.full((1, 1), {constant(instr.value)}, tl.float32)"
            case "col":
                return "col.to(tl.float32)[None, :]"
            case fn if fn in POINTWISE:
                return pointwise(fn, [f"v{a}" for a in instr.args])
        raise ValueError(f"{self.spec.name}: there is no epilogue instruction {instr.fn!r}")

    def _load(self, n: int, instr: Instr) -> str:
        _, row_stride, col_stride = strides(instr)
        rows = self.address.of_rows(f"at{instr.args[0]}", self.parts.load(n), row_stride)
        if col_stride == 0:
            return f"tl.load({rows})"
        columns = across(times("col", col_stride))
        return f"tl.load({rows} + {columns}{self.address.mask(False, True)})"

    def _load_shared(self, n: int, instr: Instr) -> str:
        rows, columns = slice_shape(self.spec, instr)
        offset = str(self.vectors[n] or "")
        m = down(times("m", columns)) if rows > 1 else ""
        col = "col[None, :]" if columns > 1 else "" if m else "tl.zeros((1, 1), tl.int32)"
        mask = self.address.mask(False, columns > 1)
        return f"tl.load({total('vectors', offset, m, col)}{mask})"

    def stores(self, which: list[tuple[int, Store]], condition: str = "") -> None:
        """Statements for stores of values that are known; `condition` is an additional mask."""
        for n, s in which:
            place = "out" if s.place == "record" else "tmp"
            to = self.address.of_rows(place, self.parts.store(n), s.row_stride)
            if not s.scalar:
                to += " + col[None, :]"
            mask = self.address.mask(True, not s.scalar)
            if condition:
                mask = f"{mask} & {condition}" if mask else f", mask={condition}"
            self.text(f"tl.store({to}, v{s.value}{mask})")
