"""The example that trains: it learns, and goes on where it stopped."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
EXAMPLE = Path(__file__).parents[2] / "examples" / "sentiment.py"
SIZES = ["--trees", "24", "--width", "4", "--batch", "6", "--rate", "0.3"]


def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> list[list[str]]:
    """The numbers of every epoch's line: its own, the loss, the accuracy."""
    monkeypatch.setattr(sys, "argv", ["sentiment.py", *arguments])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    found = re.findall(
        r"epoch (\d+): loss ([\d.]+), dev accuracy ([\d.]+)", capsys.readouterr().out
    )
    return [list(line) for line in found]


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compiled."""
    monkeypatch.setenv("ACROBAT_DISABLE", "1")


@pytest.mark.slow
def test_it_learns_and_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    whole = run(monkeypatch, capsys, *SIZES, "--epochs", "3")
    assert [line[0] for line in whole] == ["1", "2", "3"]
    assert float(whole[2][1]) < 0.8 * float(whole[0][1])
    kept = ["--checkpoint", str(tmp_path / "run.pt")]
    first = run(monkeypatch, capsys, *SIZES, *kept, "--epochs", "2")
    rest = run(monkeypatch, capsys, *SIZES, *kept, "--epochs", "3")
    assert first + rest == whole


@pytest.mark.slow
def test_trees_of_a_treebank(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    line = "(3 (2 It) (4 (2 's) (4 (3 lovely) (2 .))))\n"
    (tmp_path / "train.txt").write_text(line * 10)
    (tmp_path / "dev.txt").write_text(line * 3 + "(2 (2 unseen) (2 words))\n")
    found = run(
        monkeypatch, capsys, "--sst", str(tmp_path), "--width", "8", "--epochs", "6", "--batch", "2"
    )
    assert found[-1][2] == "1.0000"
