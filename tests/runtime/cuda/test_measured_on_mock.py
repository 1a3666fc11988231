"""`acrobat` on a GPU as the harness measures it, on the mock driver."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from baselines.acrobat import System
from baselines.api import Problem, Supported, Unsupported
from harness.environment import device_name
from harness.outputs import compare
from harness.references import VARIABLE
from harness.worker import Worker
from tests.runtime.cuda.mock_gpu import Mock
from workloads.api import Workload

REQUEST = {
    "size": "tiny",
    "batch": 5,
    "seed": 0,
    "device": "cuda",
    "threads": 1,
    "sst_dir": "generated",
    "system": "acrobat",
    "variant": "full",
}


@pytest.mark.parametrize("workload", ["treelstm", "drnn"])
def test_a_measured_mini_batch(mock: Mock, tmp_path: Path, workload: str) -> None:
    worker, request = Worker(), {**REQUEST, "workload": workload}
    assert worker.answer({"command": "prepare", **request}) == {}
    samples = worker.answer({"command": "sample", "count": 3})["samples_ms"]
    assert len(samples) == 3 and all(s > 0 for s in samples)
    mock.log()
    worker.answer({"command": "sample", "count": 1})
    waits = mock.log().count("cuStreamSynchronize")
    assert waits >= 2, "a run that is not timed, then one that is; each ends when the GPU has"
    answer = worker.answer({"command": "finish", "path": str(tmp_path / "got.npz")})
    figures = answer["breakdown"]
    assert figures["n_batches"] > 0 and {"acrobat", "triton"} <= set(figures["versions"])
    worker.answer({"command": "reference", "path": str(tmp_path / "want.npz"), **request})
    with np.load(tmp_path / "got.npz") as got, np.load(tmp_path / "want.npz") as want:
        assert got.files == want.files
        for name in want.files:
            if "." in name:
                np.testing.assert_allclose(got[name], want[name], atol=1e-4)
            else:
                assert got[name] == want[name]


def test_a_reference_from_elsewhere(
    mock: Mock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a pack's references plain Python computes nothing on the machine of the GPU; a damaged
    one is refused, and computed."""
    request, folder = {**REQUEST, "workload": "drnn"}, tmp_path / "references"
    monkeypatch.setenv(VARIABLE, str(folder))
    ask = {"command": "reference", "path": str(tmp_path / "want.npz"), **request}
    # Elsewhere, for a CPU.
    assert Worker().answer({**ask, "device": "cpu"}) == {"data": "generated", "refused": ""}
    [file] = folder.iterdir()
    with monkeypatch.context() as patch:
        patch.delattr(Workload, "reference")
        (tmp_path / "want.npz").unlink()
        assert Worker().answer(ask)["refused"] == ""
    worker = Worker()
    worker.answer({"command": "prepare", **request})
    worker.answer({"command": "sample", "count": 2})
    worker.answer({"command": "finish", "path": str(tmp_path / "got.npz")})

    def error() -> tuple[float, str]:
        with np.load(tmp_path / "got.npz") as got, np.load(tmp_path / "want.npz") as want:
            return compare(want, got)

    largest, why = error()
    assert largest < 1e-4 and why == ""
    file.write_bytes(file.read_bytes()[:100])
    said = Worker().answer(ask)["refused"]
    assert said == f"{file} cannot be read: File is not a zip file; computing it again"
    assert error()[0] < 1e-4


def test_what_can_be_measured(mock: Mock) -> None:
    problem = Problem("treelstm", "tiny", 1, 0, "cuda", 1, "precision=tf32", None, [])
    assert System.supports(problem) == Supported()
    assert device_name("cuda").startswith("Mock")
    mock.reset(gpus=-1)
    assert System.supports(problem) == Unsupported("acrobat: the NVIDIA driver shows no GPU")
