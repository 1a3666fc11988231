"""Block lowering on random blocks. `ACROBAT_BLOCKS=5000` for more of them."""

from __future__ import annotations

import os

import pytest

from tests.kernels.random_blocks import RandomBlock
from tests.kernels.run_block import judge
from tests.selection import some

BLOCKS = int(os.environ.get("ACROBAT_BLOCKS", "240"))
PER_TEST = 20


@pytest.mark.parametrize(
    "first", some(range(0, BLOCKS, PER_TEST), always=lambda first: first < BLOCKS / 2)
)
def test_random_blocks(first: int) -> None:
    for seed in range(first, first + PER_TEST):
        drawn = RandomBlock(seed, 2 + seed % 12)
        if drawn.outputs:
            try:
                judge(drawn.built, *drawn.outputs, seed=seed)
            except Exception as error:
                error.add_note(f"random block {seed}")
                raise
