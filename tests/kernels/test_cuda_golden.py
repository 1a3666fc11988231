"""The Triton text of a tree cell, compared with what is in tests/golden.

`pytest tests/kernels/test_cuda_golden.py --update-golden` writes the file anew; read the diff.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import acrobat as ab
import workloads
from acrobat.kernels.printers.cuda.emit import HEADER, elementary, function
from acrobat.kernels.printers.cuda.parts import split
from acrobat.kernels.printers.cuda.tile_choice import choose_tiles
from acrobat.pipeline import run_pipeline
from workloads.data.source import TreeSource

GOLDEN = Path(__file__).parents[1] / "golden" / "treelstm.triton.txt"


def test_tree_cell(golden: Callable[[Path, str], None]) -> None:
    workload = workloads.get("treelstm")
    params = workload.make_params("small", 0, TreeSource(None))
    [spec] = run_pipeline(workload.model, params, ab.Options()).plans[1].kernels
    parts = split(spec)
    tiles = choose_tiles(spec, 1, "fp32")
    assert [t.least_rows for t in tiles] == [1, 2, 45, 400]
    text = HEADER + elementary([spec])
    text += "".join(function(spec, parts, t, "fp32") for t in tiles)
    golden(GOLDEN, text)
