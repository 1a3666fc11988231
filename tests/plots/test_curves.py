"""F8 and its table from made-up curves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plots.curves import read_curves, remarks, write


def curve(folder: Path, system: str, factor: float, losses: list[float], **more: Any) -> None:
    roots = [0.3, 0.5, 0.4][: len(losses)]
    epochs = [
        {"seconds": factor * n, "loss": loss, "roots": right, "nodes": 0.7}
        for n, loss, right in zip((1, 2, 3), losses, roots, strict=False)
    ]
    values = {
        "system": system,
        "variant": "full",
        "status": "ok",
        "reason": "",
        "threads": 2,
        "device_name": "A CPU, 2 cores",
        "data": "sst:train",
        "trees": 8544,
        "before": {"roots": 0.2, "nodes": 0.2},
        "epochs": epochs,
        **more,
    }
    path = folder / "curves" / f"{system}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(values))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    curve(tmp_path, "acrobat", 1.0, [10.0, 8.0, 7.0])
    curve(tmp_path, "dynet", 4.0, [10.0, 8.04], status="timeout", reason="no answer")
    curve(tmp_path, "torch_eager", 1.0, [], status="error", reason="it broke")
    return tmp_path


@pytest.mark.slow
def test_table_and_remarks(folder: Path) -> None:
    files = write(folder)
    assert (folder / "tables/F8_sentiment.csv").read_text() == (
        "epoch,acrobat s,acrobat loss,acrobat accuracy,DyNet s,DyNet loss,DyNet accuracy\n"
        "1,1,10.0000,0.3000,4,10.0000,0.3000\n"
        "2,3,8.0000,0.5000,12,8.0400,0.5000\n"
        "3,6,7.0000,0.4000,-,-,-\n"
    )
    curves, lacking = read_curves(folder)
    assert remarks(curves) == [
        "acrobat: best accuracy 0.5000 after epoch 2.",
        "DyNet: best accuracy 0.5000 after epoch 2; 4 times acrobat's time; losses by epoch up to "
        "5.0e-03 (relative), accuracies up to 0.0000 from acrobat's.",
    ]
    assert lacking == ["dynet: timeout, no answer.", "torch_eager: error, it broke."]
    assert {path.suffix for path in files} >= {".pdf", ".svg", ".png", ".tex", ".md"}
    text = (folder / "tables/F8_sentiment.md").read_text()
    assert "the Stanford Sentiment Treebank (8544 trees)" in text
    assert "dynet: timeout, no answer." in text


@pytest.mark.slow
def test_the_same_curves_give_the_same_files(folder: Path) -> None:
    first = {path: path.read_bytes() for path in write(folder)}
    assert {path: path.read_bytes() for path in write(folder)} == first


def test_no_curves(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as error:
        read_curves(tmp_path)
    assert str(error.value) == f"{tmp_path / 'curves'}: no curves; python -m harness.curves first"
    (tmp_path / "curves").mkdir()
    (tmp_path / "curves/acrobat.json").write_text('{"epochs": [1]}')
    with pytest.raises(ValueError, match=r"acrobat\.json: no curve: KeyError: 'system'"):
        read_curves(tmp_path)
