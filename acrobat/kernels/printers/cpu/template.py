"""The schedule template: how the loops of a kernel are tiled, and why.

A call computes `tiles` row tiles of R rows for one block of JV columns. Per tile and *pass*, the
accumulators of some gates live in registers while k runs once over their terms; every x[k] is
broadcast against JV/lanes vectors of weights. A schedule chooses R and JV (`schedule.py`; `rule.py`
has the choice for most kernels and machines). The rest follows from the register file (32 vector
registers with AVX-512, 16 with AVX2):

* If the width is not a whole number of blocks, the last block begins earlier, and recomputes some
  of the columns before it.
* Gates with the same terms share a pass as long as registers suffice: R rows and g gates of V
  vectors take R g V accumulators, one register for the current operand, and the smaller number of
  R broadcasts and g V weight vectors, which stay while the others stream by. This matters for few
  rows: the loop then streams weights, has enough multiply-adds in flight, and reads each x[k] once
  for all gates.
* Tiles that are too tall for the registers take two passes, with half of the columns each. For 8
  rows of 4 vectors that is as good as blocks of half the width, and better than two tiles of 4,
  which read the weights twice.
* A node of many rows is divided into tiles of its own, all of the same height: the operands of a
  tile's rows are at constant distances from one address. Rows of different nodes would need an
  address each, for which there are not enough registers (8 rows of nodes of 64 rows, K = 128: 1.03
  times as long).
* Weights are packed [column block][gate][term][k][JV]: one column block of all gates is a
  contiguous stream (5 gates, K = 512, 32 columns: 320 KiB), stays in L2 for all row tiles of the
  call, and is the same for every R.

For every R an output sums its products in the same order (terms, then k), so that results do not
depend on how many nodes happen to be in a batch.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....limits import MOST_PACKED
from ...specification.spec import Gate, KernelSpec, Operand, strides
from .schedule import Schedule
from .target import CpuTarget


@dataclass(frozen=True, slots=True)
class Template:
    """A schedule, applied to a kernel: `blocks` column blocks, the padded `width`, and the vector
    `registers` of the machine."""

    schedule: Schedule
    blocks: int
    width: int
    registers: int

    @property
    def lanes(self) -> int:
        """Floats per vector operation."""
        return self.schedule.lanes

    @property
    def vectors(self) -> int:
        """Vectors of columns per block."""
        return self.schedule.vectors

    @property
    def tiles(self) -> tuple[int, ...]:
        """The heights of row tiles that exist."""
        return self.schedule.tiles

    @property
    def within_node(self) -> bool:
        """Whether all rows of a tile are of one node: its single height divides a node's rows."""
        return len(self.tiles) == 1

    @property
    def usual(self) -> int:
        """The height of the tiles that many rows are divided into."""
        return self.schedule.usual

    @property
    def jv(self) -> int:
        """Columns per column block."""
        return self.lanes * self.vectors

    @property
    def starts(self) -> list[int]:
        """The first column of each block. The last may share columns with the one before."""
        return [min(b * self.jv, self.width - self.jv) for b in range(self.blocks)]

    def passes(self, spec: KernelSpec, r: int) -> list[list[tuple[int, int]]]:
        """The accumulators (gate, vector) of each pass over k with `r` rows: those of consecutive
        gates with the same terms, as many as the registers and the schedule allow; or half of one
        gate's if not even those of one gate fit."""
        every = range(self.vectors)
        if not fits(self.registers, r, self.vectors):
            halves = every[: self.vectors // 2], every[self.vectors // 2 :]
            return [[(g, j) for j in half] for g in range(len(spec.gates)) for half in halves]
        counts = range(1, min(len(spec.gates), self.schedule.gates or len(spec.gates)) + 1)
        at_once = max((g for g in counts if fits(self.registers, r, g * self.vectors)), default=1)
        found: list[list[int]] = []
        for g, gate in enumerate(spec.gates):
            last = found[-1] if found else []
            same = last and inputs_of(spec.gates[last[0]]) == inputs_of(gate)
            if same and len(last) < at_once:
                last.append(g)
            else:
                found.append([g])
        return [[(g, j) for g in gates for j in every] for gates in found]


def fits(registers: int, rows: int, vectors: int) -> bool:
    """Whether the loop over k with rows x vectors accumulators keeps everything in registers. One
    is left over: LLVM loads the next operand ahead of its use, and spilled an accumulator instead
    where all were taken (AVX2, 3 rows of TreeLSTM's gates in pairs: 101 us instead of 57)."""
    return rows * vectors + min(rows, vectors) + 1 < registers


def inputs_of(gate: Gate) -> tuple[tuple[int, ...], ...]:
    """The inputs of a gate: what its terms multiply by weights."""
    return tuple((t.operand, t.offset, t.k, t.row_stride, t.k_stride) for t in gate.terms)


def apply_schedule(spec: KernelSpec, target: CpuTarget, schedule: Schedule) -> Template:
    """The template of `spec` on `target` by a schedule that fits it."""
    width = padded_width(spec, target)
    # A call of a kernel without contractions computes all columns of its rows.
    blocks = -(-width // (schedule.lanes * schedule.vectors)) if spec.gates else 1
    return Template(schedule, blocks, width, target.registers)


def padded_width(spec: KernelSpec, target: CpuTarget) -> int:
    """The number of columns that are computed: whole vectors where no access then goes astray."""
    # Padding is computed like everything else: strided reads of it would go far astray.
    dense = all(strides(i)[2] in (0, 1) for i in spec.epilogue if i.fn in ("load", "load_shared"))
    chosen = spec.chosen
    for matrix in (t.matrix for g in spec.gates for t in g.terms if t.matrix):
        packed = matrix.operand in chosen and is_packed(spec.operands[matrix.operand])
        dense = dense and (packed or matrix.col_stride == 1)
    padded = dense and all(s.padded or s.scalar for s in spec.stores)
    return -(-spec.width // target.lanes) * target.lanes if padded else spec.width


def is_packed(chosen: Operand) -> bool:
    """Whether the matrices of a table are packed for the kernel whose nodes choose among them."""
    return chosen.rows * chosen.width <= MOST_PACKED
