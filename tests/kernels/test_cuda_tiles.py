"""Which tiles a kernel for a GPU has, and from how many rows on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from acrobat.kernels.printers.cuda.persistent_kernel import write_persistent_kernel
from acrobat.kernels.printers.cuda.tile import Tile, for_two, loops, stage_bytes
from acrobat.kernels.printers.cuda.tile_choice import choose_tiles
from acrobat.kernels.printers.cuda.waves import _cycles, multiprocessors
from tests.kernels.kernel_specs import cell
from tests.kernels.row_specs import pointwise


@pytest.mark.parametrize("warps", [None, 4])
def test_sixteen_rows_begin_where_they_take_less_time(warps: int | None) -> None:
    spec = cell(256, 256)
    _, small, large, _ = choose_tiles(spec, 1, "fp32", warps)
    assert (small.rows, large.rows) == (4, 16) and 16 < large.least_rows < 64
    before, there = (
        [_cycles(spec, 1, tile, rows) for tile in (small, large)]
        for rows in (large.least_rows - 1, large.least_rows)
    )
    assert before[0] < before[1] and there[0] >= there[1]


def test_a_gpu_of_fewer_multiprocessors_takes_larger_tiles_sooner() -> None:
    """And nothing but where they begin differs: machine code is made without knowing the GPU."""
    spec = cell(256, 256)
    one, half, other = (
        choose_tiles(spec, 1, "fp32", 4, multiprocessors(*gpu))
        for gpu in ((90, None), (86, 46), (80, 108))
    )
    assert one == choose_tiles(spec, 1, "fp32", 4)
    for tiles in (half, other):
        assert [replace(t, least_rows=1) for t in tiles] == [replace(t, least_rows=1) for t in one]
    assert all(a.least_rows < b.least_rows for a, b in zip(half[2:], one[2:], strict=True))
    # On sm_80 products are slower, and the tiles that spare other instructions worth less.
    assert other[3].least_rows > one[3].least_rows


def test_two_programs_of_a_small_multiprocessor() -> None:
    spec = cell(256, 256)
    tile = max(choose_tiles(spec, 1, "fp32", 4), key=lambda t: t.stages * _bytes(t))
    assert tile.stages * _bytes(tile) > 48 << 10
    assert for_two(spec, tile, 90) == tile
    for arch in (86, 89):
        fitting = for_two(spec, tile, arch)
        assert fitting.stages * _bytes(fitting) <= 48 << 10
        assert (fitting.stages + 1) * _bytes(fitting) > 48 << 10
    row = choose_tiles(pointwise(50), 1, "fp32", 4)[0]
    assert for_two(pointwise(50), row, 86) == row
    texts = {arch: write_persistent_kernel([spec], "fp32", arch).text for arch in (80, 86, 90)}
    assert texts[80] == texts[90] != texts[86]


def _bytes(tile: Tile) -> int:
    spec = cell(256, 256)
    return max(stage_bytes(tile, one) for one in loops(spec, tile))
