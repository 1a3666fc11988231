"""A measurement that is killed, terminated or interrupted: what was complete stays, nobody is left,
and the same command goes on. `python -m tests.kill_measurement` does it at random moments."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.guard import marked
from harness.row_file import read_row
from tests import kill_measurement
from tests.kill_measurement import CONFIG, NAME, Measurement, command_line

CELL = "raw/cpu/treelstm/tiny/bs2.t1"
# On a machine that is busy with other tests.
LONG_S = 300.0


def wait_for(what: Callable[[], object], process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + LONG_S
    while not what():
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.slow
def test_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Snakemake alone when a row is complete, then the measuring process, then all of them."""
    monkeypatch.setattr(kill_measurement, "PATIENCE_S", 30.0)
    entry = CONFIG["measure"][0] | {"batches": [2]}
    systems: dict[str, list[str]] = {"torch_eager": [], "floor": []}
    config = CONFIG | {"systems": systems, "measure": [entry]}
    measurement = Measurement(tmp_path, config, (f"results/{NAME}/{CELL}",))
    rng = random.Random(0)

    def bench() -> bool:
        return any(b"acrobat.cli\0bench" in command_line(p) for p in measurement.processes())

    for victim, moment in (
        ("snakemake", measurement.look),
        ("bench", bench),
        ("all", bench),
    ):
        snakemake = measurement.start()
        wait_for(moment, snakemake)
        measurement.kill(snakemake, victim, rng)
        measurement.look()
    measurement.end()
    assert measurement.faults == [] and len(measurement.seen) == 2


@pytest.mark.slow
def test_told_to_end(tmp_path: Path) -> None:
    """By SIGTERM, then by Ctrl-C, in the middle of a cell that takes long: the rows of the cells
    that were done stay as they are."""
    path, long = tmp_path / "config.json", 5000
    rows = [
        tmp_path / f"out/raw/cpu/treelstm/tiny/bs{b}.t1/torch_eager/full.json" for b in (2, 3, long)
    ]
    token, texts = uuid.uuid4().hex, {}
    command = [sys.executable, "-m", "acrobat.cli", "bench", "--missing"]
    command += ["--config", str(path), "--out", str(tmp_path / "out")]
    ends = {signal.SIGTERM: 143, signal.SIGINT: 130}
    for row, batches, (number, code) in zip(
        rows, ([2, long], [2, 3, long]), ends.items(), strict=False
    ):
        entry = CONFIG["measure"][0] | {"batches": batches}
        config = CONFIG | {"systems": {"torch_eager": []}, "measure": [entry], "noisy_seconds": 0}
        path.write_text(json.dumps(config))
        process = subprocess.Popen(
            command,
            stderr=subprocess.PIPE,
            env={**os.environ, "TOLD_TO_END": token},
            # What a shell runs in the background, these tests perhaps, ignores Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        wait_for(row.exists, process)
        process.send_signal(number)
        _, said = process.communicate(timeout=LONG_S)
        assert process.returncode == code and b"Traceback" not in said, said
        assert read_row(row).status == "ok"
        texts[row] = row.read_text()
        end = time.monotonic() + LONG_S
        while marked("TOLD_TO_END", token):
            assert time.monotonic() < end
            time.sleep(0.02)
        assert not rows[2].exists()
    assert {row: row.read_text() for row in rows[:2]} == texts
    assert not [p for p in (tmp_path / "out").rglob("*.json") if p not in rows]
