"""Configurations: what is committed is valid, what is wrong is named."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from harness.cell import cores
from harness.config import ConfigError, batch_counts, cells, load_config, validate

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


@pytest.mark.parametrize("path", sorted((ROOT / "config").glob("*.yaml")), ids=lambda p: p.stem)
def test_committed_configurations_are_valid(path: Path) -> None:
    assert cells(load_config(path))


def test_cells_and_variants() -> None:
    config = copy.deepcopy(GOOD)
    config["measure"][0]["threads"] = [1, "all"]
    found = cells(config)
    assert [c.threads for c in found] == list(dict.fromkeys([1, cores()]))
    assert found[0].systems == (("acrobat", "full"), ("dynet", "autobatch1"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"sampels": 3},
            "the configuration: unknown key 'sampels'; the keys are device, seed, sst_dir, "
            "samples, min_seconds, max_seconds, timeout_s, tolerance, systems, ladder, measure. "
            "Did you mean 'samples'?",
        ),
        (
            {"ladder": ["hoistng"]},
            "ladder[0]: 'hoistng' does not exist; there is parameter_reuse, kernel_fusion, "
            "horizontal_fusion, grain_size_coarsening, hoisting, deduplication, scheduler, "
            "instance_parallelism, inferred_parallelism, ghost_ops, program_phases, speculation, "
            "fibers, gather_fusion. Did you mean 'hoisting'?",
        ),
        (
            {"systems": {"acrobat": ["kernel_fusion=perhaps"]}},
            "systems.acrobat: 'kernel_fusion=perhaps': option kernel_fusion='perhaps': write true "
            "or false",
        ),
        ({"device": "gpu"}, "device: 'gpu' is not one of ['cpu', 'cuda']"),
        ({"samples": "many"}, "samples: 'many' is not of type 'integer'"),
        (
            {"systems": {"dynett": []}},
            "systems: 'dynett' does not exist; there is acrobat, dynet, cortex, torch_eager, "
            "torch_batched, torch_compile, floor. Did you mean 'dynet'?",
        ),
        (
            {"measure": [{**GOOD["measure"][0], "workload": "treelstn"}]},
            "measure[0].workload: 'treelstn' does not exist; there is treelstm, mvrnn, birnn, "
            "nestedrnn, drnn, berxit, stackrnn, treelstm_childsum. "
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
    monkeypatch.setattr("harness.config.importlib.util.find_spec", lambda name: None)
    validate(GOOD)
    with pytest.raises(ConfigError, match="systems: 'dynett' does not exist"):
        validate({**GOOD, "systems": {"dynett": []}})


def test_a_missing_key() -> None:
    config = {k: v for k, v in GOOD.items() if k != "seed"}
    with pytest.raises(ConfigError) as caught:
        validate(config)
    assert str(caught.value) == "the configuration: 'seed' is a required property"


def test_batch_sizes_are_counted_by_system() -> None:
    counts = batch_counts(cells(load_config(ROOT / "config" / "gpu.yaml")))
    assert counts[("treelstm", "small", 1, "acrobat")] == 11
    assert counts[("treelstm", "small", 1, "cortex")] == 2
    assert counts[("treelstm", "large", 1, "acrobat")] == 2
