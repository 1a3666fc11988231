"""Means of speed-ups: of one machine and one version of the sources, or apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from plots.machines import machine
from plots.means import mean_speedups, means
from plots.report import write_report
from plots.rows import load_rows
from tests.plots.plot_rows import HOST, MACHINE, frame, row, save


def _cell(workload: str, speedup: float, **more: Any) -> list[dict[str, object]]:
    return [
        row("acrobat", 1.0, workload=workload, **more),
        row("dynet", speedup, "autobatch1", workload=workload, **more),
    ]


def test_versions_of_the_sources_are_not_averaged_together() -> None:
    rows = [*_cell("treelstm", 2.0), *_cell("birnn", 8.0)]
    later = {"source_hash": "abcdef0123456789", "git_sha": "later"}
    found = mean_speedups(frame(*rows, *_cell("drnn", 3.0, **later)), {"dynet": "DyNet"})
    head = "Geometric mean of the speed-up over DyNet, acrobat's sources"
    assert found == [
        f"{head} acrobat0 and DyNet's sources dynet000 (commit 0123456789ab): small, 2 threads "
        f"(DyNet on 1): 4.00 [4.00, 4.00] (n=2: birnn, treelstm).",
        f"{head} abcdef01 and DyNet's sources abcdef01 (commit later): small, 2 threads "
        f"(DyNet on 1): 3.00 [3.00, 3.00] (n=1: drnn).",
    ]


def test_commits_with_the_same_sources_are_averaged_together() -> None:
    rows = [*_cell("treelstm", 2.0), *_cell("birnn", 8.0, git_sha="later")]
    assert mean_speedups(frame(*rows), {"dynet": "DyNet"}) == [
        "Geometric mean of the speed-up over DyNet: small, 2 threads (DyNet on 1): "
        "4.00 [4.00, 4.00] (n=2)."
    ]


@pytest.mark.usefixtures("undrawn")
def test_machines_are_not_averaged_together(tmp_path: Path) -> None:
    there = {"host": {**HOST, "name": "there"}}
    save(tmp_path, *_cell("treelstm", 2.0), *_cell("birnn", 8.0, **there))
    rows = load_rows(tmp_path)
    assert [(m.ours[0], round(m.interval.value, 9), m.cells) for m in means(rows, "dynet")] == [
        ("there (A CPU, 2 cores; A CPU (family 25, model 17, stepping 1), 8 lanes)", 8.0, 1),
        (MACHINE, 2.0, 1),
    ]
    write_report(tmp_path, tmp_path / "out", lambda _: None)
    text = (tmp_path / "out" / "tables" / "T3_dynet.md").read_text()
    assert f"over DyNet, on {MACHINE}: small, 2 threads (DyNet on 1): 2.00" in text
    assert f"Measured on {MACHINE}: treelstm small, 2 threads.\n" in text
    other = MACHINE.replace("here", "there", 1)
    assert f"Measured on {other}: birnn small, 2 threads.\n" in text


def test_a_cell_of_two_machines_is_refused(tmp_path: Path) -> None:
    ours, theirs = _cell("treelstm", 2.0)
    other = {**HOST, "cpu": "Another"}
    save(tmp_path, ours, {**theirs, "host": other})
    folder = tmp_path / "cpu" / "treelstm" / "small"
    with pytest.raises(ValueError) as info:
        load_rows(tmp_path)
    paths = sorted(folder.rglob("*.json"))
    assert str(info.value) == (
        f"{tmp_path}: {paths[0]} was measured on {MACHINE}, {paths[1]} on "
        f"here (A CPU, 2 cores; Another, 8 lanes): a speed-up must not have its times from two "
        f"machines; remove the rows of one, or measure the cell again"
    )


def test_a_machine_of_an_older_row() -> None:
    assert machine("A CPU, 2 cores", {}) == "A CPU, 2 cores"


def test_a_mean_has_an_interval() -> None:
    noisy = {"samples_ms": [1.5, 2.0, 2.5, 2.0, 1.9, 2.1, 1.7, 2.3]}
    ours, theirs = _cell("treelstm", 2.0)
    (mean,) = means(frame(ours, {**theirs, **noisy}), "dynet")
    assert mean.interval.low < 1.95 < mean.interval.value == 2.0 < mean.interval.high
