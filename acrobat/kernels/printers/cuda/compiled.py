"""The output of the Triton code generator, and what the run-time needs to launch it.

Parameters of every kernel, in this order, each 8 bytes except `rows`:

    float*   record    the record of the batch's first node
    float*   scratch   the scratch record of the batch's first node
    int32    rows      nodes of the batch times rows per node (`KernelSpec.rows`)
    float*   weights   packed weights
    float*   vectors   packed vectors
    then, for each indexed operand of the spec, in order:
    float*   base      the arena or the table, plus the operand's constant start in floats
    int32*   offsets   in floats from that base, one per node of the batch
    then what Triton appends: two pointers (global scratch, profile scratch), null.

Records, scratch records, weights and vectors are aligned to 16 bytes; bases need not be.

The grid is (row tiles, column blocks, 1): `CudaVariant.grid`. Unlike the CPU kernels, these have
predicates: they touch nothing outside the rows of the batch, the widths of the operands and the
columns of the stores.

The *persistent kernel* (persistent_kernel.py) runs many of these in one cooperative launch, whose
grid is (thread blocks, 1, 1). Its parameters:

    int64*   table     aligned to 32 bytes
    int32    begin     the first step
    int32    end       one past the last step
    then Triton's two pointers, null.

The table consists of 8-byte words. Word 0 counts the arrivals of thread blocks at grid barriers; it
is 0 before the launch. Words 1 to 3 are unused. Step s begins at word 4 (s + 1), with eight int32s:

    kind       of the variant (`CudaVariant.kind`), or 0: copies of runs of floats
    waits      whether a grid barrier comes first, because it reads what earlier steps wrote
    row tiles  the grid along x
    tiles      the product of the grid
    first      the number of its first tile: the tiles of the steps since the last one that waits
    arguments  the word of the table where its arguments begin
    and two that are unused

The arguments are the parameters of the kernel as above, one word each, without Triton's own; those
of a copy are listed in device_functions.py. Steps between two grid barriers may run in any order
and at the same time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class CudaVariant:
    """One machine-code version of a kernel. It is intended for batches of at least `least_rows`
    rows (nodes times rows per node) and correct for all. `shared`: bytes of dynamic shared memory.
    `tile_rows`: rows of one tile; where the spec does not share tiles, a tile stays within a node,
    which has ceil(spec.rows / tile_rows) tiles. `kind`: its number in the persistent kernel that it
    is part of, whose `cubin` and `shared` it then has; 0 if it is launched itself."""

    cubin: Path
    symbol: str
    least_rows: int
    tile_rows: int
    column_blocks: int
    warps: int
    shared: int
    kind: int = 0

    def grid(self, nodes: int, rows_per_node: int, shares_tiles: bool) -> tuple[int, int]:
        """Programs along x (row tiles) and y (column blocks) for a batch of `nodes` nodes."""
        if shares_tiles:
            return -(-nodes * rows_per_node // self.tile_rows), self.column_blocks
        return nodes * -(-rows_per_node // self.tile_rows), self.column_blocks


@dataclass(frozen=True, slots=True)
class CudaKernel:
    """One kernel for one architecture. `variants` are in order of `least_rows`, which starts at 1:
    the one to launch is the last whose `least_rows` the batch has. `weight_floats` and
    `vector_floats`: sizes of the packed arrays."""

    name: str
    variants: tuple[CudaVariant, ...]
    weight_floats: int
    vector_floats: int


@dataclass(frozen=True, slots=True)
class PersistentKernel:
    """All variants of all kernels in one kernel. `text`: its source."""

    cubin: Path
    symbol: str
    warps: int
    shared: int
    text: str


@dataclass(frozen=True, slots=True)
class CudaKernels:
    """The kernels of a program for one architecture (90 is sm_90), by name, the seconds that
    compiling them took (0: cached), and, if they are not launched one by one, the persistent kernel
    that runs them."""

    arch: int
    kernels: Mapping[str, CudaKernel]
    build_s: float
    persistent: PersistentKernel | None = None
