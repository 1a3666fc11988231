"""The printed Triton against the numpy meaning of the specifications, in Triton's interpreter."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from acrobat.kernels.printers.cuda.emit import kernel_source
from acrobat.kernels.printers.cuda.parts import split
from acrobat.kernels.printers.cuda.tile import Precision
from acrobat.kernels.printers.cuda.tile_choice import choose_tiles
from acrobat.kernels.specification.spec import Instr, Store
from tests.kernels.kernel_specs import (
    cell,
    heads,
    load,
    matrix_rows,
    own_matrix,
    projections,
    random_contraction,
    unlike_gates,
)
from tests.kernels.row_specs import layer_norm, pointwise, row_kernel, softmax, transpose
from tests.kernels.run_cuda import run
from tests.selection import some

FEW = settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
)


@pytest.mark.parametrize(
    ("width", "k", "nodes"),
    some(
        [(1, 3, 1), (1, 3, 7), (18, 20, 1), (18, 20, 7), (32, 33, 1), (32, 33, 7)],
        always=lambda width, k, nodes: (width < 18) == (nodes == 7) and width < 32,
    ),
)
def test_tree_cell(width: int, k: int, nodes: int) -> None:
    run(cell(width, k), nodes)


@pytest.mark.slow
def test_larger_batches() -> None:
    run(cell(3, 8), 64)
    run(cell(18, 20), 64, only=32)
    run(softmax(1, 5), 1000)
    run(own_matrix(3, 4, 5), 64)


@pytest.mark.slow
@pytest.mark.exhaustive
def test_more_larger_batches() -> None:
    run(cell(18, 20), 64, only=16)
    run(cell(3, 4), 1000, only=16)
    run(cell(16, 4), 1000, only=32)
    run(layer_norm(1, 17), 1000)
    run(transpose(4, 5), 1000)
    run(pointwise(3), 1000)


@pytest.mark.parametrize("nodes", [1, 7])
def test_gates_with_different_terms(nodes: int) -> None:
    run(unlike_gates(), nodes)


@pytest.mark.parametrize("rows", [3, 20])
@pytest.mark.parametrize("nodes", [1, 7])
def test_rows_of_a_node(rows: int, nodes: int) -> None:
    run(matrix_rows(rows), nodes)


@pytest.mark.parametrize(
    ("rows", "k", "width", "nodes"),
    some(
        [
            (*dims, nodes)
            for dims in ((1, 20, 33), (3, 5, 7), (16, 16, 16), (20, 33, 70), (70, 20, 18))
            for nodes in (1, 7)
        ],
        always=lambda rows, k, width, nodes: rows < 20 or (nodes == 1 and width < 70),
    ),
)
def test_matrices_of_a_nodes_own(rows: int, k: int, width: int, nodes: int) -> None:
    run(own_matrix(rows, k, width), nodes)


@pytest.mark.parametrize("nodes", [1, 3])
def test_parts(nodes: int) -> None:
    assert len(split(projections()).specs) == 3
    run(projections(), nodes)
    assert len(split(heads(18, 3, 4)).specs) == 3
    run(heads(18, 3, 4), nodes)
    run(heads(3, 4, 5), nodes)


def test_parts_that_are_unlike_stay_together() -> None:
    spec = projections()
    steady = [0, 112, 224]
    assert [s.offset for s in spec.stores] == steady
    moved = dataclasses.replace(spec.stores[2], offset=240)
    spec = dataclasses.replace(spec, stores=(*spec.stores[:2], moved), record=352)
    assert len(split(spec).specs) == 1
    run(spec, 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "precision",
    some(
        ["tf32x3", "bf16x6", "tf32", "bf16"],
        always=lambda precision: precision in ("tf32x3", "bf16"),
    ),
)
def test_other_precisions(precision: Precision) -> None:
    """The interpreter neither rounds to tf32 nor splits float32, but to bf16 it rounds."""
    rtol, atol = (3e-2, 3e-2) if precision == "bf16" else (2e-4, 5e-5)
    run(cell(18, 20), 7, precision=precision, rtol=rtol, atol=atol)
    run(own_matrix(20, 33, 18), 2, precision=precision, rtol=rtol, atol=4 * atol)


@pytest.mark.slow
@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan])
def test_special_operands(special: float) -> None:
    """What tf32 leaves of an infinite operand is NaN, which must not come into the sums."""
    with np.errstate(invalid="ignore"):
        run(cell(18, 20), 20, precision="tf32x3", special=special)
        run(own_matrix(20, 33, 18), 2, atol=2e-4, precision="tf32x3", special=special)


@pytest.mark.slow
@FEW
@given(st.data())
def test_random_contractions(data: st.DataObject) -> None:
    run(random_contraction(data), data.draw(st.sampled_from([1, 5])))


# 4100 columns are more than a program keeps in registers.
@pytest.mark.parametrize("width", [1, 3, 16, 17, 100, 4100])
@pytest.mark.parametrize("rows", [1, 5])
def test_softmax_and_layer_norm(rows: int, width: int) -> None:
    nodes = 7 if width < 4000 else 2
    run(softmax(rows, width), nodes)
    run(layer_norm(rows, width), nodes, rtol=1e-3 if width < 4 else 2e-4)


@pytest.mark.parametrize("width", [1, 2, 16, 17, 40, 4100])
def test_argmax_is_the_first_of_equals(width: int) -> None:
    nodes = 7 if width < 4000 else 2
    x = load(0, 0, width)
    run(row_kernel("argmax", 3, width, [x, Instr("rargmax", (0,))], scalar=True), nodes)
    # Comparing gives 0 and 1: ties everywhere.
    ties = [x, Instr("lit", (), 0.25), Instr("less", (1, 0)), Instr("rargmax", (2,))]
    run(row_kernel("ties", 3, width, ties, scalar=True), nodes)
    # Everything is negative: columns that do not exist must not win.
    below = [x, Instr("lit", (), 2.0), Instr("sub", (0, 1)), Instr("rmax", (2,))]
    below += [Instr("rargmax", (2,)), Instr("add", (3, 4))]
    run(row_kernel("below", 3, width, below, scalar=True), nodes)
    # NaN in some of the rows.
    code = [x, Instr("lit", (), 0.9), Instr("sub", (1, 0)), Instr("log", (2,))]
    code += [Instr("rmax", (3,)), Instr("rargmax", (3,)), Instr("sub", (4, 5))]
    run(row_kernel("nan", 3, width, code, scalar=True), nodes)


@pytest.mark.parametrize("width", [5, 16, 4100])
def test_row_scalars(width: int) -> None:
    """Reductions over what is the same in all columns; arithmetic on reductions, stored both
    ways."""
    code = [Instr("lit", (), 0.5), Instr("rsum", (0,)), Instr("load_shared", (0, 0, 0, 1))]
    code += [Instr("rsum", (2,)), Instr("mul", (1, 3)), load(0, 0, width, 0), Instr("rsum", (5,))]
    code += [Instr("add", (4, 6))]
    spec = row_kernel("scalars", 3, width, code)
    spec = dataclasses.replace(spec, stores=(*spec.stores, Store(0, 7, False, 1, scalar=True)))
    run(spec, 2, atol=5e-3)


@pytest.mark.parametrize(("rows", "width"), [(3, 5), (16, 16), (4, 33), (40, 70)])
def test_transposed_and_broadcast_reads(rows: int, width: int) -> None:
    code = [load(0, 0, 1, rows), load(1, 2, 1, 0), load(1), Instr("mul", (0, 1)), Instr("col")]
    code += [Instr("add", (2, 4)), Instr("add", (3, 5))]
    run(row_kernel("turned", rows, width, code))
    run(transpose(rows, width))


@pytest.mark.parametrize("width", [1, 3, 50, 1030])
def test_pointwise(width: int) -> None:
    run(pointwise(width))
    single = [load(0, 0, 1, 0), Instr("exp", (0,))]
    run(row_kernel("single", 3, width, single, scalar=True))


def test_an_unknown_function_is_refused() -> None:
    spec = row_kernel("unknown", 1, 4, [load(0), Instr("sinh", (0,))])
    [tile] = choose_tiles(spec, 1, "fp32")
    with pytest.raises(ValueError, match="unknown: there is no epilogue instruction 'sinh'"):
        kernel_source(spec, split(spec), tile, "fp32")
