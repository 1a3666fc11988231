"""The cost of a kernel's tile: instructions, from its machine code, and bytes from the L2 cache.

Machine code does not tell how often a loop runs. The number of products that a tile needs is known,
and those in the main loop are counted: their quotient is the number of iterations. Everything else
counts as run once, including both sides of a branch and any loop without products.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from acrobat.kernels.printers.cuda.build import build_cuda_kernels
from acrobat.kernels.printers.cuda.compiled import CudaKernels, CudaVariant
from acrobat.kernels.printers.cuda.packing import passes
from acrobat.kernels.printers.cuda.parts import split
from acrobat.kernels.printers.cuda.tile import PERSISTENT_WARPS, Tile
from acrobat.kernels.printers.cuda.tile_choice import choose_tiles
from acrobat.kernels.specification.spec import KernelSpec
from harness.gpu.limits import node_bytes
from harness.gpu.machine_code.disassembly import Routine, disassemble, registers
from harness.gpu.machine_code.resources import MULTIPROCESSORS, heaviest


@dataclass(frozen=True, slots=True)
class TileCost:
    """The cost per tile: `instructions` of each of its `warps` warps, of which `products` are
    multiply-adds; `bytes` from the L2 cache. `resident`: programs that fit on a multiprocessor at
    once."""

    variant: CudaVariant
    instructions: float
    products: float
    bytes: float
    warps: int
    resident: int


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of a model's tiles. `tiles`: for every kernel the costs of its variants, in order.
    `persistent`: all kernels are combined in one."""

    tiles: Mapping[str, tuple[TileCost, ...]]
    persistent: bool

    def choose(self, spec: KernelSpec, nodes: int) -> TileCost:
        """The cost of the variant that the run-time chooses."""
        fitting = [c for c in self.tiles[spec.name] if c.variant.least_rows <= nodes * spec.rows]
        return fitting[-1]


def costs(
    specs: list[KernelSpec], arch: int, persistent: bool, processors: int | None = None
) -> Costs:
    """The costs of all kernels of a model, which are compiled if they are not in the cache.
    `processors`: the GPU's number of multiprocessors, as for `build_cuda_kernels`."""
    built = build_cuda_kernels(specs, arch, persistent=persistent, processors=processors)
    routines = _routines(built)
    found: dict[str, tuple[TileCost, ...]] = {}
    for spec in specs:
        parts = split(spec)
        warps = PERSISTENT_WARPS if persistent else None
        tiles = choose_tiles(parts.first, len(parts.specs), "fp32", warps)
        variants = built.kernels[spec.name].variants
        found[spec.name] = tuple(
            _cost(spec, tile, variant, routines[_key(variant)], arch)
            for tile, variant in zip(tiles, variants, strict=True)
        )
    return Costs(found, persistent)


def _key(variant: CudaVariant) -> object:
    return variant.kind or variant.symbol


def _routines(built: CudaKernels) -> dict[object, tuple[Routine, int]]:
    """The machine code of every variant, and its registers. Kernels that differ only in their names
    share one kind, whose code has the name of the first of them."""
    found: dict[object, tuple[Routine, int]] = {}
    variants = [v for kernel in built.kernels.values() for v in kernel.variants]
    code = {path: {r.name: r for r in disassemble(path)} for path in {v.cubin for v in variants}}
    used = {path: registers(path) for path in code}
    for v in variants:
        routine = code[v.cubin].get(v.symbol)
        if routine is not None:
            found.setdefault(_key(v), (routine, used[v.cubin]))
    return found


def _cost(
    spec: KernelSpec, tile: Tile, variant: CudaVariant, code: tuple[Routine, int], arch: int
) -> TileCost:
    routine, used = code
    first = split(spec).first
    loop = heaviest(routine)
    needed = tile.rows * tile.columns * sum(t.k for gate in first.gates for t in gate.terms)
    products = needed / (32 * tile.warps)
    instructions: float = len(routine.code)
    if loop is not None and first.gates:
        trips = max(1.0, products / loop.products)
        instructions += (trips - 1) * loop.instructions
    if first.gates:
        moved = 4.0 * sum(
            p.term(first).k * (tile.rows + tile.columns * len(p.uses)) for p in passes(first)
        )
    else:
        # The bytes of a node, scaled by the tile's share of a node.
        moved = node_bytes(spec) * min(1.0, tile.rows / spec.rows)
        moved *= min(1.0, tile.columns / spec.width) * max(1.0, tile.rows / spec.rows)
    resident = MULTIPROCESSORS[arch].resident(used, variant.shared, tile.warps)
    return TileCost(variant, instructions, products, moved, tile.warps, resident)
