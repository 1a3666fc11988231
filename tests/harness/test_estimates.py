"""How long a measurement should take, against what has been timed."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from harness.bench import key_of
from harness.cell import Cell
from harness.config import cells, load_config
from harness.estimate import estimate_s, takes

ROOT = Path(__file__).parents[2]
# Rows of config/paper.yaml without `torch_compile`, one cell after the other.
MEASURED = ROOT / "results" / "reference" / "epyc-zen3-2core" / "cpu"


def configured(name: str) -> list[Cell]:
    return cells(load_config(ROOT / "config" / f"{name}.yaml"))


def without_torch_compile(cell: Cell) -> Cell:
    return replace(cell, systems=tuple(s for s in cell.systems if s[0] != "torch_compile"))


def measured(cell: Cell) -> list[dict[str, Any]]:
    return [json.loads(p.read_text()) for p in (MEASURED / key_of(cell)).rglob("*.json")]


def as_measured(cell: Cell) -> Cell:
    """The cell with the systems of its rows: then more of DyNet's variants, no `torch_compile`."""
    return replace(cell, systems=tuple((r["system"], r["variant"]) for r in measured(cell)))


def within(estimate: float, seconds: float) -> bool:
    return 1 / 1.5 < estimate / seconds < 1.5


def test_cells_of_the_paper() -> None:
    """Each begins when the one before ends; the last one's end is not known."""
    found = [as_measured(c) for c in configured("paper") if measured(c)]
    begins = {
        min(datetime.fromisoformat(r["started_at"]).timestamp() for r in measured(c)): c
        for c in found
    }
    assert len(begins) == 25
    took = max(begins) - min(begins)
    assert within(sum(estimate_s(begins[b]) for b in sorted(begins)[:-1]), took)


def test_a_cell_whose_runs_take_long() -> None:
    """Of what BERxiT's cell took, at least the samples and the pauses before rounds are known."""
    (cell,) = (c for c in configured("paper") if key_of(c) == "berxit/small/bs8.tall")
    rows = measured(cell)
    samples = sum(sum(r["samples_ms"]) for r in rows) / 1e3
    pauses = cell.pause_s * sum(len(r["rounds"]) for r in rows)
    assert 1 < estimate_s(as_measured(cell)) / (samples + pauses) < 1.5


@pytest.mark.parametrize(("name", "minutes"), [("smoke", 5), ("quick", 7)])
def test_whole_configurations(name: str, minutes: float) -> None:
    """As they were timed on two cores: `quick` is `make reproduce` without its set-up."""
    assert within(sum(map(estimate_s, configured(name))), 60 * minutes)


def test_what_torch_compile_adds() -> None:
    """Half a minute for each of its two variants, which are prepared at once."""
    for cell in configured("paper"):
        if cell.workload != "treelstm":
            continue
        more = estimate_s(cell) - estimate_s(without_torch_compile(cell))
        assert 40 < more < 60


def test_what_cannot_run_takes_no_time() -> None:
    (cell,) = (c for c in configured("paper") if key_of(c) == "drnn/small/bs8.t1")
    assert estimate_s(replace(cell, systems=(("cortex", "full"),))) == 0


def test_the_text() -> None:
    cell = configured("smoke")[0]
    assert takes([cell]) == f"about {estimate_s(cell) / 60:.0f} min"
    assert takes([cell] * 200) == f"about {estimate_s(cell) / 18:.1f} h"


def test_a_variant_that_tunes_takes_that_much_longer() -> None:
    for cell in configured("tuning"):
        at_rest = tuple((s, v) for s, v in cell.systems if "tune=" not in v)
        seconds = sum(
            float(v.split(",")[0].removeprefix("tune="))
            for _, v in set(cell.systems) - set(at_rest)
        )
        each = estimate_s(replace(cell, systems=at_rest)) / len(at_rest)
        more = estimate_s(cell) - estimate_s(replace(cell, systems=at_rest))
        assert seconds == 170
        assert seconds < more < seconds + each * (len(cell.systems) - len(at_rest))
