"""The import of TVM, without PyTorch, and without its CUDA runtime where there is no driver.

`tvm_ffi` imports PyTorch where it is installed, to exchange tensors with it. Here TVM is only a
compiler and handles no tensors: without PyTorch its import takes a third of the time, in every
process that compiles a kernel, and a program that does not use PyTorch saves its memory.

TVM tries to load its CUDA runtime on every machine. Without a driver that load fails, after the
library got an index for its thread-local variables. If the index was the first of one of glibc's
blocks of 62, the next load of a library ends the process: "Inconsistency detected by ld.so:
../elf/dl-tls.c: _dl_add_to_slotinfo: Assertion `idx == 0' failed!" (glibc 2.36). A program that
has loaded cached models and then compiles its first kernel meets that in one of 62 cases.
"""

from __future__ import annotations

import ctypes
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
        with without_torch(), without_failing_loads():
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


@contextmanager
def without_failing_loads() -> Iterator[None]:
    """A context in which TVM does not load its CUDA runtime if the driver cannot be loaded."""
    from tvm_ffi import libinfo

    load = libinfo.load_lib_ctypes

    def guarded(package: str, target_name: str, *args: Any, **options: Any) -> ctypes.CDLL:
        if target_name == "tvm_runtime_cuda":
            ctypes.CDLL("libcuda.so.1")  # OSError, as if from the library that needs it
        return load(package, target_name, *args, **options)

    libinfo.load_lib_ctypes = guarded
    try:
        yield
    finally:
        libinfo.load_lib_ctypes = load


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
