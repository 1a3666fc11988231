"""Systems that hang, crash and lie: each has a row that says so, and the others go on."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import baselines.registry
from harness import beforehand, worker_limits, worker_process
from harness.cell import Cell
from harness.measure import measure_cell
from harness.row import Row
from harness.row_file import read_row
from tests.harness.fake_systems import FAKES, HOSTILE, ROOT

_CANNOT = "its process says what cannot be: "
# (system, outcome, the reason or how it begins)
ROWS = (
    ("exitswhenasked", "error", "the process ended with exit code 0, and said nothing"),
    ("saysnothing", "error", "TypeError: `supports` must return Supported or Unsupported, not "),
    ("segfault", "error", "the process ended with signal 11, and said nothing"),
    ("exitszero", "error", "the process ended with exit code 0, and said nothing"),
    ("interrupts", "error", "KeyboardInterrupt:  (sitecustomize.py:"),
    ("coloured", "error", "RuntimeError: \\x1b[2Jred\\udc80\\u202exxxx"),
    ("recursive", "error", "RecursionError: maximum recursion depth exceeded"),
    ("fillsmemory", "oom", "ended at "),
    ("floods", "error", "ended for printing more than 1 MiB"),
    ("closespipes", "error", "the process closed its pipes, without an answer"),
    ("scribbles", "ok", ""),
    ("forges", "error", _CANNOT + "'many' for 1 runs"),
    ("forgesdepth", "error", "its process gave an answer that cannot be read"),
    ("clock", "error", _CANNOT + "-1000.0 ms for a run"),
    ("stopstheclock", "ok", ""),
    ("nothing", "wrong", "results of 0 instances instead of 2"),
    ("returnsnone", "error", "TypeError: 'NoneType' object is not iterable (references.py:"),
    ("forgesshape", "wrong", "instance 0: an array of (1,)"),
    ("halfafile", "wrong", "its outputs cannot be read: BadZipFile: "),
    ("nobreakdown", "error", "TypeError: asdict() should be called on dataclass instances ("),
    ("parent", "ok", ""),
    ("elsewhere", "ok", ""),
    ("good", "ok", ""),
)
# With time limits that are too short for others on a busy machine: whoever is asked after one that
# did not answer waits for a new process.
HANGING = (
    ("neverready", "timeout", "no answer to 'prepare' within 0.5 s"),
    ("hangswhenasked", "timeout", "no answer to 'supports' within 5 s"),
)
DEAF = (("deaf", "timeout", "no answer to 'sample' within 10 s"),)


def _cell(rows: tuple[tuple[str, str, str], ...], timeout_s: float) -> Cell:
    return Cell(
        workload="treelstm",
        size="tiny",
        batch=2,
        threads=1,
        device="cpu",
        seed=0,
        sst_dir="generated",
        systems=tuple((f"fake_{name}", "full") for name, *_ in rows),
        min_samples=6,
        min_seconds=0.0,
        warmup=1,
        timeout_s=timeout_s,
        round_ms=2.0,
        pause_s=0.0,
    )


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, Row], Path]]:
    """All of them, measured once, and the folder of their logs; each row as it is in its file."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "sitecustomize.py").write_text(FAKES + HOSTILE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", f"{folder}:{ROOT}")
        patch.setenv("FAKE_LOG", str(folder / "log"))
        patch.setattr(baselines, "sources", lambda name: [])
        patch.setattr(baselines.registry, "_added", {})
        patch.setattr(worker_process, "most_memory", lambda: 1 << 30)
        patch.setattr(worker_limits, "_MOST_PRINTED", 1 << 20)
        exec(FAKES + HOSTILE, {})
        found: dict[str, Row] = {}

        def keep(row: Row) -> None:
            path = row.write(folder / "raw" / f"{row.system}.json")
            found[row.system.removeprefix("fake_")] = read_row(path)

        limits = ((ROWS, 60.0, 60.0), (HANGING, 5.0, 0.5), (DEAF, 60.0, 10.0))
        for rows, supports_s, timeout_s in limits:
            patch.setattr(beforehand, "_SUPPORTS_S", supports_s)
            measure_cell(_cell(rows, timeout_s), keep)
        yield found, folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "outcome", "reason"), [*ROWS, *HANGING, *DEAF], ids=lambda text: text[:20]
)
def test_a_row_says_so(
    measured: tuple[dict[str, Row], Path], system: str, outcome: str, reason: str
) -> None:
    row = measured[0][system]
    assert (row.outcome, row.reason[: len(reason)]) == (outcome, reason), row.reason
    assert row.reason.replace("\n", "").isprintable() and len(row.reason) < 5000
    assert (row.median_ms is not None) == (row.status == "ok")
    if outcome == "ok":
        assert row.max_abs_err == 0.0 and row.n_samples >= 6


@pytest.mark.slow
def test_nobody_is_left(measured: tuple[dict[str, Row], Path]) -> None:
    """Children go with their system, also those in sessions of their own or without our names in
    their environment."""
    children = list(map(int, (measured[1] / "log.children").read_text().split()))
    end = time.monotonic() + 100
    while left := [pid for pid in children if _is_alive(pid)]:
        assert time.monotonic() < end, left
        time.sleep(0.05)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
