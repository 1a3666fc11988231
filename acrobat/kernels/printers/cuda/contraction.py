"""Contraction kernels: a block of columns of all gates of a part, then the epilogue."""

from __future__ import annotations

from ..text import Text
from .address import Address, times, total
from .cluster import each_cluster
from .packing import QUAD, quads, weight_offsets
from .parts import Parts
from .point import Points
from .products import Products
from .tile import Precision, Tile


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
    products = Products(text, address, parts, tile, precision)
    if spec.chosen:
        each_cluster(text, spec, tile, products.write)
    else:
        products.write("sum")
    points.values([s.value for s in spec.stores])
    points.stores(list(enumerate(spec.stores)))
