"""Files in the place of rows: named with the reason, measured again, and the others stay."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from harness.bench import cell_folder, missing, row_path
from harness.cell import Cell
from harness.published import forget_failed_build, reopen
from harness.row import Row
from harness.row_file import DamagedRow, read_row
from harness.unfinished import Unfinished

CELL = Cell("treelstm", "tiny", 2, 1, "cpu", 0, None, (("torch_eager", "full"), ("floor", "full")))
PLACE = cell_folder(CELL, Path())


def row_of(system: str, **more: Any) -> Row:
    values: dict[str, Any] = {
        "status": "ok",
        "reason": "",
        "median_ms": 1.5,
        "samples_ms": [1.0, 2.0],
        "rounds": [2],
        **more,
    }
    return Row(system, "full", "treelstm", "tiny", 2, "cpu", "A CPU", **values)


def _with(**changed: Any) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_text(json.dumps(asdict(row_of("torch_eager")) | changed))

    return write


def _without(name: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        values = asdict(row_of("torch_eager"))
        del values[name]
        path.write_text(json.dumps(values))

    return write


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate((1 << 27) + 1)


DAMAGES = (
    (lambda p: p.write_bytes(b""), "it is empty"),
    (lambda p: p.write_bytes(b" \n"), "it is empty"),
    (lambda p: p.write_text('{"system": "x'), "no JSON: Unterminated string starting at: line 1 "
     "column 12 (char 11)"),
    (lambda p: p.write_bytes(bytes(500)), "no JSON: Expecting value: line 1 column 1 (char 0)"),
    (lambda p: p.write_bytes("{}".encode("utf-16")), "not UTF-8 (byte 0)"),
    (lambda p: p.write_bytes(b"\xef\xbb\xbf{}"), "no JSON: Unexpected UTF-8 BOM (decode using "
     "utf-8-sig): line 1 column 1 (char 0)"),
    (lambda p: p.write_text("[" * 200_000), "no JSON: 200000 lists and mappings; at most 8000"),
    (lambda p: p.write_text("[1, 2]"), "no row but a list"),
    (lambda p: p.write_text("{}"), "system is missing"),
    (lambda p: p.mkdir(), "it is no file"),
    (os.mkfifo, "it is no file"),
    (_sparse, "over 128 MiB"),
    (_without("status"), "status is missing"),
    (_without("median_ms"), "median_ms is missing"),
    (_with(status="great"), "status is 'great'"),
    (_with(device="tpu"), "device is 'tpu'"),
    (_with(system=["a"]), "system is a list with 'a'"),
    (_with(batch_size=-1), "batch_size is -1"),
    (_with(batch_size=2.0), "batch_size is 2.0"),
    (_with(threads=True), "threads is True"),
    (_with(n_nodes=1.5), "n_nodes is 1.5"),
    (_with(median_ms=float("nan")), "median_ms is nan"),
    (_with(median_ms=float("inf")), "median_ms is inf"),
    (_with(median_ms=0), "median_ms is 0"),
    (_with(median_ms="1"), "median_ms is '1'"),
    (_with(median_ms=10**400), f"median_ms is {str(10**400)[:60]}..."),
    (_with(median_ms=None), "it is ok, and has no time"),
    (_with(samples_ms=[1.0, None]), "samples_ms is a list with None"),
    (_with(samples_ms={"a": 1}), "samples_ms is {'a': 1}"),
    (_with(rounds=[1]), "rounds of 1 samples, but there are 2"),
    (_with(kernel_ms=-1.0), "kernel_ms is -1.0"),
    (_with(max_abs_err="small"), "max_abs_err is 'small'"),
    (_with(host={"name": 1}), "host is {'name': 1}"),
    (_with(versions=[]), "versions is []"),
    (_with(colour="red"), "unknown columns colour"),
)  # fmt: skip


@pytest.mark.parametrize(("damage", "why"), DAMAGES)
def test_a_file_that_is_no_row(damage: Callable[[Path], Any], why: str, tmp_path: Path) -> None:
    """It is an error with the file and the reason, the row counts as missing, and is written."""
    path = row_path(CELL, "torch_eager", "full", tmp_path / "raw")
    path.parent.mkdir(parents=True)
    damage(path)
    with pytest.raises(DamagedRow) as caught:
        read_row(path)
    assert (str(caught.value), caught.value.why) == (f"{path}: {why}", why)
    row_of("floor").write(row_path(CELL, "floor", "full", tmp_path / "raw"))
    said: list[str] = []
    left = missing(CELL, tmp_path, said.append)
    assert left is not None and left.systems == (("torch_eager", "full"),)
    assert said == [f"{path}: {why}; measured again"]
    assert read_row(row_of("torch_eager").write(path)) == row_of("torch_eager")
    assert missing(CELL, tmp_path, said.append) is None


def test_a_row_of_another_point(tmp_path: Path) -> None:
    for system in ("torch_eager", "floor"):
        row_of("torch_eager").write(row_path(CELL, system, "full", tmp_path / "raw"))
    said: list[str] = []
    left = missing(CELL, tmp_path, said.append)
    assert left is not None and left.systems == (("floor", "full"),)
    assert said == [
        f"{row_path(CELL, 'floor', 'full', tmp_path / 'raw')}: it is a row of treelstm tiny 2 cpu "
        f"torch_eager full; measured again"
    ]


def _publish(out: Path, asked: list[tuple[str, str]], **more: Any) -> None:
    """The cell by the pipeline's way; the systems that were measured are added to `asked`."""

    def measure(rest: Cell, write: Callable[[Row], object]) -> None:
        for system, variant in rest.systems:
            asked.append((system, variant))
            write(row_of(system, **more))

    Unfinished(CELL, PLACE, out, {"samples": 2}).run(measure)


@pytest.mark.parametrize("damage", ["half", "missing", "skipped"])
def test_a_published_cell_is_mended(damage: str, tmp_path: Path) -> None:
    asked: list[tuple[str, str]] = []
    _publish(tmp_path, asked)
    assert reopen(CELL, PLACE, tmp_path) == [] and len(asked) == 2
    bad, good = (tmp_path / "raw" / PLACE / s / "full.json" for s in ("floor", "torch_eager"))
    before = good.stat()
    match damage:
        case "half":
            bad.write_text(bad.read_text()[:100])
        case "missing":
            bad.unlink()
        case "skipped":
            skipped = row_of("floor", status="skipped", median_ms=None, samples_ms=[], rounds=[])
            skipped.write(bad)
    (fault,) = reopen(CELL, PLACE, tmp_path, really=False)
    assert fault.startswith(f"{bad}: ") and bad.parent.is_dir()
    assert reopen(CELL, PLACE, tmp_path) == [fault]
    assert not (tmp_path / "raw" / PLACE).exists()
    _publish(tmp_path, asked)
    assert asked[2:] == [("floor", "full")] and reopen(CELL, PLACE, tmp_path) == []
    assert (good.stat().st_ino, good.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_failed_build_is_tried_again(tmp_path: Path) -> None:
    for text, stays in (("built\n", True), ("not built\n", False), ("", False)):
        tried = tmp_path / "dynet.tried"
        tried.write_text(text)
        forget_failed_build(tried)
        assert tried.exists() == stays
