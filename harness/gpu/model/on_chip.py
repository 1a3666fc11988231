"""A model of a persistent kernel that keeps weights in shared memory from step to step. Such a
kernel is not built (docs/design.md has the design).

Multiprocessors form a grid of `ROW_GROUPS` by `COLUMN_GROUPS` groups. Each holds the weights of its
column group's block of columns, for all gates of all contractions, and computes the rows of its row
group in each step. So weights come from the L2 cache once per launch, and operands once per column
group.
"""

from __future__ import annotations

from collections.abc import Sequence

from acrobat.kernels.printers.cuda.packing import passes
from acrobat.kernels.specification.spec import KernelSpec

from .chip import Chip
from .schedule import Step

ROW_GROUPS, COLUMN_GROUPS = 4, 32
WARPS = 8  # of the single program on a multiprocessor
_ROWS = 16  # of a pass, as in the existing tiles
# Bytes of shared memory for weights: a program's maximum, less room for operands and sums.
_WEIGHTS = {80: (163 - 32) << 10, 86: (99 - 32) << 10, 90: (227 - 32) << 10}
# As in the existing tiles: the share of products among a loop's instructions, and the other
# instructions: for the final sums per row and gate, and per pass.
_SHARE, _SUMS, _REST = 0.75, 12, 300
_ISSUED, _L2_WIDTH = 0.9, 64


def weight_bytes(specs: Sequence[KernelSpec]) -> int:
    """The bytes of all contractions' weights that a multiprocessor holds."""
    return sum(4 * _columns(s) * sum(t.k for g in s.gates for t in g.terms) for s in specs)


def fits(specs: Sequence[KernelSpec], chip: Chip) -> bool:
    """Whether the chip has room for these weights, and all contractions read only
    shared weights."""
    contractions = [s for s in specs if s.gates]
    shared = all(t.matrix is None for s in contractions for g in s.gates for t in g.terms)
    enough = chip.processors >= ROW_GROUPS * COLUMN_GROUPS
    return shared and enough and weight_bytes(contractions) <= _WEIGHTS[chip.arch]


def stage_time(stage: Sequence[Step], chip: Chip) -> tuple[float, float, float]:
    """The time of the contractions of a stage in microseconds, the instructions that warps issue,
    and the bytes read from the L2 cache."""
    cycles = width = issued = 0.0
    for spec, rows in ((s.spec, s.nodes * s.spec.rows) for s in stage):
        own, gates = -(-rows // ROW_GROUPS), len(spec.gates)
        products = own * _columns(spec) * sum(t.k for g in spec.gates for t in g.terms) / 32
        more = -(-own // _ROWS) * WARPS * (_SUMS * min(own, _ROWS) * gates + _REST)
        cycles += (products / _SHARE + more) / 4
        width += 4 * own * sum(p.term(spec).k for p in passes(spec))
        issued += (products / _SHARE + more) * ROW_GROUPS * COLUMN_GROUPS
    read = width * ROW_GROUPS * COLUMN_GROUPS
    took = max(cycles / _ISSUED, width / _L2_WIDTH) / chip.clock / 1e3
    return max(took, read / chip.l2_tb / 1e6), issued, read


def _columns(spec: KernelSpec) -> int:
    return -(-spec.width // COLUMN_GROUPS)
