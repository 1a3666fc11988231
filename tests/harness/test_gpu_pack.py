"""What is compiled ahead for a machine with a GPU is found there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

pytest.importorskip("triton")

import workloads
from acrobat.kernels.printers.cuda.build import build_cuda_kernels
from harness.beforehand import problem_of
from harness.gpu import pack
from harness.gpu.pack import first_mini_batches, main, make_pack, use_pack
from harness.references import reference
from harness.worker import make_problem
from tests.sass.report import kernels_of
from workloads.api import Workload


@pytest.mark.slow
def test_nothing_is_compiled_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path / "elsewhere"))
    packages, file = tmp_path / "archives", tmp_path / "pack.tar.gz"
    packages.mkdir()
    (packages / "dynet.tar.gz").write_text("sources")
    checked = [c for c in first_mini_batches(["mvrnn"]) if c.size == "tiny"]
    assert make_pack(file, 90, ["mvrnn"], ["tiny"], packages, checked) == file.stat().st_size
    assert os.environ["ACROBAT_CACHE"] == str(tmp_path / "elsewhere")
    found = use_pack(file, tmp_path / "there")
    assert (Path(found["ACROBAT_PACKAGES"]) / "dynet.tar.gz").read_text() == "sources"
    assert stat.S_IMODE(Path(found["ACROBAT_CACHE"]).stat().st_mode) == 0o700
    monkeypatch.setenv("ACROBAT_CACHE", found["ACROBAT_CACHE"])
    for persistent in (False, True):
        built = build_cuda_kernels(kernels_of("mvrnn", "tiny"), 90, persistent=persistent)
        assert built.build_s == 0
    assert build_cuda_kernels(kernels_of("mvrnn", "tiny"), 80, persistent=True).build_s > 0
    # Nor does plain Python compute.
    monkeypatch.setenv("ACROBAT_REFERENCES", found["ACROBAT_REFERENCES"])
    monkeypatch.delattr(Workload, "reference")
    assert [c.batch for c in checked] == [1, 8, 64]
    for cell in checked:
        problem, _ = make_problem(problem_of(cell), "gpu_mode=persistent")
        assert reference("mvrnn", problem)[1] == ""


def test_what_is_computed_ahead() -> None:
    """The checks of all workloads, and the cells of tables T3 to T5, of both sizes."""
    found = {(c.workload, c.size, c.batch) for c in first_mini_batches()}
    names = set(workloads.NAMES)
    assert {w for w, size, _ in found if size == "tiny"} == names
    assert found >= {(w, s, b) for w in names for s in ("small", "large") for b in (8, 64)}
    assert {b for _, size, b in found if size != "tiny"} == {8, 64}
    assert {c.sst_dir for c in first_mini_batches() if c.size == "tiny"} == {"generated"}


def test_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pack, "_compile", lambda *arguments: None)
    monkeypatch.setattr(pack, "MOST_BYTES", 10)
    file = tmp_path / "pack.tar.gz"
    assert main(["--out", str(file), "--no-references"]) == 1
    assert capsys.readouterr().err == (
        f"harness.gpu.pack: {file}: the archive would have 0 MiB, 0 are the most; leave workloads "
        "or sizes out\n"
    )
    assert list(tmp_path.iterdir()) == []
