"""Row kernels: point-wise code with reductions over the columns of a row, one row at a time.

Each reduction is a loop over the columns that recomputes what it needs (loads and arithmetic cost
less than a trip to memory, and the row stays in the first-level cache): vector accumulators first,
then across their lanes, then the columns that do not fill a vector. The stores are the last loop.
Values that are the same for the whole row live in buffers of one element.
"""

from __future__ import annotations

from collections.abc import Callable

from ...specification.spec import REDUCTIONS, Instr, KernelSpec, Store, strides
from ..text import Text
from .access import Access, int64
from .expression import LEAVES, leaf, point
from .functions import is_nan, pointwise
from .template import Template

_LOWEST = "T.float32('-inf')"


def row_scalars(spec: KernelSpec) -> list[bool]:
    """For each instruction, whether its value is the same for all columns of a row."""
    found: list[bool] = []
    for i in spec.epilogue:
        if i.fn in REDUCTIONS or i.fn == "lit":
            found.append(True)
        elif i.fn in ("load", "load_shared"):
            found.append(strides(i)[2] == 0)
        elif i.fn == "col":
            found.append(False)
        else:
            found.append(all(found[a] for a in i.args))
    return found


def row_tile(text: Text, access: Access, template: Template, bases: list[int]) -> None:
    """Write a row tile, one row at a time."""
    text(f"for r in T.serial({int64(access.tile)}):")
    text.depth += 1
    _Row(text, access, template, bases).write()
    text.depth -= 1


