"""What a code generator hands back, and what the run-time needs to call it.

Calling convention of every CPU kernel (TVM's packed C ABI, argument i of `args`):

    0  out    float*   record of the first node of the tile range
    1  tiles  int64    number of row tiles; the call computes tiles * R nodes
    2  jo     int64    column block, in [0, column_blocks)
    3  w      float*   packed weights (`pack_weights`), 64-byte aligned
    4  v      float*   packed vectors (`pack_vectors`), 64-byte aligned
    5+ 2i     float*   base of indexed operand i: the arena, or the table
    6+ 2i     int32*   its offsets in floats from that base, one per node, the first node's first

A kernel has no predicates: it computes exactly tiles * R nodes. It may read up to 15 floats
behind an operand's width (the arena and the tables are over-allocated by that), and writes
nothing outside its stores (up to the next multiple of 16 where `Store.padded`).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class CompiledKernel:
    """One kernel in an object file. `tiles` are the row-tile heights R that exist, ascending,
    always including 1; the symbol for R is `symbol(R)`."""

    name: str
    tiles: tuple[int, ...]
    column_blocks: int
    weight_floats: int
    vector_floats: int

    def symbol(self, r: int) -> str:
        """The C symbol of the variant with row tile `r`."""
        return f"__tvm_ffi_{self.name}_r{r}"


@dataclass(frozen=True, slots=True)
class KernelObject:
    """An object file to link, and its kernels by name. `build_s`: seconds it took (0: cached)."""

    path: Path
    kernels: dict[str, CompiledKernel]
    build_s: float
