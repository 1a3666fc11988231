"""The schedule template: how the loops of a kernel are tiled, and why.

A call computes `tiles` row tiles of R nodes for one block of JV columns. Per tile and *pass*, the
accumulators of some gates live in registers while k runs once over their terms; every x[k] is
broadcast against JV/lanes vectors of weights. The rest follows from the register file (32 vector
registers with AVX-512, 16 with AVX2):

* JV is 2 vectors: with R = 8 that is 16 accumulators for one gate, which hides the latency of the
  multiply-add (4 cycles, 2 per cycle: 8 in flight), and every register loaded feeds several
  multiply-adds: 16 of them need 2 weight vectors and 8 broadcasts.
* Gates with the same terms share a pass while registers last: with R rows and g gates of v
  vectors, R g v accumulators, one register for the operand at hand, and the fewer of R broadcasts
  and g v weight vectors, which stay while the others go by. With 32 registers that is all five
  gates of a TreeLSTM at R = 1 and 2, 3 at R = 4, 1 from R = 7. Few rows need it: the loop then
  streams weights, has enough multiply-adds in flight, and reads each x[k] once for all gates.
* R is 1 to 8 and 12, or what the registers allow for one gate (up to 6 with 16 registers). More
  rows read the weights less often, which pays where many rows are to be done (`HEIGHTS`).
* A node of many rows is cut into tiles of its own, all of the same height: their operands lie at
  constant distances from one address. Those of different nodes need an address per row, for which
  there are not enough registers (8 rows of nodes of 64 rows, K = 128: 1.03 times as long).
* Weights are packed [column block][gate][term][k][JV]: one column block of all gates is a
  contiguous stream (hidden 512: 640 KiB), stays in L2 over all row tiles of the call, and is the
  same for every R.

For every R an output sums its products in the same order (terms, then k), so results do not
depend on how many nodes happen to be in a batch.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..spec import Gate, KernelSpec, strides
from .target import CpuTarget

# Heights of row tiles. With 12 rows instead of 8 products of 168 rows take 0.95 of the time at
# K = N = 768 and 0.97 at 256 (Xeon with AVX-512); 14 rows are no better, 10 hardly.
HEIGHTS = (1, 2, 3, 4, 5, 6, 7, 8, 12)

# A node whose rows can be cut into tiles of as many rows is cut by itself.
_ENOUGH_ROWS = 6


@dataclass(frozen=True, slots=True)
class Template:
    """The choices for one kernel: `lanes` floats per vector operation, `vectors` of them per
    column block, `blocks` column blocks, row tiles `tiles`. `width` is the padded width."""

    lanes: int
    vectors: int
    blocks: int
    tiles: tuple[int, ...]
    width: int
    registers: int

    @property
    def within_node(self) -> bool:
        """Whether a tile's rows are all of one node: a single height divides a node's rows."""
        return len(self.tiles) == 1

    @property
    def jv(self) -> int:
        """Columns per column block."""
        return self.lanes * self.vectors

    def passes(self, spec: KernelSpec, r: int) -> list[list[int]]:
        """The gates of each pass over k with `r` rows: consecutive gates with the same terms, as
        many as the accumulators allow."""
        counts = range(1, len(spec.gates) + 1)
        at_once = max((g for g in counts if _fits(self.registers, r, g * self.vectors)), default=1)
        found: list[list[int]] = []
        for g, gate in enumerate(spec.gates):
            last = found[-1] if found else []
            same = last and _inputs(spec.gates[last[0]]) == _inputs(gate)
            if same and len(last) < at_once:
                last.append(g)
            else:
                found.append([g])
        return found


def _fits(registers: int, rows: int, vectors: int) -> bool:
    """Whether the loop over k with rows x vectors accumulators keeps everything in registers."""
    return rows * vectors + min(rows, vectors) + 1 <= registers


def _inputs(gate: Gate) -> tuple[tuple[int, ...], ...]:
    return tuple((t.operand, t.offset, t.k, t.row_stride, t.k_stride) for t in gate.terms)


def choose_template(spec: KernelSpec, target: CpuTarget) -> Template:
    """The template for `spec` on `target`."""
    lanes = target.lanes
    # Padding is computed like everything else: strided reads of it would go far astray.
    dense = all(strides(i)[2] in (0, 1) for i in spec.epilogue if i.fn in ("row", "vec"))
    padded = dense and all(s.padded or s.scalar for s in spec.stores)
    width = -(-spec.width // lanes) * lanes if padded else spec.width
    if not spec.gates:
        # What fills no vector is computed column by column.
        while lanes > width:
            lanes //= 2
        return Template(lanes, 1, 1, (1,), width, target.registers)
    # A store must not touch what lies behind it, nor a load of a node's own matrix its next row:
    # the widest vector that divides the width.
    while width % lanes:
        lanes //= 2
    vectors = 2 if (width // lanes) % 2 == 0 else 1
    tiles = tuple(r for r in HEIGHTS if _fits(target.registers, r, vectors))
    own = max(r for r in tiles if spec.rows % r == 0)
    if not spec.shares_tiles or own >= _ENOUGH_ROWS:
        tiles = (own,)
    return Template(lanes, vectors, width // (lanes * vectors), tiles, width, target.registers)
