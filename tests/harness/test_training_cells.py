"""Training steps in the harness: configurations, rows, cells, epochs."""

from __future__ import annotations

import copy
import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baselines.api import Training
from harness import curves
from harness.bench import cell_folder, key_of
from harness.cell import Cell
from harness.config import alone, cells, load_config, validate
from harness.config_file import ConfigError
from harness.contender import empty_row
from harness.epochs import Epochs
from harness.measure import measure_cell
from harness.outputs import checked
from harness.published import row_fault
from harness.row_file import DamagedRow, read_row
from harness.worker import save_outputs
from workloads import losses

ROOT = Path(__file__).parents[2]
GOOD: dict[str, Any] = {
    "mode": "train",
    "rate": 0.5,
    "device": "cpu",
    "seed": 0,
    "samples": 5,
    "min_seconds": 0.1,
    "timeout_s": 10,
    "tolerance": 1e-4,
    "systems": {"acrobat": ["full", "forward"], "cortex": ["full"]},
    "measure": [{"workload": "treelstm", "sizes": ["tiny"], "batches": [8], "threads": ["all"]}],
}
CELL = Cell(
    workload="treelstm",
    size="tiny",
    batch=2,
    threads=1,
    device="cpu",
    seed=0,
    sst_dir="generated",
    systems=(("torch_eager", "full"), ("cortex", "full")),
    min_samples=2,
    min_seconds=0.0,
    max_seconds=0.001,
    warmup=1,
    label="1",
    training=Training(0.01),
)


def test_cells_of_training() -> None:
    (cell,) = cells(GOOD)
    assert cell.training == Training(0.5) and cell.mode == "train"
    assert key_of(cell) == "treelstm/tiny/bs8.tall.train"
    assert cell.systems == (("acrobat", "full"), ("acrobat", "forward"), ("cortex", "full"))
    one = alone(GOOD, cell)
    validate(one)
    assert cells(one) == [cell]


def test_cells_of_adam() -> None:
    """Beside those of gradient descent, with folders of their own."""
    plain = GOOD["measure"][0]
    config = changed(measure=[plain, {**plain, "optimiser": "adam"}])
    validate(config)
    sgd, adam = cells(config)
    assert adam.training == Training(0.5, "adam") and sgd.training == Training(0.5)
    assert key_of(adam) == "treelstm/tiny/bs8.tall.train-adam"
    one = alone(config, adam)
    validate(one)
    assert cells(one) == [adam]
    with pytest.raises(ConfigError, match=r"measure\[1\]: treelstm, tiny, .* is there already"):
        cells(changed(measure=[plain, {**plain, "optimiser": "sgd"}]))


