"""`acrobat compare`: what became faster or slower, and what is only noise."""

from __future__ import annotations

from pathlib import Path

import pytest

from acrobat.cli import main
from tests.plots.plot_rows import row, save, spread


def compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *flags: str
) -> tuple[int, list[str]]:
    code = main(["compare", str(tmp_path / "before"), str(tmp_path / "after"), *flags])
    out, err = capsys.readouterr()
    return code, (out or err).splitlines()


def steady(ms: float, workload: str, system: str = "acrobat") -> dict[str, object]:
    return spread(row(system, ms, workload=workload), 0.01)


def test_effects_and_the_floor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(
        tmp_path / "before",
        steady(2.0, "treelstm"),
        steady(2.0, "birnn"),
        spread(row("acrobat", 2.0, workload="drnn"), 0.5),
        steady(1.0, "birnn", "floor"),
    )
    save(
        tmp_path / "after",
        steady(1.0, "treelstm"),
        steady(3.0, "birnn"),
        spread(row("acrobat", 2.1, workload="drnn"), 0.5),
        steady(1.5, "birnn", "floor"),
        steady(1.5, "mvrnn"),
    )
    code, lines = compared(tmp_path, capsys, "--fail-above", "5%")
    found = {line.split("|")[1].strip(): line for line in lines if line.startswith("| ")}
    assert " 0.50 [" in found["treelstm"] and "| faster" in found["treelstm"]
    assert found["birnn"].count(" 1.50 [") == 2 and "| slower" in found["birnn"]
    assert "| no difference" in found["drnn"]
    assert "mvrnn" not in found
    assert "3 points: 1 faster, 1 slower, 1 no difference." in lines
    assert "Slower by more than 0.05 of the time before, or lost: 1." in lines
    assert code == 1
    assert compared(tmp_path, capsys, "--fail-above", "60%")[0] == 0
    assert compared(tmp_path, capsys)[0] == 0


def test_a_lost_result_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(tmp_path / "before", steady(2.0, "treelstm"))
    save(tmp_path / "after", row("acrobat", None, status="error", reason="it was killed"))
    code, lines = compared(tmp_path, capsys, "--fail-above", "0.05")
    assert code == 1
    assert "1 point: 1 lost." in lines and lines[-1] == "1. it was killed"


def test_what_cannot_be_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(tmp_path / "before", steady(2.0, "treelstm"))
    save(tmp_path / "after", steady(2.0, "birnn"))
    before, after = tmp_path / "before", tmp_path / "after"
    assert compared(tmp_path, capsys) == (
        2,
        [f"acrobat compare: {before} and {after} have no point of acrobat in common"],
    )
    with pytest.raises(SystemExit):
        compared(tmp_path, capsys, "--fail-above", "much")
    assert "'much': write a share, such as 5% or 0.05" in capsys.readouterr().err
