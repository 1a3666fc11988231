"""Configurations: what is committed is valid, what is wrong is named."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import baselines
import workloads
from acrobat import Options
from acrobat.cli import main
from harness.bench import key_of
from harness.cell import cores
from harness.config import alone, cells, load_config, validate
from harness.config_file import ConfigError
from harness.row import Row

ROOT = Path(__file__).parents[2]
GOOD: dict[str, Any] = {
    "device": "cpu",
    "seed": 0,
    "samples": 5,
    "min_seconds": 0.1,
    "timeout_s": 10,
    "tolerance": 1e-4,
    "systems": {"acrobat": [], "dynet": ["autobatch1"]},
    "measure": [{"workload": "treelstm", "sizes": ["tiny"], "batches": [8], "threads": [1]}],
}


# Those of other shapes.
OTHERS = {ROOT / "config" / name for name in ("paper_claims.yaml", "sentiment.yaml")}
CONFIGURATIONS = sorted(set((ROOT / "config").glob("*.yaml")) - OTHERS)


@pytest.mark.parametrize("path", CONFIGURATIONS, ids=lambda p: p.stem)
def test_committed_configurations_are_valid(path: Path) -> None:
    assert cells(load_config(path))


def test_cells_and_variants() -> None:
    config = copy.deepcopy(GOOD)
    config["measure"][0]["threads"] = [1, "all"]
    found = cells(config)
    assert [(c.threads, c.label) for c in found] == [(1, "1"), (cores(), "all")]
    assert found[0].systems == (("acrobat", "full"), ("dynet", "autobatch1"))
    assert [key_of(c) for c in found] == ["treelstm/tiny/bs8.t1", "treelstm/tiny/bs8.tall"]


def test_a_cell_alone() -> None:
    """The configuration of one cell is that cell, whatever else was beside it."""
    config = copy.deepcopy(GOOD) | {"name": "good", "ladder": ["hoisting"]}
    config["measure"][0] |= {"batches": [8, 64], "threads": [1, "all"]}
    for cell in cells(config):
        one = alone(config, cell)
        validate(one)
        assert cells(one) == [cell]
        assert not {"name", "ladder"} & set(one)
    config["measure"].append({**GOOD["measure"][0], "workload": "mvrnn"})
    assert alone(config, cells(config)[0]) == alone({**config, "name": "x"}, cells(config)[0])


def test_some_variants_for_a_workload() -> None:
    entry = {**GOOD["measure"][0], "variants": {"dynet": ["autobatch1"]}}
    config = {**GOOD, "systems": {"acrobat": [], "dynet": []}}
    config |= {"measure": [entry, {**GOOD["measure"][0], "workload": "mvrnn"}]}
    validate(config)
    first, *_, last = cells(config)
    assert [v for s, v in first.systems if s == "dynet"] == ["autobatch1"]
    assert [s for s in last.systems if s[0] != "dynet"] == [
        s for s in first.systems if s[0] != "dynet"
    ]
    assert len(last.systems) > len(first.systems)
    assert cells(alone(config, first)) == [first]


def test_a_cell_that_is_there_twice() -> None:
    with pytest.raises(ConfigError) as caught:
        cells({**GOOD, "measure": [*GOOD["measure"], *GOOD["measure"]]})
    assert str(caught.value) == (
        "measure[1]: treelstm, tiny, batch 8, threads 1 is there already; "
        "name all its systems in one place"
    )


def test_the_name_is_the_file_s(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(json.dumps(GOOD))
    assert load_config(path)["name"] == "mine"
    path.write_text(json.dumps(GOOD | {"name": "other"}))
    assert load_config(path)["name"] == "other"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"sampels": 3},
            "the configuration: unknown key 'sampels'; the keys are name, device, mode, rate, "
            "seed, sst_dir, samples, min_seconds, max_seconds, noisy_seconds, timeout_s, "
            "tolerance, systems, ladder, workloads, model_sizes, batch_sizes, thread_counts, "
            "measure. Did you mean 'samples'?",
        ),
        (
            {"ladder": ["hoistng"]},
            f"ladder[0]: 'hoistng' does not exist; there is {', '.join(Options.ladder())}. "
            "Did you mean 'hoisting'?",
        ),
        (
            {"systems": {"acrobat": ["kernel_fusion=perhaps"]}},
            "systems.acrobat: 'kernel_fusion=perhaps': option kernel_fusion='perhaps': write true "
            "or false",
        ),
        (
            {"systems": {"dynet": ["autobatch9"]}},
            "systems.dynet: 'autobatch9' does not exist; there is autobatch0, autobatch1, "
            "autobatch2, autobatch3, autobatch0-lockstep, autobatch1-lockstep, "
            "autobatch2-lockstep, autobatch3-lockstep, wheel-autobatch0, wheel-autobatch1, "
            "wheel-autobatch2, wheel-autobatch3. Did you mean 'autobatch3'?",
        ),
        (
            {"systems": {"cortex": ["unrol"]}},
            "systems.cortex: 'unrol' does not exist; there is full, unroll, refactor, project. "
            "Did you mean 'unroll'?",
        ),
        (
            {"name": "../mine"},
            "name: '../mine' does not match '^[A-Za-z0-9][A-Za-z0-9_.-]*$'",
        ),
        ({"device": "gpu"}, "device: 'gpu' is not one of ['cpu', 'cuda']"),
        ({"samples": "many"}, "samples: 'many' is not of type 'integer'"),
        (
            {"systems": {"dynett": []}},
            f"systems: 'dynett' does not exist; there is {', '.join(baselines.names())}. "
            "Did you mean 'dynet'?",
        ),
        (
            {"measure": [{**GOOD["measure"][0], "workload": "treelstn"}]},
            "measure[0].workload: 'treelstn' does not exist; there is "
            f"{', '.join(workloads.ALL)}. "
            "Did you mean 'treelstm'?",
        ),
        (
            {"measure": [{**GOOD["measure"][0], "sizes": ["huge"]}]},
            "measure[0].sizes: 'huge' does not exist; there is tiny, small, large.",
        ),
        (
            {"measure": [{**GOOD["measure"][0], "systems": ["floor"]}]},
            "measure[0].systems: 'floor' does not exist; there is acrobat, dynet.",
        ),
        (
            {"measure": [{**GOOD["measure"][0], "variants": {"floor": ["full"]}}]},
            "measure[0].variants: 'floor' does not exist; there is acrobat, dynet.",
        ),
        (
            {"measure": [{**GOOD["measure"][0], "variants": {"dynet": ["autobatch2"]}}]},
            "measure[0].variants.dynet: 'autobatch2' does not exist; there is autobatch1. "
            "Did you mean 'autobatch1'?",
        ),
        (
            {"measure": [{**GOOD["measure"][0], "batches": [0]}]},
            "measure[0].batches[0]: 0 is less than the minimum of 1",
        ),
    ],
)
def test_wrong_configurations(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        validate({**GOOD, **change})
    assert str(caught.value) == message


def test_cells_of_a_gpu() -> None:
    config = copy.deepcopy(GOOD)
    config["device"] = "cuda"
    config["measure"][0]["systems"] = ["acrobat"]
    validate(config)
    (cell,) = cells(config)
    assert (cell.device, cell.systems, cell.pause_s) == ("cuda", (("acrobat", "full"),), 0.0)
    config["measure"][0]["threads"] = [1, "all"]
    with pytest.raises(ConfigError) as caught:
        validate(config)
    assert str(caught.value) == "measure[0].threads: rows of a GPU have one thread, write [1]"


def test_names_are_looked_at_without_jsonschema(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.config_shape.importlib.util.find_spec", lambda name: None)
    validate(GOOD)
    with pytest.raises(ConfigError, match="systems: 'dynett' does not exist"):
        validate({**GOOD, "systems": {"dynett": []}})


def test_a_missing_key() -> None:
    config = {k: v for k, v in GOOD.items() if k != "seed"}
    with pytest.raises(ConfigError) as caught:
        validate(config)
    assert str(caught.value) == "the configuration: 'seed' is a required property"


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        (
            "acrobat:kernel_fusion=fals",
            "--systems: 'kernel_fusion=fals': option kernel_fusion='fals': write true or false",
        ),
        (
            "torch_compile:frozn",
            "--systems: 'frozn' does not exist; there is unfrozen, frozen, graphs. "
            "Did you mean 'frozen'?",
        ),
    ],
)
def test_a_wrong_variant_on_the_command_line(
    systems: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["bench", "--systems", systems, "--out", str(out)]) == 2
    assert capsys.readouterr().err == f"acrobat bench: {message}\n"
    assert not out.exists()


@pytest.mark.slow
def test_the_report_of_a_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own cells' rows are read, whatever else lies beside them; those that lack are named."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.yaml"
    config = copy.deepcopy(GOOD) | {"systems": {"acrobat": [], "torch_eager": []}}
    config["measure"][0]["batches"] = [2, 4]
    path.write_text(json.dumps(config))
    report = ["report", "--config", str(path)]
    assert main(report) == 2
    assert capsys.readouterr().err == (
        f"acrobat report: results/mine/raw: no rows of {path}; measure first\n"
    )
    for batch in (2, 8):
        for system, time in (("acrobat", 1.0), ("torch_eager", 3.0)):
            row = Row(
                system=system,
                variant="full",
                workload="treelstm",
                model_size="tiny",
                batch_size=batch,
                device="cpu",
                device_name="A CPU",
                status="ok",
                reason="",
                median_ms=time,
                samples_ms=[time] * 5,
                max_abs_err=0.0,
            )
            row.write(Path(f"results/mine/raw/cpu/treelstm/tiny/bs{batch}.t1/{system}/full.json"))
    assert main(report) == 0
    assert capsys.readouterr().err == "not measured: treelstm/tiny/bs4.t1\n"
    table = Path("results/mine/tables/T5_pytorch.csv").read_text()
    assert len(table.splitlines()) == 2, table
    assert main([*report, "--rows", "results"]) == 2
    assert capsys.readouterr().err == "acrobat report: --rows or --config, not both\n"
