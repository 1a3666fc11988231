"""Files that are no rows are named by the report, and never missing silently."""

from __future__ import annotations

from pathlib import Path

import pytest

from acrobat.cli import main
from plots.report import write_report
from plots.rows import load_rows
from tests.plots.plot_rows import row, save

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.mark.slow
def test_they_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = tmp_path / "raw"
    save(raw, row("acrobat", 2.0), row("dynet", 4.0, "autobatch1"))
    (raw / "half.json").write_text('{"system": ')
    (raw / "folder.json").mkdir()
    said: list[str] = []
    written = write_report(raw, tmp_path / "out", said.append)
    assert said[:2] == [
        f"damaged: {raw}/folder.json: it is no file",
        f"damaged: {raw}/half.json: no JSON: Expecting value: line 1 column 12 (char 11)",
    ]
    table = tmp_path / "out" / "tables" / "damaged.csv"
    assert table in written and table.read_text() == (
        f"file,why\n{raw}/folder.json,it is no file\n"
        f"{raw}/half.json,no JSON: Expecting value: line 1 column 12 (char 11)\n"
    )
    for kind in ("md", "tex", "html"):
        text = (tmp_path / "out" / "tables" / f"T3_dynet.{kind}").read_text()
        assert "2 files are damaged, and not shown: damaged.csv." in text
    assert main(["report", "--rows", str(raw), "--out", str(tmp_path / "out")]) == 0
    assert f"damaged: {raw}/half.json" in capsys.readouterr().out
    # When it is mended, nothing is left of it.
    (raw / "half.json").unlink()
    (raw / "folder.json").rmdir()
    write_report(raw, tmp_path / "out", said.append)
    assert not table.exists()


def test_nothing_but_damage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "full.json").write_text("")
    with pytest.raises(ValueError, match=r"full\.json: it is empty"):
        load_rows(tmp_path)
    assert main(["report", "--rows", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert said == f"acrobat report: {tmp_path}: no rows, but {tmp_path}/full.json: it is empty\n"


@pytest.mark.slow
def test_a_system_that_nobody_knows(tmp_path: Path) -> None:
    """Rows of a system that is not installed here, of a workload and a size of somebody's own."""
    save(
        tmp_path,
        row("acrobat", 2.0, workload="theirs", model_size="medium"),
        row("torch_eager", 4.0, workload="theirs", model_size="medium"),
        row("strange", 3.0),
        row("strange", 3.0, "other"),
    )
    said: list[str] = []
    write_report(tmp_path, tmp_path / "out", said.append)
    assert "cpu: 2 rows of 'strange' are not shown, for there is no such system here" in said
    text = (tmp_path / "out" / "tables" / "T5_pytorch.csv").read_text()
    assert "\ntheirs,medium,8,2,2,4,2,2,2," in text
