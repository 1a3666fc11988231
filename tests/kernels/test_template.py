"""How wide column blocks and how high row tiles are, and that every choice computes the same."""

from __future__ import annotations

import itertools

import pytest

from acrobat.ir.ops import POINTWISE
from acrobat.kernels.printers.cpu.build import describe
from acrobat.kernels.printers.cpu.emit import kernel_source
from acrobat.kernels.printers.cpu.rule import choose_template
from acrobat.kernels.printers.cpu.target import CpuTarget
from acrobat.kernels.specification.spec import KernelSpec
from tests.kernels.kernel_specs import own_matrix, wide
from tests.kernels.pointwise_operands import single_operation
from tests.kernels.run_kernel import run
from tests.selection import some

AVX512 = CpuTarget("", (), 16, 32)
AVX2 = CpuTarget("", (), 8, 16)
EIGHT = (1, 2, 3, 4, 5, 6, 7, 8)


@pytest.mark.parametrize(
    ("width", "vectors", "usual", "tiles"),
    [
        (16, 1, 12, (*EIGHT, 12)),
        (32, 2, 12, (*EIGHT, 12)),
        (48, 3, 8, EIGHT),
        (64, 4, 6, EIGHT),
        (80, 3, 8, EIGHT),
        (96, 3, 8, EIGHT),
        (256, 4, 6, EIGHT),
        (768, 3, 8, EIGHT),
    ],
)
def test_blocks_are_as_wide_as_registers_allow(
    width: int, vectors: int, usual: int, tiles: tuple[int, ...]
) -> None:
    template = choose_template(wide(width, 64, 1), AVX512)
    assert (template.vectors, template.usual, template.tiles) == (vectors, usual, tiles)


@pytest.mark.parametrize(
    ("width", "lanes", "vectors", "starts"),
    [
        (7, 4, 1, [0, 3]),
        (12, 8, 1, [0, 4]),
        (80, 16, 3, [0, 32]),
        (150, 16, 2, [0, 32, 64, 96, 118]),
        (300, 16, 4, [0, 64, 128, 192, 236]),
    ],
)
def test_the_last_of_the_column_blocks_begins_earlier(
    width: int, lanes: int, vectors: int, starts: list[int]
) -> None:
    template = choose_template(wide(width, 64, 1), AVX512)
    assert (template.lanes, template.vectors, template.starts) == (lanes, vectors, starts)


@pytest.mark.parametrize("width", [1, 16, 100, 500, 768])
@pytest.mark.parametrize("target", [AVX512, AVX2])
def test_without_contractions_one_call_goes_through_all_columns(
    width: int, target: CpuTarget
) -> None:
    spec = single_operation(POINTWISE["tanh"], width)
    template = choose_template(spec, target)
    assert (template.blocks, template.starts) == (1, [0])
    assert describe(spec, template).column_blocks == 1
    assert "jo * " not in kernel_source(spec, template, 1)


def test_with_half_the_registers_tiles_are_6_by_2() -> None:
    template = choose_template(wide(256, 64, 1), AVX2)
    assert (template.vectors, template.usual, template.tiles) == (2, 6, (1, 2, 3, 4, 5, 6))


def test_weights_that_leave_the_cache_are_read_by_tall_tiles() -> None:
    small, large = wide(256, 1024, 1), wide(256, 1024, 2)
    assert choose_template(small, AVX512).vectors == 4
    template = choose_template(large, AVX512)
    assert (template.vectors, template.usual) == (2, 12)
    # Nodes of many rows read them often enough.
    assert choose_template(wide(768, 3072, 1, rows=128), AVX512).vectors == 3


@pytest.mark.parametrize(
    ("spec", "rows"),
    [
        (wide(256, 512, 1), 252),
        (wide(768, 768, 1, rows=128), (1 << 20) // 768 // 8 * 8),
        (wide(256, 1 << 15, 1), 96),
        (own_matrix(64, 64, 64), 1 << 60),
    ],
)
def test_operands_stay_in_the_cache_over_all_column_blocks(spec: KernelSpec, rows: int) -> None:
    assert choose_template(spec, AVX512).schedule.rows_at_once == rows


def test_a_node_with_a_matrix_of_its_own_has_tiles_that_divide_its_rows() -> None:
    template = choose_template(own_matrix(64, 64, 64), AVX512)
    assert (template.vectors, template.tiles, template.usual) == (2, (8,), 8)


def test_passes_hold_what_the_registers_allow() -> None:
    spec = wide(64, 8, 3)
    template = choose_template(spec, AVX512)
    passes = {r: [len(p) for p in template.passes(spec, r)] for r in template.tiles}
    assert passes == {
        **{r: [12] for r in (1, 2)},
        3: [8, 4],
        **{r: [4, 4, 4] for r in (4, 5, 6)},
        **{r: [2, 2, 2, 2, 2, 2] for r in (7, 8)},
    }
    for r in template.tiles:
        found = [a for p in template.passes(spec, r) for a in p]
        assert found == [(g, j) for g in range(3) for j in range(4)]


# Every width with one number of gates, and every number of gates with narrow and wide ones.
WIDTHS = (3, 12, 16, 32, 48, 64, 80, 96, 112, 128, 150, 240)
GATES = (1, 2, 5)


@pytest.mark.parametrize(
    ("width", "gates"),
    some(
        itertools.product(WIDTHS, GATES),
        always=lambda width, gates: GATES[WIDTHS.index(width) % 3] == gates,
    ),
)
def test_all_widths(width: int, gates: int) -> None:
    run(wide(width, 24, gates), nodes=13)


@pytest.mark.parametrize(
    ("width", "rows"),
    some(
        itertools.product([48, 64, 75], [4, 8, 9]),
        always=lambda width, rows: (width, rows) in ((48, 9), (64, 8), (75, 4)),
    ),
)
def test_all_widths_with_rows(rows: int, width: int) -> None:
    run(wide(width, 24, 2, rows), nodes=5)
