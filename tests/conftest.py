"""Shared fixtures."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

_HEADER = "import acrobat as ab\nfrom acrobat import Tensor, ops\n\n"


@pytest.fixture
def load_model(tmp_path: Path) -> Callable[[str], ModuleType]:
    """Import model source from a file: the compiler reads the source from there. Line 1 of the
    given text is line 4 of the file."""
    count = 0

    def load(text: str) -> ModuleType:
        nonlocal count
        count += 1
        path = tmp_path / f"model_{count}.py"
        path.write_text(_HEADER + text)
        spec = importlib.util.spec_from_file_location(f"{tmp_path.name}_{count}", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        import sys

        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module

    return load
