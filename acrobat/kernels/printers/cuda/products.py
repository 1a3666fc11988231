"""The products of a contraction kernel: accumulators, loops over k, final sums.

The loop over k has three forms (see tile_choice.py). With `tl.dot` a program's accumulators are
[rows, columns], or [slices, rows, columns], where every warp has its own slice of k. Without it
they are [rows, depth, columns]: the threads divide k among themselves (with one row they are
[depth, columns], a layout in which loads go straight to the registers that multiply). The sums of
warps or threads are added up at the end, for all gates in one reduction, so that the gates share
its CTA barriers.

"tf32x3" splits each operand into the part that tf32 can represent and the rest, and adds three of
the four products of these; products with a rest have separate accumulators, `low`.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..text import Text
from .address import Address, across, down, times, total
from .packing import QUAD, Pass, weight_offsets
from .parts import Parts
from .tile import Precision, Tile, loops

# The part of a float that tf32 represents exactly; and a sum with its corrections. The corrections
# are NaN where an operand is infinite or NaN: there the sum itself is the result.
SPLIT = """

@triton.jit
def upper(x):
    return (x.to(tl.int32, bitcast=True) & -8192).to(tl.float32, bitcast=True)


@triton.jit
def corrected(total, low):
    return total + tl.where(low == low, low, 0.0)
"""


def write_helpers(tiles: Iterable[tuple[int, Tile]], precision: Precision) -> str:
    """The functions that products call, given each kernel's number of gates and tile."""
    counts = {n for n, tile in tiles if n > 1 and (not tile.dot or tile.slices > 1)}
    split = precision == "tf32x3" and any(tile.dot for _, tile in tiles)
    return (SPLIT if split else "") + "".join(_adder(n) for n in sorted(counts))


def _adder(count: int) -> str:
    a, b = ([f"{x}{n}" for n in range(count)] for x in "ab")
    sums = ", ".join(f"{x} + {y}" for x, y in zip(a, b, strict=True))
    return f"\n\n@triton.jit\ndef add{count}({', '.join([*a, *b])}):\n    return {sums}\n"


