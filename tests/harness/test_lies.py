"""Answers that cannot be true, and outputs that are none: sentences, whatever is in them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from baselines.api import Breakdown
from harness.answers import figures, times
from harness.outputs import checked
from harness.row import Row
from harness.worker import save_outputs
from harness.worker_process import WorkerFailure

NAN, INFINITE = float("nan"), float("inf")
_CANNOT = "its process says what cannot be: "


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({}, "None for 2 runs"),
        ({"samples_ms": "ab"}, "'ab' for 2 runs"),
        ({"samples_ms": [1.0]}, "1 times for 2 runs"),
        ({"samples_ms": [1.0, NAN]}, "nan ms for a run"),
        ({"samples_ms": [1.0, INFINITE]}, "inf ms for a run"),
        ({"samples_ms": [1.0, 0]}, "0 ms for a run"),
        ({"samples_ms": [1.0, -1e-9]}, "-1e-09 ms for a run"),
        ({"samples_ms": [1.0, True]}, "True ms for a run"),
        ({"samples_ms": [1.0, [1.0]]}, "[1.0] ms for a run"),
        ({"samples_ms": [1.0, 10**400]}, f"{str(10**400)[:60]}... ms for a run"),
        ({"samples_ms": [1.0, 60.0]}, "61 ms for runs that took 50 ms in all"),
    ],
)
def test_times(answer: dict[str, Any], reason: str) -> None:
    assert times({"samples_ms": [1.0, 2]}, 2, 0.05) == [1.0, 2.0]
    with pytest.raises(WorkerFailure) as caught:
        times(answer, 2, 0.05)
    assert (caught.value.status, caught.value.reason) == ("error", _CANNOT + reason)


def _answer(**changed: object) -> dict[str, Any]:
    return {
        "breakdown": dataclasses.asdict(Breakdown()) | changed,
        "profiled_ms": 1.0,
        "peak_mem_mb": 2.0,
        "energy_j": -3.0,
    }


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({}, "a breakdown that is none: None"),
        ({"breakdown": {"graph_ms": 1}}, "a breakdown that is none: {'graph_ms': 1}"),
        (_answer(status="ok"), "a breakdown that is none: {'input_ms': None, 'graph_ms': None, "
         "'schedule_ms': None, 'copy_ms': None, 'kernel_ms': None, 'forwa..."),
        (_answer(graph_ms=-1.5), "-1.5 for graph_ms of its breakdown"),
        (_answer(kernel_ms=NAN), "nan for kernel_ms of its breakdown"),
        (_answer(compile_s="long"), "'long' for compile_s of its breakdown"),
        (_answer(n_nodes=7.5), "7.5 for n_nodes of its breakdown"),
        (_answer(threads_used=True), "True for threads_used of its breakdown"),
        (_answer(precision=None), "None for precision of its breakdown"),
        (_answer(versions=["1"]), "['1'] for versions of its breakdown"),
        (_answer(versions={"a": 1}), "{'a': 1} for versions of its breakdown"),
        (_answer(alone={"a": 1.5}), "{'a': 1.5} for alone of its breakdown"),
        (_answer() | {"profiled_ms": "1"}, "'1' for profiled_ms of its breakdown"),
    ],
)  # fmt: skip
def test_figures(answer: dict[str, Any], reason: str) -> None:
    found = figures(_answer(n_nodes=7, versions={"a": "1\x1b"}))
    assert (found["n_nodes"], found["peak_mem_mb"], found["energy_j"]) == (7, 2.0, None)
    assert found["versions"] == {"a": "1\\x1b"}
    with pytest.raises(WorkerFailure) as caught:
        figures(answer)
    assert (caught.value.status, caught.value.reason) == ("error", _CANNOT + reason)


WANT = [(np.ones(3, np.float32),), (np.zeros(2, np.float32), 1.5)]


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: WANT, ""),
        (lambda: iter(WANT), ""),
        (list, "results of 0 instances instead of 2"),
        (lambda: WANT[:1], "results of 1 instances instead of 2"),
        (lambda: WANT * 2, "results of 4 instances instead of 2"),
        (lambda: [WANT[0], (a for a in WANT[1])], "instance 1: <generator object "),
        (lambda: [WANT[0], None], "instance 1: None instead of ( tensor[2] float )"),
        (lambda: [(np.ones(1),), WANT[1]], "instance 0: ( tensor[1] ) instead of ( tensor[3] )"),
        (lambda: [(np.ones(3, object),), WANT[1]], "its outputs cannot be read: ValueError: Object"
         " arrays cannot be loaded when allow_pickle=False"),
        (lambda: [(np.array(["a"] * 3),), WANT[1]], "its outputs cannot be read: UFuncTypeError"
         ": ufunc 'subtract' did not contain a loop with signature matching types "),
        (lambda: [(np.full(3, NAN),), WANT[1]], "max_abs_err nan over tolerance 0.0001"),
        (lambda: [WANT[0], (WANT[1][0], INFINITE)], "max_abs_err inf over tolerance 0.0001"),
    ],
)  # fmt: skip
def test_outputs(make: Callable[[], Any], reason: str, tmp_path: Path) -> None:
    row = Row("torch_eager", "full", "treelstm", "tiny", 2, "cpu", "A CPU", "ok", "")
    save_outputs(str(tmp_path / "want.npz"), WANT)
    save_outputs(str(tmp_path / "got.npz"), make())
    found = checked(row, tmp_path / "want.npz", tmp_path / "got.npz")
    assert found.reason.startswith(reason) and bool(found.reason) == bool(reason), found.reason
    assert found.outcome == ("wrong" if reason else "ok")


def test_a_file_that_is_none(tmp_path: Path) -> None:
    row = Row("torch_eager", "full", "treelstm", "tiny", 2, "cpu", "A CPU", "ok", "")
    save_outputs(str(tmp_path / "want.npz"), WANT)
    found = checked(row, tmp_path / "want.npz", tmp_path / "got.npz")
    assert found.reason.startswith("its outputs cannot be read: FileNotFoundError: ")
    assert found.outcome == "wrong"
