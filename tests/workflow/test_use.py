"""How Snakemake's users may call the workflow, and what it says to what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.selection import some
from tests.workflow.conftest import ALONE, BOTH, ROOT, Project

MODULE = """
module acrobat:
    snakefile: "{checkout}/workflow/Snakefile"
    config: config["acrobat"]

use rule * from acrobat as acrobat_*

rule mine:
    default_target: True
    input: rules.acrobat_report.output.tables
"""


@pytest.mark.slow
def test_graphs_need_no_number_of_cores(project: Project) -> None:
    project.config["measure"][1]["threads"].append("all")
    assert "digraph" in project.snakemake("--dag")
    graph = project.snakemake("--rulegraph")
    # One rule for all cells.
    assert graph.count("label = ") == 3 and 'label = "measure"' in graph


@pytest.mark.slow
def test_a_cell_as_a_target(project: Project) -> None:
    folder = "results/small/raw/cpu"
    said = project.snakemake("--dry-run", f"{folder}/{BOTH}", "--force")
    assert f"output: {folder}/{BOTH}\n" in said and ALONE not in said
    said = project.snakemake("--dry-run", f"{folder}/treelstm/tiny/bs9.t1", code=1)
    assert (
        f"cpu/treelstm/tiny/bs9.t1 is not in the configuration small; "
        f"there is cpu/{ALONE}, cpu/{BOTH}"
    ) in said


@pytest.mark.slow
def test_nothing_runs_beside_what_is_timed(project: Project) -> None:
    """A cell takes all cores that Snakemake has, whatever its own number of threads."""
    said = project.snakemake("--dry-run", "--forceall", "--cores", "7")
    assert said.count("rule measure:") == said.count("threads: 7") == 2, said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "message"),
    some(
        [
            (
                {"systems": {"torch_eager": ["ful"]}},
                "systems.torch_eager: 'ful' does not exist; there is full. Did you mean 'full'?",
            ),
            ({"samples": 0}, "samples: 0 is less than the minimum of 1"),
        ],
        always=lambda change, _: "systems" in change,
    ),
)
def test_a_wrong_configuration(project: Project, change: dict[str, object], message: str) -> None:
    project.config |= change
    if "systems" in change:
        project.config["measure"][0]["systems"] = ["torch_eager"]
    assert f"the configuration is wrong: {message}" in project.snakemake("--dry-run", code=1)


@pytest.mark.slow
def test_as_a_module(project: Project) -> None:
    """Of another workflow, in its folder, with the configuration that it gives."""
    user = project.root / "user"
    user.mkdir()
    (user / "Snakefile").write_text(MODULE.format(checkout=project.checkout))
    config = {k: v for k, v in project.config.items() if k != "name"}
    (user / "config.yaml").write_text(f"acrobat: {config | {'name': 'mine'}}")
    said = project.run("--dry-run", "--configfile", "config.yaml", cwd=user)
    assert "output: results/mine/tables, results/mine/figures" in said
    assert "output: results/mine/raw/cpu/treelstm/tiny/bs3.t1\n" in said


@pytest.mark.slow
def test_what_is_no_checkout(tmp_path: Path) -> None:
    copy = tmp_path / "workflow"
    (copy / "rules").mkdir(parents=True)
    for path in ("Snakefile", "rules/checkout.smk"):
        (copy / path).write_text((ROOT / "workflow" / path).read_text())
    said = Project(tmp_path).run("--dry-run", "--cores", "1", cwd=tmp_path, code=1)
    assert f"{tmp_path}: the workflow measures a checkout, with its harness and baselines" in said