def changed(**keys: Any) -> dict[str, Any]:
    config = copy.deepcopy(GOOD) | keys
    return {key: value for key, value in config.items() if value is not None}


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (changed(rate=None), "mode: training needs the learning rate, such as `rate: 0.01`"),
        (
            changed(mode=None),
            "rate: there is no learning rate without `mode: train`; leave it out",
        ),
        (
            changed(mode=None, rate=None, measure=[{**GOOD["measure"][0], "optimiser": "adam"}]),
            "measure[0].optimiser: there is none without `mode: train`; leave it out",
        ),
        (
            changed(measure=[{**GOOD["measure"][0], "optimiser": "adagrad"}]),
            "measure[0].optimiser: 'adagrad' is not one of ['sgd', 'adam']",
        ),
        (
            changed(mode="training"),
            "mode: 'training' is not one of ['inference', 'train']",
        ),
        (
            changed(device="cuda"),
            "device: gradients are computed on a CPU; write `device: cpu`",
        ),
        (
            changed(ladder=["hoisting"]),
            "ladder: the ladder is one of inference; name variants of acrobat",
        ),
        (
            changed(measure=[{**GOOD["measure"][0], "workload": "spinn"}]),
            f"measure[0].workload: 'spinn' has no loss to train with; there is one of "
            f"{', '.join(losses.names())}",
        ),
        (
            changed(mode=None, rate=None),
            "systems.acrobat: 'forward': expected option=value, found 'forward'",
        ),
    ],
)
def test_wrong_configurations(config: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        validate(config)
    assert str(error.value) == message


def test_the_committed_configuration() -> None:
    assert all(cell.training for cell in cells(load_config(ROOT / "config/training.yaml")))


@pytest.mark.slow
def test_a_cell_of_steps(tmp_path: Path) -> None:
    """A row that is right, with its parts; a system that does not train; and both on paper."""
    rows = measure_cell(CELL, lambda row: row.write(tmp_path / f"{row.system}.json"))
    eager, cortex = sorted(rows, key=lambda row: row.system, reverse=True)
    assert (eager.status, eager.mode, eager.rate, eager.max_abs_err) == ("ok", "train", 0.01, None)
    assert eager.max_rel_err is not None and eager.max_rel_err < 1e-5 and eager.right
    assert eager.forward_ms and eager.backward_ms and eager.update_ms
    parts = eager.forward_ms + eager.backward_ms + eager.update_ms
    assert eager.profiled_ms is not None and parts <= eager.profiled_ms * 1.01
    assert eager.peak_mem_mb and eager.peak_mem_mb > 50
    assert (cortex.status, cortex.mode) == ("unsupported", "train")
    assert cortex.reason == "cortex only infers: it has no training step"
    path = tmp_path / "torch_eager.json"
    assert read_row(path) == eager
    assert row_fault(CELL, "torch_eager", "full", path) is None
    assert eager.optimiser == "sgd"
    adam = dataclasses.replace(CELL, training=Training(0.01, "adam"))
    assert row_fault(adam, "torch_eager", "full", path) == "it is a row of steps of sgd"
    inference = dataclasses.replace(CELL, training=None)
    assert row_fault(inference, "torch_eager", "full", path) == "it is a row of train"
    assert cell_folder(CELL, tmp_path) != cell_folder(inference, tmp_path)
    path.write_text(path.read_text().replace('"mode": "train"', '"mode": "dream"'))
    with pytest.raises(DamagedRow, match="mode is 'dream'"):
        read_row(path)


def test_errors_of_steps_are_relative(tmp_path: Path) -> None:
    reference, outputs = tmp_path / "reference.npz", tmp_path / "outputs.npz"
    row = dataclasses.replace(empty_row(CELL, "torch_eager", "full", "", {}), status="ok")
    want = [("losses", np.array([1e6, 1.0])), ("w", np.array([1e-3, 0.0]))]
    save_outputs(str(reference), want)
    save_outputs(str(outputs), [want[0], ("w", np.array([1.05e-3, 0.0]))])
    found = checked(row, reference, outputs)
    assert found.max_rel_err == pytest.approx(0.05) and not found.right
    assert found.reason == "max_rel_err 5.00e-02 over tolerance 0.0001"
    save_outputs(str(outputs), want[:1])
    missing = checked(row, reference, outputs)
    assert missing.reason == "results of 1 instances instead of 2" and not missing.right
    forward = dataclasses.replace(row, system="acrobat", variant="forward")
    assert checked(forward, reference, outputs).right


@pytest.mark.slow
@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("optimiser", ["sgd", "adagrad", "adam"])
def test_systems_take_the_same_steps(optimiser: str) -> None:
    """Epoch by epoch: the curves of all systems lie on each other."""
    pytest.importorskip("torch")
    request = {
        "seed": 1,
        "size": "tiny",
        "batch": 4,
        "optimiser": optimiser,
        "rate": 0.05,
        "trees": 10,
        "dev_trees": 6,
        "threads": 1,
        "sst_dir": "generated",
    }
    found = {}
    variants = {"torch_eager": "full", "torch_batched": "full", "acrobat": "executor=vm"}
    for system, variant in variants.items():
        epochs = Epochs({**request, "system": system, "variant": variant})
        assert epochs.about()["trees"] == 10 and epochs.about()["data"] == "generated"
        found[system] = [epochs.run(n) for n in (1, 2)]
    eager = found.pop("torch_eager")
    assert eager[1]["loss"] < eager[0]["loss"]
    for theirs in found.values():
        for a, b in zip(theirs, eager, strict=True):
            assert a["loss"] == pytest.approx(b["loss"], rel=1e-4)
            assert a["nodes"] == pytest.approx(b["nodes"], abs=0.02)


@pytest.mark.slow
def test_curves_are_written_by_epoch(tmp_path: Path) -> None:
    """Two systems, one of which does not train."""
    config = curves.load(
        ROOT / "config/sentiment.yaml",
        {"trees": 6, "dev_trees": 3, "epochs": 2, "size": "tiny", "sst_dir": "generated"},
    )
    config["systems"] = {"torch_eager": "full", "cortex": "full"}
    said: list[str] = []
    assert curves.run(config, tmp_path, said.append) == 1
    eager, cortex = (
        json.loads((tmp_path / f"{name}.json").read_text()) for name in ("torch_eager", "cortex")
    )
    assert [sorted(epoch) for epoch in eager["epochs"]] == [
        ["loss", "nodes", "roots", "seconds"]
    ] * 2
    assert eager["status"] == "ok" and eager["trees"] == 6
    assert cortex["status"] == "error" and cortex["epochs"] == []
    assert "cortex only infers: it has no training step" in cortex["reason"]
    assert said[0].startswith("cortex: error, ") and said[1].startswith("epoch 1, torch_eager: ")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"size": "huge"}, "size: 'huge' is not one of ['tiny', 'small', 'large']"),
        (
            {"systems": {"dynette": "full"}},
            "systems: 'dynette' does not exist; there is acrobat, dynet, ",
        ),
        ({"epochs": 0}, "epochs: 0 is less than the minimum of 1"),
    ],
)
def test_wrong_curves(changes: dict[str, Any], message: str) -> None:
    path = ROOT / "config/sentiment.yaml"
    with pytest.raises(ConfigError) as error:
        curves.load(path, changes)
    assert str(error.value).startswith(f"{path}: {message}")