class _Row:
    def __init__(self, text: Text, access: Access, template: Template, bases: list[int]) -> None:
        self.text, self.access, self.template, self.bases = text, access, template, bases
        self.spec = access.spec
        self.scalar = row_scalars(self.spec)
        self.known: dict[int, str] = {}  # row scalars computed so far
        self.count = 0

    def write(self) -> None:
        """Reductions in order, each followed by the row scalars that need it; then the stores."""
        for n, instr in enumerate(self.spec.epilogue):
            if instr.fn in REDUCTIONS:
                self.known[n] = self.reduction(instr)
            elif self.scalar[n]:
                code = _Code(self, 1, int64(0))
                value = code.value(n)
                code.write()
                self.known[n] = value
        wide = [s for s in self.spec.stores if not s.scalar]
        if wide:
            self.columns(wide)
        for s in self.spec.stores:
            if s.scalar:
                at = self.access.store(s.place, s.offset, s.row_stride, int64(0), "r")
                self.text(f"{at} = {self.known[s.value]}")

    def buffer(self, lanes: int, dtype: str = "float32") -> str:
        """A new buffer in registers."""
        name = f"b{self.count}"
        self.count += 1
        self.text(f"{name} = T.alloc_buffer(({int64(lanes)},), '{dtype}', scope='local')")
        return name

    def columns(self, stores: list[Store]) -> None:
        """The loop over the columns with the stores."""
        lanes, width = self.template.lanes, self.spec.width
        padded = self.template.width > width
        full = -(-width // lanes) if padded else width // lanes

        def body(column: str, lanes: int) -> None:
            code = _Code(self, lanes, column)
            for s in stores:
                at = self.access.store(s.place, s.offset, s.row_stride, f"({code.column})", "r")
                code.stores.append(f"{at} = {code.value(s.value)}")
            code.write()

        self.over_vectors(full, body)
        if not padded:
            self.over_rest(body)

    def over_vectors(self, count: int, body: Callable[[str, int], None]) -> None:
        """`body` for the first `count` whole vectors of columns."""
        if count == 0:
            return
        lanes = self.template.lanes
        self.text(f"for jv in T.serial({int64(count)}):")
        self.text.depth += 1
        body(f"jv * {int64(lanes)}", lanes)
        self.text.depth -= 1

    def over_rest(self, body: Callable[[str, int], None]) -> None:
        """`body` for the columns after the last whole vector, one by one."""
        lanes, width = self.template.lanes, self.spec.width
        if width % lanes:
            self.text(f"for jt in T.serial({int64(width % lanes)}):")
            self.text.depth += 1
            body(f"{int64(width - width % lanes)} + jt", 1)
            self.text.depth -= 1

    def reduction(self, instr: Instr) -> str:
        """The expression of a reduction's result."""
        lanes, width = self.template.lanes, self.spec.width
        argument = instr.args[0]
        best = instr.fn == "rargmax"
        start = "T.float32(0)" if instr.fn == "rsum" else _LOWEST
        sums = self.buffer(lanes)
        places = self.buffer(lanes) if best else ""
        self.text(f"for l in T.serial({int64(lanes)}):")
        self.text(f"    {sums}[l] = {start}")
        if best:
            self.text(f"    {places}[l] = T.float32(0)")

        def body(column: str, lanes: int) -> None:
            code = _Code(self, lanes, column)
            value = code.value(argument)
            if best:
                at = f"T.Cast('float32', {code.column})"
                later = _later(value, f"{sums}[l]")
                code.stores.append(f"{places}[l] = T.Select({later}, {at}, {places}[l])")
                code.stores.append(f"{sums}[l] = T.Select({later}, {value}, {sums}[l])")
            elif instr.fn == "rsum":
                code.stores.append(f"{sums}[l] = {sums}[l] + {value}")
            else:
                code.stores.append(f"{sums}[l] = {_larger(instr.fn, value, f'{sums}[l]')}")
            code.write()

        self.over_vectors(width // lanes, body)
        total = self.buffer(1)
        at = self.buffer(1) if best else ""
        self.text(f"{total}[0] = {sums}[0]")
        if best:
            self.text(f"{at}[0] = {places}[0]")
        if width // lanes and lanes > 1:
            self.text(f"for l in T.serial({int64(1)}, {int64(lanes)}):")
            self.text.depth += 1
            self.across(instr.fn, f"{sums}[l]", f"{places}[l]", total, at)
            self.text.depth -= 1

        product = self.spec.epilogue[argument]

        def rest(column: str, lanes: int) -> None:
            code = _Code(self, lanes, column)
            if instr.fn == "rsum" and product.fn == "mul":
                # One operation: whether two are fused depends on how many rows LLVM takes at once,
                # and a row's result must not depend on the rows beside it.
                a, b = (code.value(n) for n in product.args)
                code.write()
                self.text(f"{total}[0] = T.fma({a}, {b}, {total}[0])")
                return
            value = code.value(argument)
            code.write()
            self.across(instr.fn, value, f"T.Cast('float32', {code.column})", total, at)

        self.over_rest(rest)
        return f"{at}[0]" if best else f"{total}[0]"

    def across(self, fn: str, value: str, place: str, total: str, at: str) -> None:
        """Combine one value with a reduction's result."""
        if fn == "rsum":
            self.text(f"{total}[0] = {total}[0] + {value}")
        elif fn in ("rmax", "rmaxnum"):
            self.text(f"{total}[0] = {_larger(fn, value, f'{total}[0]')}")
        else:
            # The first of equal maxima, or of NaNs; their order across lanes is not that of the
            # columns.
            both = f"T.And({is_nan(value)}, {is_nan(f'{total}[0]')})"
            equal = f"T.Or({value} == {total}[0], {both})"
            before = f"T.And({equal}, {place} < {at}[0])"
            better = f"T.Or({_later(value, f'{total}[0]')}, {before})"
            chosen = self.buffer(1)
            self.text(f"{chosen}[0] = T.Select({better}, {place}, {at}[0])")
            self.text(f"{total}[0] = T.Select({better}, {value}, {total}[0])")
            self.text(f"{at}[0] = {chosen}[0]")


# As in numpy, NaN is larger than any number.


def _larger(fn: str, value: str, best: str) -> str:
    """The larger of two numbers."""
    if fn == "rmaxnum":
        return f"T.Select({value} > {best}, {value}, {best})"
    return pointwise("maximum", [value, best], str)


def _later(value: str, best: str) -> str:
    """Whether a value is larger than the best one before it."""
    return f"T.Or({value} > {best}, T.And({is_nan(value)}, T.Not({is_nan(best)})))"


class _Code:
    """Straight-line code for `lanes` columns from `start` on, each value computed once."""

    def __init__(self, row: _Row, lanes: int, start: str) -> None:
        self.row, self.lanes = row, lanes
        self.column = f"{start} + l" if lanes > 1 else start
        self.at: dict[int, str] = {}
        self.names: list[str] = []
        self.lines: list[str] = []
        self.stores: list[str] = []

    def value(self, n: int) -> str:
        """The expression of instruction `n`, whose operands are computed first."""
        if n in self.row.known:
            return self.row.known[n]
        spec = self.row.spec
        for needed in self._order(n):
            instr = spec.epilogue[needed]
            if instr.fn in LEAVES:
                text = leaf(self.row.access, self.row.bases, instr, self.column)
            else:
                text = point(spec, instr, [self._operand(a) for a in instr.args], self.bind)
            self.at[needed] = self.bind(text)
        return self.at[n]

    def _operand(self, n: int) -> str:
        return self.row.known[n] if n in self.row.known else self.at[n]

    def _order(self, n: int) -> list[int]:
        """`n` and the instructions it needs that are not computed yet, in order of position."""
        needed: set[int] = set()
        work = [n]
        while work:
            i = work.pop()
            if i in needed or i in self.row.known or i in self.at:
                continue
            needed.add(i)
            instr = self.row.spec.epilogue[i]
            if instr.fn not in LEAVES:
                work.extend(instr.args)
        return sorted(needed)

    def bind(self, expression: str) -> str:
        """Give `expression` a name."""
        name = f"c{self.row.count}"
        self.row.count += 1
        self.names.append(name)
        index = "l" if self.lanes > 1 else "0"
        self.lines.append(f"{name}[{index}] = {expression}")
        return f"{name}[{index}]"

    def write(self) -> None:
        """The code, in a loop over the lanes if there are several."""
        text = self.row.text
        for name in self.names:
            text(f"{name} = T.alloc_buffer(({int64(self.lanes)},), 'float32', scope='local')")
        lines = [*self.lines, *self.stores]
        if self.lanes > 1:
            text(f"for l in T.vectorized({int64(self.lanes)}):")
            text.depth += 1
        for line in lines:
            text(line if self.lanes > 1 else line.replace("[l]", "[0]"))
        if self.lanes > 1:
            text.depth -= 1
