"""The native driver in this process, through ctypes."""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from acrobat.cache import verified

from .arrays import write_arrays

_MESSAGE = 2000


class Figures(ctypes.Structure):
    """Of one mini-batch: clearing the last graph, building one and evaluating it in milliseconds;
    nodes, DyNet's batches, how often values were waited for; bytes of values at once, at most."""

    _fields_ = [
        ("clear_ms", ctypes.c_double),
        ("graph_ms", ctypes.c_double),
        ("forward_ms", ctypes.c_double),
        ("nodes", ctypes.c_int64),
        ("batches", ctypes.c_int64),
        ("syncs", ctypes.c_int64),
        ("bytes", ctypes.c_int64),
    ]
    clear_ms: float
    graph_ms: float
    forward_ms: float
    nodes: int
    batches: int
    syncs: int
    bytes: int


class Driver:
    """One workload's model and instances. DyNet's strategy and memory are the process's."""

    def __init__(
        self,
        libraries: Sequence[Path],
        workload: str,
        strategy: int,
        lockstep: bool,
        memory: str,
        weights: Mapping[str, np.ndarray],
        instances: Mapping[str, np.ndarray],
    ) -> None:
        for path in libraries:
            verified(path)
        *_, self.library = [ctypes.CDLL(str(path)) for path in libraries]
        self.library.dynet_driver_compiler.restype = ctypes.c_char_p
        self.library.dynet_driver_forms.restype = ctypes.c_char_p
        self.library.dynet_driver_values.restype = ctypes.c_int64
        self.library.dynet_driver_numbers.restype = ctypes.c_int64
        self.handle = ctypes.c_void_p()
        self.figures = Figures()
        self._error = ctypes.create_string_buffer(_MESSAGE)
        with tempfile.TemporaryDirectory() as scratch:
            paths = [Path(scratch) / "weights", Path(scratch) / "instances"]
            for path, arrays in zip(paths, (weights, instances), strict=True):
                write_arrays(path, arrays)
            self._check(
                self.library.dynet_driver_open(
                    *(str(p).encode() for p in paths),
                    workload.encode(),
                    strategy,
                    int(lockstep),
                    memory.encode(),
                    ctypes.byref(self.handle),
                    self._error,
                    ctypes.c_size_t(_MESSAGE),
                )
            )
        self.compiler: str = self.library.dynet_driver_compiler().decode()
        self.forms: list[str] = self.library.dynet_driver_forms(self.handle).decode().splitlines()

    def run(self, form: int) -> Figures:
        """One mini-batch with the model written in one of its `forms`."""
        self._check(
            self.library.dynet_driver_run(
                self.handle,
                form,
                ctypes.byref(self.figures),
                self._error,
                ctypes.c_size_t(_MESSAGE),
            )
        )
        return self.figures

    def values(self) -> np.ndarray:
        """The tensors of the last run's results, one after the other, float32."""
        found = ctypes.POINTER(ctypes.c_float)()
        n = self.library.dynet_driver_values(self.handle, ctypes.byref(found))
        return np.ctypeslib.as_array(found, (n,)).copy() if n else np.empty(0, np.float32)

    def numbers(self) -> np.ndarray:
        """The ints of the last run's results, int64."""
        found = ctypes.POINTER(ctypes.c_int64)()
        n = self.library.dynet_driver_numbers(self.handle, ctypes.byref(found))
        return np.ctypeslib.as_array(found, (n,)).copy() if n else np.empty(0, np.int64)

    def _check(self, failed: int) -> None:
        if failed:
            raise RuntimeError(f"DyNet: {self._error.value.decode(errors='replace')}")
