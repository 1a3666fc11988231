"""Sources are files of one idea: none has more than 300 lines."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("acrobat", "harness", "plots", "baselines", "workloads", "tests")
ENDINGS = {".py", ".h", ".cc"}
LINES = 300


def test_no_source_has_more_than_300_lines() -> None:
    sources = [p for f in FOLDERS for p in (ROOT / f).rglob("*") if p.suffix in ENDINGS]
    assert len(sources) > 1000
    larger = {
        source.relative_to(ROOT).as_posix()
        for source in sources
        if source.read_bytes().count(b"\n") > LINES
    }
    assert larger == set()
