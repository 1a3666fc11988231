"""Outputs of plain Python that were computed before: used if they are this mini-batch's, else
refused, with why, and computed again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import harness.references
import workloads
from baselines.api import Problem
from harness.beforehand import learn
from harness.cell import Cell
from harness.check import check
from harness.environment import ROOT
from harness.references import VARIABLE, place, reference
from harness.worker import make_problem
from workloads.api import Workload

# Arrays, numbers and decisions; trees.
NAMES = ("berxit", "treelstm")


def problem_of(name: str, seed: int = 0) -> Problem:
    request = {
        "workload": name, "size": "tiny", "batch": 2, "seed": seed, "device": "cpu", "threads": 1,
        "sst_dir": "generated",
    }  # fmt: skip
    return make_problem(request, "full")[0]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "references"))
    return tmp_path / "references"


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return list(a) == list(b) and all(np.array_equal(a[n], b[n]) for n in a)


def forbid(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on plain Python is not to compute anything."""

    def computing(*_: object) -> None:
        raise AssertionError("plain Python computes")

    monkeypatch.setattr(Workload, "reference", computing)


@pytest.mark.parametrize("name", NAMES)
def test_computed_once(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, refused = reference(name, problem_of(name))
    assert refused == "" and first["0.0"].dtype == np.float32
    forbid(monkeypatch)
    # Weights, instances and everything else are made anew, and are the same.
    again, refused = reference(name, problem_of(name))
    assert refused == "" and same(again, first)


def test_without_a_folder_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    reference("treelstm", problem_of("treelstm"))
    assert list(tmp_path.iterdir()) == []


def changed(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Writes a file of references anew, as if nothing had happened."""
    with np.load(path) as file:
        held = {name: file[name] for name in file.files}
    change(held)
    np.savez_compressed(path, **held)


def raise_by(step: float) -> Callable[[dict[str, Any]], object]:
    def change(held: dict[str, Any]) -> None:
        held["0.0"] = held["0.0"] + np.float32(step)

    return change


def drop_hash(held: dict[str, Any]) -> None:
    about = json.loads(str(held["about"]))
    held["about"] = np.array(json.dumps({n: v for n, v in about.items() if n != "outputs"}))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-30])


def as_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


SPOILED: dict[str, tuple[Callable[[Path], object], str]] = {
    "other outputs": (
        lambda path: changed(path, raise_by(1.0)),
        "{} does not hold the outputs that were written; computing it again",
    ),
    "one less": (
        lambda path: changed(path, lambda held: held.pop("1.0")),
        "{} does not hold the outputs that were written; computing it again",
    ),
    "no hash": (
        lambda path: changed(path, drop_hash),
        "{} cannot be read: 'outputs'; computing it again",
    ),
    "cut": (cut, "{} cannot be read: File is not a zip file; computing it again"),
    "a folder": (
        as_folder,
        "{} cannot be read: [Errno 21] Is a directory: '{}'; computing it again",
    ),
}


@pytest.mark.parametrize("how", SPOILED)
def test_damaged(how: str, folder: Path) -> None:
    problem = problem_of("treelstm")
    right, _ = reference("treelstm", problem)
    path = place(folder, "treelstm", problem)
    spoil, said = SPOILED[how]
    spoil(path)
    found, refused = reference("treelstm", problem)
    assert refused == said.replace("{}", str(path)) and same(found, right)
    if path.is_file():
        # What was computed has taken its place.
        assert reference("treelstm", problem)[1] == ""


def test_of_another_mini_batch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    problem, other = problem_of("treelstm"), problem_of("treelstm", seed=1)
    old, _ = reference("treelstm", problem)
    path = place(folder, "treelstm", problem)

    def computed_again(now: Problem, what: str) -> None:
        found, refused = reference("treelstm", now)
        assert refused == f"{path} was computed from other {what}; computing it again"
        assert found["0.0"].shape == (32,)

    computed_again(replace(problem, params=other.params), "weights")
    computed_again(replace(problem, params=other.params, instances=other.instances), "instances")
    computed_again(problem, "weights and instances")
    assert same(reference("treelstm", problem)[0], old)
    monkeypatch.setattr(harness.references, "files_hash", lambda files: "changed")
    computed_again(problem, "sources")
    # That of another size under this name.
    path.rename(path.with_name("treelstm.tiny.bs3.seed0.npz"))
    _, refused = reference("treelstm", replace(problem, batch=3))
    assert refused.endswith("bs3.seed0.npz was computed from other mini-batch; computing it again")


def test_what_a_hash_is_over(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """The sources of models, of data, and of operations."""
    hashed: set[Path] = set()

    def files_hash(files: set[Path]) -> str:
        hashed.update(files)
        return ""

    monkeypatch.setattr(harness.references, "files_hash", files_hash)
    reference("treelstm", problem_of("treelstm"))
    names = {str(p.relative_to(ROOT)) for p in hashed}
    assert {
        "workloads/treelstm.py", "workloads/data/generator.py", "acrobat/lang/ops/pointwise.py",
        "acrobat/ir/ops/whole_tensor.py",
    } <= names  # fmt: skip


def cell_of(name: str) -> Cell:
    return Cell(name, "tiny", 2, 1, "cpu", 0, "generated", ())


@pytest.mark.slow
def test_a_cell_says_what_was_refused(
    folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    problem = problem_of("treelstm")
    right, _ = reference("treelstm", problem)
    path, written = place(folder, "treelstm", problem), tmp_path / "reference.npz"
    learn(cell_of("treelstm"), written)
    assert capfd.readouterr().err == ""
    changed(path, raise_by(1.0))
    learn(cell_of("treelstm"), written)
    assert capfd.readouterr().err == SPOILED["other outputs"][1].format(path) + "\n"
    with np.load(written) as file:
        assert same(dict(file), right)


def test_a_check_takes_them(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If they are wrong, and were so when they were written, the check fails."""
    how = ("treelstm", 2, "cpu", "torch_eager", "full", "tiny")
    assert check(*how)[0]
    original = workloads.get("treelstm").reference
    with monkeypatch.context() as patch:
        patch.setattr(Workload, "reference", lambda *a: [(h + 1, c) for h, c in original(*a[1:])])
        place(folder, "treelstm", problem_of("treelstm")).unlink()
        reference("treelstm", problem_of("treelstm"))
    assert check(*how) == (False, "max_abs_err 1.0e+00")
    # Refused, it is computed again, and the line says so.
    changed(place(folder, "treelstm", problem_of("treelstm")), raise_by(1.0))
    good, found = check(*how)
    assert good and found.startswith("max_abs_err ") and "computing it again" in found
