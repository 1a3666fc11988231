"""A GPU that is not there."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from mock_gpu import Mock, pack_vectors, pack_weights


@pytest.fixture
def mock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mock]:
    """The mock driver and kernels for it; afterwards nothing was wrong and nothing is left."""
    gc.collect()
    mock = Mock(tmp_path)
    monkeypatch.setenv("ACROBAT_LIBCUDA", str(mock.path))
    build, packing = ModuleType("build"), ModuleType("packing")
    build.build_cuda_kernels = mock.build_cuda_kernels  # type: ignore[attr-defined]
    packing.pack_weights, packing.pack_vectors = pack_weights, pack_vectors  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "acrobat.kernels.cuda.build", build)
    monkeypatch.setitem(sys.modules, "acrobat.kernels.cuda.packing", packing)
    # It holds on to what it has imported from there.
    monkeypatch.delitem(sys.modules, "acrobat.runtime.cuda_program", raising=False)
    yield mock
    gc.collect()
    assert mock.wrong() == []
