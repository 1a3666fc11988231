"""What is measured again, and what is not, after a change: real dry-runs over a real run's rows."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from harness.row_file import read_row
from tests.workflow.conftest import ALONE, BOTH, Project


@pytest.mark.slow
def test_the_rows_and_the_report(measured: Project) -> None:
    results = measured.work / "results" / "small"
    raw = results / "raw" / "cpu"
    assert {str(p.relative_to(raw)) for p in raw.rglob("*.json")} == {
        f"{ALONE}/torch_eager/full.json",
        f"{BOTH}/torch_eager/full.json",
        f"{BOTH}/dynet/wheel-autobatch1.json",
    }
    rows = [read_row(p) for p in raw.rglob("*.json")]
    assert {r.status for r in rows} == {"ok"}
    assert (results / "tables" / "T5_pytorch.md").exists()
    log = (results / "logs" / "cpu" / f"{BOTH}.log").read_text()
    assert f"[1/1] {BOTH}" in log and "dynet:wheel-autobatch1 " in log


@pytest.mark.slow
def test_nothing_to_do_in_another_place(project: Project) -> None:
    """Neither the checkout's place nor that of the results nor the interpreter counts."""
    assert project.to_do() == set()
    venv = project.root / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    (packages,) = venv.glob("lib/python*/site-packages")
    (packages / "shared.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    project.python = str(venv / "bin" / "python")
    assert project.to_do() == set()


@pytest.mark.slow
def test_one_more_batch_size(project: Project) -> None:
    project.config["measure"][1]["batches"].append(5)
    assert project.to_do() == {"treelstm/tiny/bs5.t1", "report"}


@pytest.mark.exhaustive
def test_one_cell_less(project: Project) -> None:
    """Nothing is measured, but the report is of the configuration's cells alone."""
    del project.config["measure"][0]
    assert project.to_do() == {"report"}


@pytest.mark.exhaustive
def test_settings(project: Project) -> None:
    project.config["samples"] = 4
    assert project.to_do() == {ALONE, BOTH, "report"}
    project.config["samples"] = 3
    project.config["systems"]["dynet"] = ["wheel-autobatch2"]
    assert project.to_do() == {BOTH, "report"}


@pytest.mark.slow
def test_sources(project: Project) -> None:
    """Only the systems of a cell count; how it is measured and shown does not."""
    for path in (
        "harness/cell.py",
        "acrobat/compiler.py",
        "config/quick.yaml",
        "workflow/envs/acrobat.yml",
    ):
        project.edit(path)
    assert project.to_do() == set()
    project.edit("plots/style.py")
    assert project.to_do() == {"report"}
    project.edit("baselines/dynet/wheel_system.py")
    assert project.to_do() == {BOTH, "report"}
    project.edit("baselines/torch_eager/treelstm.py")
    assert project.to_do() == {ALONE, BOTH, "report"}


@pytest.mark.slow
def test_the_order_of_keys_does_not_count(project: Project) -> None:
    config = json.loads(json.dumps(project.config, sort_keys=True))
    project.config = dict(reversed(config.items()))
    assert project.to_do() == set()


@pytest.mark.slow
def test_a_failed_row_of_another_configuration_is_not_read(project: Project) -> None:
    """A stale row in the folder does not get into the tables."""
    raw = project.work / "results" / "small" / "raw" / "cpu" / "treelstm" / "tiny"
    stale = raw / "bs7.t1" / "torch_eager" / "full.json"
    stale.parent.mkdir(parents=True)
    stale.write_text((raw / "bs3.t1" / "torch_eager" / "full.json").read_text())
    project.snakemake("--cores", "all", "--forcerun", "report")
    table = Path(project.work / "results/small/tables/T5_pytorch.csv").read_text()
    assert len(table.splitlines()) == 3, table
