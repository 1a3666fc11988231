"""The import of TVM, without PyTorch.

`tvm_ffi` imports PyTorch where it is installed, to exchange tensors with it. Here TVM is only a
compiler and handles no tensors: without PyTorch its import takes a third of the time, in every
process that compiles a kernel, and a program that does not use PyTorch saves its memory.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any


def import_tvm() -> Any:
    """TVM; ImportError if it is missing. If PyTorch has been imported before, TVM finds it."""
    if "tvm" not in sys.modules:
        with without_torch():
            import tvm
    import tvm

    return tvm


@contextmanager
def without_torch() -> Iterator[None]:
    """A context in which this thread cannot import PyTorch unless it has been imported before."""
    finder = _NoTorch()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _NoTorch(MetaPathFinder):
    """Hides PyTorch from imports by the thread that created this finder; other threads, which may
    import it meanwhile, find it."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> None:
        if name == "torch" and threading.get_ident() == self._thread:
            raise ModuleNotFoundError("TVM is imported without PyTorch", name=name)
