"""The schedule template: how the loops of a kernel are tiled, and why.

A call computes `tiles` row tiles of R nodes for one block of JV columns. Per tile and *pass*, the
accumulators of some gates live in registers while k runs once over their terms; every x[k] is
broadcast against JV/lanes vectors of weights. The rest follows from the register file (32 vector
registers with AVX-512, 16 with AVX2):

* With R rows and V vectors of columns a multiply-add of vectors costs 2/R + 1/V loads: a line of
  weights comes from the L2 cache and then from the first, an x[k] is broadcast. V, 1 to 4, with the
  tallest R that the registers allow, makes that least: 6 rows x 64 columns or 8 x 48 with AVX-512
  (24 accumulators, which hide the latency of the multiply-add: 4 cycles, 2 per cycle), 6 x 16 with
  AVX2. Plain loops in C++ over 1024 rows with K = 768 on a Xeon, GF/s: 6 x 64 103, 8 x 48 97,
  12 x 32 96, 8 x 32 93, 4 x 64 90, 24 x 16 54.
* Weights that do not stay in the L2 cache come from behind it for the first tile. That takes as
  long as the products of many rows, and few rows are no faster for wide blocks: these kernels have
  blocks of 2 vectors and tiles of 12 (TreeLSTM's cell, hidden 256, 12 rows: 0.23 ms, not 0.28);
* What is no whole number of blocks wide has a last block that begins earlier, and computes some of
  the columns before it again.
* Gates with the same terms share a pass while registers last: with R rows and g gates of V
  vectors, R g V accumulators, one register for the operand at hand, and the fewer of R broadcasts
  and g V weight vectors, which stay while the others go by. Few rows need it: the loop then
  streams weights, has enough multiply-adds in flight, and reads each x[k] once for all gates.
* R is 1 to 8, and 12 where the registers allow; 7 and 8 rows of 4 vectors take two passes, half of
  the columns each. For 8 rows that is as good as blocks of half the width, and better than two
  tiles of 4, which read the weights twice.
* A node of many rows is cut into tiles of its own, all of the same height: their operands lie at
  constant distances from one address. Those of different nodes need an address per row, for which
  there are not enough registers (8 rows of nodes of 64 rows, K = 128: 1.03 times as long).
* Weights are packed [column block][gate][term][k][JV]: one column block of all gates is a
  contiguous stream (5 gates, K = 512, 32 columns: 320 KiB), stays in L2 over all row tiles of the
  call, and is the same for every R.

For every R an output sums its products in the same order (terms, then k), so results do not
depend on how many nodes happen to be in a batch.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...specification.spec import Gate, KernelSpec, strides
from .target import CpuTarget

# Heights of row tiles. With 12 rows of 2 vectors instead of 8, products of 168 rows take 0.95 of
# the time at K = N = 768 and 0.97 at 256 (Xeon with AVX-512); 14 rows are no better, 10 hardly.
HEIGHTS = (1, 2, 3, 4, 5, 6, 7, 8, 12)

# Vectors in a column block; of equals the first is taken.
VECTORS = (2, 3, 4, 1)

_ALL_ROWS = 1 << 60

# A node whose rows can be cut into tiles of as many rows is cut by itself.
_ENOUGH_ROWS = 6

# Floats of weights that stay in the L2 cache from batch to batch, together with other kernels'.
_CACHED = 1 << 18

# Floats of operands that go through all column blocks together: a quarter of an L2 cache of 2 MiB
# if the weights are there too, and otherwise more, for the weights come anew for each such part.
_OPERANDS, _OPERANDS_OF_MANY = 1 << 17, 1 << 20


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
    def usual(self) -> int:
        """The height that many rows are cut into: the tallest that takes a column block at once."""
        return max(r for r in self.tiles if _fits(self.registers, r, self.vectors))

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
        gates with the same terms, as many as the registers allow; or half of a gate's."""
        every = range(self.vectors)
        if not _fits(self.registers, r, self.vectors):
            halves = every[: self.vectors // 2], every[self.vectors // 2 :]
            return [[(g, j) for j in half] for g in range(len(spec.gates)) for half in halves]
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
        return [[(g, j) for g in gates for j in every] for gates in found]


def _fits(registers: int, rows: int, vectors: int) -> bool:
    """Whether the loop over k with rows x vectors accumulators keeps everything in registers."""
    return rows * vectors + min(rows, vectors) + 1 <= registers


def _inputs(gate: Gate) -> tuple[tuple[int, ...], ...]:
    return tuple((t.operand, t.offset, t.k, t.row_stride, t.k_stride) for t in gate.terms)


def choose_template(spec: KernelSpec, target: CpuTarget) -> Template:
    """The template for `spec` on `target`."""
    lanes = target.lanes
    # Padding is computed like everything else: strided reads of it would go far astray.
    dense = all(strides(i)[2] in (0, 1) for i in spec.epilogue if i.fn in ("load", "load_shared"))
    padded = dense and all(s.padded or s.scalar for s in spec.stores)
    width = -(-spec.width // lanes) * lanes if padded else spec.width
    if not spec.gates:
        # What fills no vector is computed column by column.
        while lanes > width:
            lanes //= 2
        return Template(lanes, 1, 1, (1,), width, target.registers)
    most = 2 if spec.rows == 1 and _weights(spec) > _CACHED else max(VECTORS)
    templates = []
    while lanes:
        for v in VECTORS:
            jv = v * lanes
            # A store must not touch what lies behind it, nor a load of a node's own matrix its
            # next row.
            if v <= most and jv <= width:
                blocks, tiles = -(-width // jv), _heights(spec, target, v)
                templates.append(Template(lanes, v, blocks, tiles, width, target.registers))
        lanes //= 2
    return min(templates, key=_cost)


def _cost(t: Template) -> float:
    """Of a row's multiply-adds for each k, about; the figures of the module's text behind it."""
    # Rounded, so that of equals the first is taken.
    return round(t.blocks * t.vectors * (0.9 + 2 / t.usual + 1 / t.vectors), 6)


def rows_at_once(spec: KernelSpec, template: Template) -> int:
    """How many rows go through all column blocks before the next."""
    if not spec.gates or not spec.shares_tiles:
        return _ALL_ROWS
    read = {(t.operand, t.offset, t.k) for g in spec.gates for t in g.terms}
    most = _OPERANDS_OF_MANY if _weights(spec) > _CACHED else _OPERANDS
    return max(most // sum(k for _, _, k in read) // template.usual, 8) * template.usual


def _weights(spec: KernelSpec) -> int:
    """Floats of the shared matrices that the contractions read."""
    return sum(t.k for g in spec.gates for t in g.terms if t.matrix is None) * spec.width


def _heights(spec: KernelSpec, target: CpuTarget, vectors: int) -> tuple[int, ...]:
    """The heights of tiles that there are with column blocks of `vectors` vectors."""
    tiles = tuple(r for r in HEIGHTS if _fits(target.registers, r, vectors))
    own = max(r for r in tiles if spec.rows % r == 0)
    if not spec.shares_tiles or own >= _ENOUGH_ROWS:
        return (own,)
    if vectors % 4 == 0:
        halves = (r for r in HEIGHTS if _fits(target.registers, r, vectors // 2))
        tiles += tuple(r for r in halves if tiles[-1] < r <= 8)
    return tiles
