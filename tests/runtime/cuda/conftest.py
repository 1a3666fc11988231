"""A GPU that is not there."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

import acrobat.kernels.printers.cuda.build
import acrobat.runtime.cuda_program
from tests.runtime.cuda.mock_gpu import Mock, pack


@pytest.fixture
def mock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mock]:
    """The mock driver and kernels for it; afterwards nothing was wrong, and nothing is left that
    was not there before."""
    gc.collect()
    gc.freeze()  # what other tests have left to stay: not to be gone through every time
    mock = Mock(tmp_path)
    before = mock.alive()
    monkeypatch.setenv("ACROBAT_LIBCUDA", str(mock.path))
    build = "build_cuda_kernels"
    monkeypatch.setattr(acrobat.kernels.printers.cuda.build, build, mock.build_cuda_kernels)
    for name in ("pack_weights", "pack_vectors"):
        monkeypatch.setattr(acrobat.runtime.cuda_program, name, pack)
    yield mock
    gc.collect()
    assert mock.wrong() == []
    assert mock.alive() == before
