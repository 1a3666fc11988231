"""What is compiled ahead for a machine with a GPU is found there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

pytest.importorskip("triton")

from acrobat.kernels.printers.cuda.build import build_cuda_kernels
from harness.gpu import pack
from harness.gpu.pack import main, make_pack, use_pack
from tests.sass.report import kernels_of


@pytest.mark.long
def test_nothing_is_compiled_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACROBAT_CACHE", str(tmp_path / "elsewhere"))
    packages, file = tmp_path / "archives", tmp_path / "pack.tar.gz"
    packages.mkdir()
    (packages / "dynet.tar.gz").write_text("sources")
    assert make_pack(file, 90, ["mvrnn"], ["tiny"], packages) == file.stat().st_size
    assert os.environ["ACROBAT_CACHE"] == str(tmp_path / "elsewhere")
    found = use_pack(file, tmp_path / "there")
    assert (Path(found["ACROBAT_PACKAGES"]) / "dynet.tar.gz").read_text() == "sources"
    assert stat.S_IMODE(Path(found["ACROBAT_CACHE"]).stat().st_mode) == 0o700
    monkeypatch.setenv("ACROBAT_CACHE", found["ACROBAT_CACHE"])
    for persistent in (False, True):
        built = build_cuda_kernels(kernels_of("mvrnn", "tiny"), 90, persistent=persistent)
        assert built.build_s == 0
    assert build_cuda_kernels(kernels_of("mvrnn", "tiny"), 80, persistent=True).build_s > 0


def test_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pack, "_compile", lambda *arguments: None)
    monkeypatch.setattr(pack, "MOST_BYTES", 10)
    file = tmp_path / "pack.tar.gz"
    assert main(["--out", str(file)]) == 1
    assert capsys.readouterr().err == (
        f"harness.gpu.pack: {file}: the archive would have 0 MiB, 0 are the most; leave workloads "
        "or sizes out\n"
    )
    assert list(tmp_path.iterdir()) == []
