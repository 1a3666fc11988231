"""Contraction kernels: a block of columns of all gates of a part, then the epilogue.

Two forms of the loop over k (see tile.py). With `tl.dot` a program's accumulators are [rows,
columns]. Without it they are [rows, depth, columns]: the threads have divided k among themselves,
and what they have is summed up at the end ([depth, columns] with one row, a layout in which loads
go straight to the registers that multiply). The sums of all gates are one reduction, so that they
share its CTA barriers.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..text import Text
from .address import Address, across, down, times, total
from .cluster import each_cluster
from .packing import QUAD, Pass, quads, weight_offsets
from .parts import Parts
from .point import Points
from .tile import Precision, Tile, loops


def write_adders(counts: Iterable[int]) -> str:
    """The functions by which so many gates are summed up together."""
    return "".join(_adder(n) for n in sorted(set(counts)) if n > 1)


def _adder(count: int) -> str:
    a, b = ([f"{x}{n}" for n in range(count)] for x in "ab")
    sums = ", ".join(f"{x} + {y}" for x, y in zip(a, b, strict=True))
    return f"\n\n@triton.jit\ndef add{count}({', '.join([*a, *b])}):\n    return {sums}\n"


def contraction(
    text: Text,
    address: Address,
    parts: Parts,
    tile: Tile,
    precision: Precision,
    wait: str = "",
) -> None:
    """The body of a contraction kernel."""
    spec, points = parts.first, Points(text, address, parts)
    blocks, count = tile.blocks(spec), len(parts.specs)
    block = address.program[1]
    if count > 1:
        text(f"part = {block} // {blocks}")
        block = f"{block} % {blocks}" if blocks > 1 else ""
    for line in [*address.rows(), *address.columns(times(block, tile.columns) if block else "")]:
        text(line)
    points.prologue(wait)
    size = weight_offsets(spec)[1]
    if size:
        quad = total(f"part * {quads(spec)}" if count > 1 else "", f"col // {QUAD}")
        text(f"quad = weights + ({quad}) * {size} + col % {QUAD}")
    loops = _Loops(text, address, parts, tile, precision)
    if spec.chosen:
        each_cluster(text, spec, tile, loops.write)
    else:
        loops.write("sum")
    points.values([s.value for s in spec.stores])
    points.stores(list(enumerate(spec.stores)))


class _Loops:
    def __init__(
        self, text: Text, address: Address, parts: Parts, tile: Tile, precision: Precision
    ) -> None:
        self.text, self.address, self.parts, self.tile = text, address, parts, tile
        self.spec, self.precision, self.result = parts.first, precision, "sum"
        self.weights = weight_offsets(self.spec)[0]

    def write(self, result: str) -> None:
        """Accumulators, the loops over k, and the final sums: `result`0, `result`1, ... of the
        gates, [rows, columns]."""
        tile, gates = self.tile, range(len(self.spec.gates))
        self.result = result
        name = result if tile.dot else "acc"
        shape = [tile.rows, tile.depth, tile.columns]
        if tile.dot:
            del shape[1]
        elif tile.rows == 1:
            del shape[0]
        for g in gates:
            self.text(f"{name}{g} = tl.zeros({tuple(shape)}, tl.float32)")
        for loop in loops(self.spec, tile):
            self.loop(loop)
        if not tile.dot:
            self.sums()

    def sums(self) -> None:
        """What the threads have, added up: [rows, columns] of each gate."""
        count, one = len(self.spec.gates), self.tile.rows == 1
        axis = 0 if one else 1
        names = [f"{self.result}{g}" for g in range(count)]
        if count == 1:
            self.text(f"{names[0]} = tl.sum(acc0, axis={axis})")
        else:
            accumulators = ", ".join(f"acc{g}" for g in range(count))
            self.text(f"{', '.join(names)} = tl.reduce(({accumulators}), {axis}, add{count})")
        if one:
            for name in names:
                self.text(f"{name} = {name}[None, :]")

    def loop(self, loop: list[Pass]) -> None:
        """One loop over k."""
        text, depth, k = self.text, self.tile.depth, loop[0].term(self.spec).k
        text(f"for k0 in tl.range(0, {k}, {depth}, num_stages={self.tile.stages}):")
        text.depth += 1
        text(f"k = k0 + tl.arange(0, {depth})")
        if any(use in self.weights for one in loop for use in one.uses):
            text(f"w = quad[None, :] + (k * {QUAD})[:, None]")
        for number, one in enumerate(loop):
            text(f"x{number} = {self.left(one)}")
            for gate, place in one.uses:
                text(self.product(gate, f"x{number}", self.right(gate, place)))
        text.depth -= 1

    def left(self, one: Pass) -> str:
        """The left operand of a pass, [rows, depth], or [depth, 1] if one row divides k."""
        term = one.term(self.spec)
        rows = self.address.of_rows(
            f"at{term.operand}", self.parts.term(*one.uses[0]), term.row_stride
        )
        turned = down if self.tile.rows == 1 and not self.tile.dot else across
        mask = f", mask={turned(f'k < {term.k}')}, other=0.0" if term.k % self.tile.depth else ""
        return f"tl.load({rows} + {turned(times('k', term.k_stride) or 'k * 0')}{mask})"

    def right(self, gate: int, place: int) -> str:
        """The right operand of a term, [depth, columns]."""
        term = self.spec.gates[gate].terms[place]
        masks = [down(f"k < {term.k}")] if term.k % self.tile.depth else []
        if term.matrix is None:
            at = total("w", str(self.weights[gate, place] or ""))
        else:
            own = term.matrix
            start = total(f"at{own.operand}", self.parts.matrix(gate, place))
            rows = down(times("k", own.row_stride) or "k * 0")
            at = f"{start} + {rows} + {across(times('col', own.col_stride) or 'col * 0')}"
            if self.spec.width % self.tile.columns:
                masks.append("held")
        mask = f", mask={' & '.join(masks)}, other=0.0" if masks else ""
        return f"tl.load({at}{mask})"

    def product(self, gate: int, x: str, w: str) -> str:
        """The statement that adds x * w to a gate."""
        if self.tile.dot:
            total = f"{self.result}{gate}"
            if self.precision == "bf16":
                x, w = f"{x}.to(tl.bfloat16)", f"{w}.to(tl.bfloat16)"
                return f"{total} = tl.dot({x}, {w}, {total})"
            how = "ieee" if self.precision == "fp32" else self.precision
            return f'{total} = tl.dot({x}, {w}, {total}, input_precision="{how}")'
        if self.tile.rows == 1:
            return f"acc{gate} += {x} * {w}"
        return f"acc{gate} += {x}[:, :, None] * {w}[None, :, :]"
