"""Tiles whose nodes choose among the matrices of a table.

The rows of a tile may have chosen different matrices. For each matrix that occurs, the products of
all rows are computed once, and every row keeps the result of its own matrix. There are as many
passes as different choices in the tile, which are few because nodes of a batch that chose the same
matrix are neighbours.
"""

from __future__ import annotations

from collections.abc import Callable

from ...specification.spec import KernelSpec
from ..text import Text
from .tile import Tile


def each_cluster(text: Text, spec: KernelSpec, tile: Tile, products: Callable[[str], None]) -> None:
    """Write the sums of all gates, sum0, sum1, ...; `products(name)` writes the statements that
    compute name0, name1, ... with one matrix of each table, which begins at `at<operand>`."""
    for n in spec.chosen:
        text(f"choice{n} = tl.load(offsets{n} + node)")
    if tile.rows == 1:
        for n in spec.chosen:
            text(f"at{n} = base{n} + tl.max(choice{n}, axis=0).to(tl.int64)")
        products("sum")
        return
    for g in range(len(spec.gates)):
        text(f"sum{g} = tl.zeros(({tile.rows}, {tile.columns}), tl.float32)")
    text(f"place = tl.arange(0, {tile.rows})")
    text("left = place >= 0")
    text("while tl.max(left.to(tl.int32), axis=0) > 0:")
    text.depth += 1
    text(f"first = tl.min(tl.where(left, place, {tile.rows}), axis=0)")
    text("mine = left")
    for n in spec.chosen:
        # Offsets are not negative.
        text(f"one{n} = tl.max(tl.where(place == first, choice{n}, 0), axis=0)")
        text(f"mine = mine & (choice{n} == one{n})")
        text(f"at{n} = base{n} + one{n}.to(tl.int64)")
    products("own")
    for g in range(len(spec.gates)):
        text(f"sum{g} = tl.where(mine[:, None], own{g}, sum{g})")
    text("left = left & (mine == 0)")
    text.depth -= 1
