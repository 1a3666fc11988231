"""Conflicts of shared memory's banks."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("triton")

from acrobat.kernels.printers.cuda.tile import Precision
from tests.kernels.kernel_specs import cell
from tests.kernels.run_cuda import run
from tests.ptx.banks import passes
from tests.ptx.launched import Launched
from tests.ptx.shared_memory import Conflicts

LANES = np.arange(32)


@pytest.mark.parametrize(
    ("address", "size", "expected"),
    [
        (LANES * 4, 4, (1, 1)),
        (LANES * 0 + 64, 4, (1, 1)),  # a word for all
        (LANES * 8, 4, (2, 1)),
        (LANES * 128, 4, (32, 1)),  # one bank
        (LANES * 132, 4, (1, 1)),  # rows that are padded
        (LANES * 2, 2, (1, 1)),  # halves of a word
        (LANES * 8, 8, (2, 2)),
        (LANES * 16, 16, (4, 4)),
        (LANES * 128, 16, (32, 4)),
        (LANES % 8 * 16, 16, (4, 4)),  # the same for each quarter
    ],
)
def test_passes(address: np.ndarray, size: int, expected: tuple[int, int]) -> None:
    assert passes(LANES, address, size) == expected


def test_warps_do_not_conflict() -> None:
    assert passes(np.arange(64), np.arange(64) % 32 * 4, 4) == (2, 2)
    assert passes(LANES[:3], np.array([0, 128, 256]), 4) == (3, 1)
    assert passes(LANES[:0], LANES[:0], 4) == (0, 0)


@pytest.mark.slow
def test_tiles_of_split_products_have_few() -> None:
    """Each result costs a fraction of what it costs where threads divide k among themselves."""
    per_result: dict[tuple[Precision, int], float] = {}
    variants: list[tuple[Precision, int]] = [("fp32", 16), ("tf32x3", 16), ("tf32x3", 32)]
    for precision, rows in variants:
        counted = Conflicts()
        run(cell(64, 64), 32, precision=precision, only=rows, execute=Launched(90, counted))
        total, least = sum(counted.passes.values()), sum(counted.least.values())
        per_result[precision, rows] = total / (32 * 64)
        if rows == 32:
            assert total <= 1.1 * least
    assert per_result["tf32x3", 32] < per_result["tf32x3", 16] < per_result["fp32", 16] / 2
