"""T12: variants that round beside float32; they are in no other table."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from plots.precision import precision_table
from plots.report import write_report
from plots.rows import best_variants
from tests.plots.plot_rows import frame, row, save

STORED = {"precision": "fp32, weights bf16", "tolerance": 0.01, "max_abs_err": 4e-4}
ROWS = (
    row("acrobat", 6.0, precision="fp32"),
    row("acrobat", 3.0, "weights=bf16", **STORED),
    row("acrobat", 2.0, "precision=bf16", precision="bf16", tolerance=0.02, max_abs_err=6e-4),
    row("acrobat", 1.0, "hoisting=off", precision="fp32"),
    row("torch_batched", 9.0, precision="fp32"),
    row("torch_batched", 4.5, "bf16", precision="bf16", tolerance=0.1, max_abs_err=5e-3),
    row("acrobat", 7.0, batch_size=64, precision="fp32"),
    row("acrobat", 5.0, "weights=int8", batch_size=64, precision="fp32, weights int8",
        tolerance=0.05, max_abs_err=0.06, reason="max_abs_err 6.00e-02 over tolerance 0.05"),
)  # fmt: skip


def test_a_line_for_each_variant_beside_its_own_system() -> None:
    table = precision_table(frame(*ROWS)).astype(str)
    columns = ["batch", "system", "variant", "float32 ms", "ms", "speed-up"]
    wrong = "5 (wrong: max_abs_err 6.00e-02 over tolerance 0.05)"
    assert table[columns].to_numpy().tolist() == [
        ["8", "acrobat", "precision=bf16", "6", "2", "3.00 [3.00, 3.00]"],
        ["8", "acrobat", "weights=bf16", "6", "3", "2.00 [2.00, 2.00]"],
        ["8", "expert", "bf16", "9", "4.5", "2.00 [2.00, 2.00]"],
        ["64", "acrobat", "weights=int8", "7", wrong, "-"],
    ]
    assert table[["max abs err", "tolerance"]].to_numpy().tolist() == [
        ["6.0e-04", "0.02"],
        ["4.0e-04", "0.01"],
        ["5.0e-03", "0.1"],
        ["6.0e-02", "0.05"],
    ]


def test_what_rounds_is_no_headline() -> None:
    best = best_variants(frame(*ROWS))
    assert set(zip(best["system"], best["variant"], strict=True)) == {
        ("acrobat", "full"),
        ("torch_batched", "full"),
    }
    # Also where nothing else was measured.
    assert best_variants(frame(*(r for r in ROWS if r["variant"] == "bf16"))).empty


@pytest.mark.slow
def test_the_table_is_written_where_there_are_such_rows(tmp_path: Path) -> None:
    save(tmp_path / "some" / "rows", *ROWS)
    write_report(tmp_path / "some" / "rows", tmp_path / "some", say=lambda _: None)
    table = pd.read_csv(tmp_path / "some" / "tables" / "T12_precision.csv")
    assert list(table["variant"]) == ["precision=bf16", "weights=bf16", "bf16", "weights=int8"]
    save(tmp_path / "none" / "rows", *(r for r in ROWS if r["variant"] == "full"))
    write_report(tmp_path / "none" / "rows", tmp_path / "none", say=lambda _: None)
    assert not (tmp_path / "none" / "tables" / "T12_precision.csv").exists()
