"""Kernels whose nodes choose among the matrices of a table: packed and as they are, of every form,
against their meaning in numpy, with the same bits for every height of tiles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from acrobat.kernels.printers.cpu.build import build_kernels
from acrobat.kernels.printers.cpu.pack import (
    aligned,
    pack_table,
    pack_vectors,
    pack_weights,
    packed_operands,
)
from acrobat.kernels.printers.cpu.standalone import Standalone
from acrobat.kernels.printers.cuda.tile import Precision
from acrobat.kernels.printers.cuda.tile_choice import choose_tiles
from acrobat.kernels.specification.reference import run_reference
from acrobat.kernels.specification.spec import Gate
from acrobat.limits import MOST_PACKED
from tests.kernels.kernel_specs import experts, load, own_matrix
from tests.kernels.run_cuda import run as run_cuda
from tests.selection import some

ROWS = 3  # of the tables


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize(("rows", "width"), [(1, 20), (1, 64), (4, 24), (12, 7)])
def test_clusters_compute_what_the_specification_means(rows: int, width: int, packed: bool) -> None:
    k, nodes = 300, 9
    spec = experts(rows, k, width, ROWS if packed else MOST_PACKED)
    assert spec.chosen == (1, 2)
    assert packed_operands(spec) == ((1, 2) if packed else ())
    rng = np.random.default_rng(0)

    def draw(*shape: int) -> np.ndarray:
        return rng.uniform(-1, 1, shape).astype(np.float32)

    sizes = {n: spec.operands[n].width for n in (1, 2, 3)}
    tables = {n: draw(ROWS, size) for n, size in sizes.items()}
    weights, arena = [draw(k, width)], aligned(nodes * (rows * k + 5) + 64)
    arena[:] = draw(arena.size)
    choices = np.sort(rng.integers(0, ROWS, nodes))
    offsets = {n: (choices * size).astype(np.int32) for n, size in sizes.items()}
    offsets[3] = (rng.integers(0, ROWS, nodes) * width).astype(np.int32)
    offsets[0] = (rng.permutation(nodes) * (rows * k + 5)).astype(np.int32)
    want = np.zeros((nodes, spec.record), np.float32)
    run_reference(spec, arena, offsets, tables, weights, [], want)

    built = build_kernels([spec])
    compiled, library = built.kernels[spec.name], Standalone(built)
    read = {n: pack_table(spec, n, tables[n]) if packed else _padded(tables[n]) for n in (1, 2)}
    shared = pack_weights(spec, weights), pack_vectors(spec, [])
    first: np.ndarray | None = None
    for height in compiled.tiles:
        got = aligned(want.size + 64)[: want.size].reshape(want.shape)
        for choice in range(ROWS):
            of = np.flatnonzero(choices == choice)
            if not len(of):
                continue
            count = len(of) * rows
            plan = [(height, count // height)] if count >= height else []
            plan += [(1, count % height)] if count % height else []
            bases = {0: arena, 3: _padded(tables[3])}
            for c in compiled.chosen:
                n = spec.indexed[c.indexed]
                assert c.width == sizes[n]
                bases[n] = read[n][choice * c.floats :]
            part = {n: np.ascontiguousarray(o[of]) for n, o in offsets.items()}
            library.run(
                spec,
                got[of[0] : of[-1] + 1],
                {n: bases[n] for n in spec.indexed},
                {n: part[n] for n in spec.indexed},
                *shared,
                plan,
            )
        np.testing.assert_allclose(got, want, rtol=2e-4, atol=5e-5)
        first = got if first is None else first
        np.testing.assert_array_equal(got, first)


def test_a_matrix_that_is_read_in_other_ways_too_is_the_node_s_own() -> None:
    spec = experts(1, 48, 48)
    also_loaded = replace(spec, epilogue=(*spec.epilogue[:3], load(1), *spec.epilogue[4:]))
    left = replace(spec.gates[1].terms[0], operand=2)
    also_left = replace(spec, gates=(spec.gates[0], Gate((left,))))
    for other in (also_loaded, also_left, own_matrix(4, 16, 16)):
        assert other.chosen == ()
        assert not other.shares_tiles


def _padded(table: np.ndarray) -> np.ndarray:
    padded = aligned(table.size + 16)
    padded[: table.size] = table.ravel()
    return padded


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "choices"),
    some(
        [
            (1, [0]),
            (1, [0, 0, 0, 1, 1, 2, 2, 2, 2]),
            (1, [2, 0, 1, 0, 2, 1, 1]),
            (3, [0, 0, 1, 2, 2]),
        ],
        always=lambda rows, choices: rows == 3 or len(choices) == 7,
    ),
)
def test_programs_go_through_the_choices_of_a_tile(rows: int, choices: list[int]) -> None:
    spec = experts(rows, 103, 20, table_rows=1)
    run_cuda(spec, len(choices), choices=choices)


@pytest.mark.slow
@pytest.mark.parametrize(
    "precision", some(["tf32x3", "bf16x6", "tf32"], always=lambda p: p == "tf32")
)
def test_choices_with_products_on_tensor_cores(precision: Precision) -> None:
    choices = [0] * 5 + [1] * 9 + [2] * 4
    run_cuda(experts(1, 128, 16, 1), 18, rtol=2e-2, atol=2e-2, precision=precision, choices=choices)


def test_tiles_are_as_high_as_clusters() -> None:
    least = [t.least_rows for t in choose_tiles(experts(1, 36, 64, 1), 1, "fp32")]
    of_eight = [t.least_rows for t in choose_tiles(experts(1, 36, 64, 8), 1, "fp32")]
    assert of_eight == [1, *(8 * n for n in least[1:])]