class Products:
    """Writes the products of one variant."""

    def __init__(
        self, text: Text, address: Address, parts: Parts, tile: Tile, precision: Precision
    ) -> None:
        self.text, self.address, self.parts, self.tile = text, address, parts, tile
        self.spec, self.precision, self.result = parts.first, precision, "sum"
        self.weights = weight_offsets(self.spec)[0]
        self.sliced = tile.dot and tile.slices > 1
        self.split = tile.dot and precision == "tf32x3"

    def write(self, result: str) -> None:
        """Write the accumulators, the loops over k, and the final sums: `result`0, `result`1, ...,
        one per gate, [rows, columns]."""
        tile, gates = self.tile, range(len(self.spec.gates))
        self.result = result
        if self.sliced:
            shape = [tile.slices, tile.rows, tile.columns]
        elif tile.dot:
            shape = [tile.rows, tile.columns]
        else:
            shape = [tile.rows, tile.depth, tile.columns][tile.rows == 1 :]
        for name in (result if tile.dot else "acc", *(["low"] if self.split else [])):
            for g in gates:
                self.text(f"{name}{g} = tl.zeros({tuple(shape)}, tl.float32)")
        for loop in loops(self.spec, tile):
            self.loop(loop)
        if self.split:
            for g in gates:
                self.text(f"{result}{g} = corrected({result}{g}, low{g})")
        if self.sliced:
            self.sums(result, 0)
        elif not tile.dot:
            self.sums("acc", 0 if tile.rows == 1 else 1)
            if tile.rows == 1:
                for g in gates:
                    self.text(f"{result}{g} = {result}{g}[None, :]")

    def sums(self, name: str, axis: int) -> None:
        """Add up the accumulators `name` of each gate along an axis."""
        count = len(self.spec.gates)
        names, given = ([f"{n}{g}" for g in range(count)] for n in (self.result, name))
        if count == 1:
            self.text(f"{names[0]} = tl.sum({given[0]}, axis={axis})")
        else:
            self.text(f"{', '.join(names)} = tl.reduce(({', '.join(given)}), {axis}, add{count})")

    def loop(self, loop: list[Pass]) -> None:
        """Write one loop over k."""
        text, depth, k = self.text, self.tile.depth, loop[0].term(self.spec).k
        step = depth * self.tile.slices
        text(f"for k0 in tl.range(0, {k}, {step}, num_stages={self.tile.stages}):")
        text.depth += 1
        if self.sliced:
            slices = f"tl.arange(0, {self.tile.slices})[:, None] * {depth}"
            text(f"k = k0 + {slices} + tl.arange(0, {depth})[None, :]")
        else:
            text(f"k = k0 + tl.arange(0, {depth})")
        if any(use in self.weights for one in loop for use in one.uses):
            text(f"w = {self.by_columns('quad')} + {self.by_k(f'k * {QUAD}')}")
        for number, one in enumerate(loop):
            x = f"x{number}"
            text(f"{x} = {self.left(one)}")
            if self.split:
                text(f"{x}_high = upper({x})")
                text(f"{x}_low = {x} - {x}_high")
            for gate, place in one.uses:
                self.product(gate, x, self.right(gate, place))
        text.depth -= 1

    def by_k(self, vector: str) -> str:
        """A vector over k for a right operand, [depth, 1] or [slices, depth, 1]."""
        if not self.sliced:
            return down(vector)
        return f"{vector if vector.isidentifier() else f'({vector})'}[:, :, None]"

    def by_columns(self, vector: str) -> str:
        """A vector over columns for a right operand."""
        if not self.sliced:
            return across(vector)
        return f"{vector if vector.isidentifier() else f'({vector})'}[None, None, :]"

    def left(self, one: Pass) -> str:
        """The left operand of a pass, [rows, depth] or [slices, rows, depth], or [depth, 1] if
        threads divide the k of a single row."""
        term, tile = one.term(self.spec), self.tile
        rows = self.address.of_rows(
            f"at{term.operand}", self.parts.term(*one.uses[0]), term.row_stride
        )
        k, mask = times("k", term.k_stride) or "k * 0", f"k < {term.k}"
        if self.sliced:
            rows, k, mask = f"{rows}[None, :, :]", f"({k})[:, None, :]", f"({mask})[:, None, :]"
        else:
            turned = down if tile.rows == 1 and not tile.dot else across
            k, mask = turned(k), turned(mask)
        masked = f", mask={mask}, other=0.0" if self.masked(term.k) else ""
        return f"tl.load({rows} + {k}{masked})"

    def right(self, gate: int, place: int) -> str:
        """The right operand of a term, [depth, columns] or [slices, depth, columns]."""
        term = self.spec.gates[gate].terms[place]
        masks = [self.by_k(f"k < {term.k}")] if self.masked(term.k) else []
        if term.matrix is None:
            at = total("w", str(self.weights[gate, place] or ""))
        else:
            own = term.matrix
            start = total(f"at{own.operand}", self.parts.matrix(gate, place))
            rows = self.by_k(times("k", own.row_stride) or "k * 0")
            columns = self.by_columns(times("col", own.col_stride) or "col * 0")
            at = f"{start} + {rows} + {columns}"
            if self.spec.width % self.tile.columns:
                masks.append("held[None, :, :]" if self.sliced else "held")
        mask = f", mask={' & '.join(masks)}, other=0.0" if masks else ""
        return f"tl.load({at}{mask})"

    def masked(self, k: int) -> bool:
        """Whether the last iteration of a loop reaches beyond `k`."""
        return k % (self.tile.depth * self.tile.slices) > 0

    def product(self, gate: int, x: str, w: str) -> None:
        """The statements that add x * w to a gate."""
        total = f"{self.result}{gate}"
        if self.split:
            self.text(f"y = {w}")
            self.text("y_high = upper(y)")
            for name, a, b in (
                (f"low{gate}", f"{x}_low", "y_high"),
                (f"low{gate}", f"{x}_high", "y - y_high"),
                (total, f"{x}_high", "y_high"),
            ):
                self.text(f'{name} = tl.dot({a}, {b}, {name}, input_precision="tf32")')
        elif self.tile.dot and self.precision == "bf16":
            operands = f"{x}.to(tl.bfloat16), {w}.to(tl.bfloat16)"
            self.text(f"{total} = tl.dot({operands}, {total})")
        elif self.tile.dot:
            how = "ieee" if self.precision == "fp32" else self.precision
            self.text(f'{total} = tl.dot({x}, {w}, {total}, input_precision="{how}")')
        elif self.tile.rows == 1:
            self.text(f"acc{gate} += {x} * {w}")
        else:
            self.text(f"acc{gate} += {x}[:, :, None] * {w}[None, :, :]")
