"""Modules from files or text: the compiler reads a model's source in its file."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def load_file(path: Path, name: str) -> ModuleType:
    """The module in a file, under a name of its own. It stays in `sys.modules`, where hints and
    pickles look for it; who has no more use for it deletes it there."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def load_text(text: str, folder: Path, name: str) -> ModuleType:
    """The module with this text, from the file NAME.py of the folder."""
    path = folder / f"{name}.py"
    path.write_text(text)
    return load_file(path, name)
