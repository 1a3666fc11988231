"""A part of a configuration, and how far a run is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.config import alone, cells
from harness.config_file import ConfigError
from harness.config_shape import check_shape
from harness.progress import Progress

CONFIG: dict[str, Any] = {
    "device": "cpu",
    "seed": 0,
    "samples": 3,
    "min_seconds": 0,
    "timeout_s": 10,
    "tolerance": 1e-4,
    "systems": {"acrobat": [], "floor": []},
    "measure": [
        {"workload": "treelstm", "sizes": ["tiny", "small"], "batches": [1, 8], "threads": [1, 2]},
        {"workload": "drnn", "sizes": ["tiny"], "batches": [8], "threads": ["all"]},
    ],
}


def test_a_part_of_the_cells_with_the_same_settings() -> None:
    part = CONFIG | {"workloads": ["treelstm"], "batch_sizes": [8], "model_sizes": ["small"]}
    chosen = cells(part)
    assert [(c.workload, c.size, c.batch, c.threads) for c in chosen] == [
        ("treelstm", "small", 8, 1),
        ("treelstm", "small", 8, 2),
    ]
    # What was measured of the whole is not measured again.
    whole = next(c for c in cells(CONFIG) if c == chosen[0])
    assert alone(part, chosen[0]) == alone(CONFIG, whole)
    assert len(cells(CONFIG | {"thread_counts": ["all", 2]})) == 5
    # As Snakemake reads its command line.
    check_shape(CONFIG | {"workloads": "drnn", "batch_sizes": ["8"], "thread_counts": 2})
    assert len(cells(CONFIG | {"workloads": "treelstm", "batch_sizes": ["8"]})) == 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"batch_sizes": [8, 64]}, "batch_sizes: 64 is not in the configuration; there is 1, 8"),
        (
            {"workloads": ["birnn"]},
            "workloads: 'birnn' is not in the configuration; there is treelstm, drnn",
        ),
        (
            {"workloads": ["drnn"], "batch_sizes": [1]},
            "no cell has all of workloads, batch_sizes",
        ),
    ],
)
def test_a_part_that_is_not_there(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        cells(CONFIG | change)
    assert str(error.value) == message


def test_lines_now_and_then(tmp_path: Path) -> None:
    now = 0.0
    folders = {key: tmp_path / key for key in "abcd"}
    folders["a"].mkdir()
    seconds = {"a": 50.0, "b": 20.0, "c": 20.0, "d": 100.0}
    progress = Progress("quick", folders, seconds, lambda: now)
    assert progress.line() is None
    folders["b"].mkdir()
    assert progress.line() is None  # too early
    now = 40.0
    # Twice as slow as it should be.
    assert progress.line() == "quick: 2 of 4 cells, about 4 min left"
    now = 60.0
    assert progress.line() is None
    folders["d"].mkdir()
    assert progress.line() == "quick: 3 of 4 cells, about 10 s left"
    folders["c"].mkdir()
    now = 70.0
    assert progress.line() == "quick: 4 of 4 cells"
