"""The native driver in this process, through ctypes."""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from acrobat.cache import verified

from ..shared.steps import ADAM_BETAS, ADAM_EPSILON_BEFORE
from .arrays import write_arrays

_MESSAGE = 2000


class Figures(ctypes.Structure):
    """The figures of one mini-batch: milliseconds for clearing the last graph, building one and
    evaluating it; the numbers of nodes, of DyNet's batches, and of waits for values; the maximum
    bytes of values held at once. For a training step also the milliseconds of the backward pass
    and the update."""

    _fields_ = [
        ("clear_ms", ctypes.c_double),
        ("graph_ms", ctypes.c_double),
        ("forward_ms", ctypes.c_double),
        ("nodes", ctypes.c_int64),
        ("batches", ctypes.c_int64),
        ("syncs", ctypes.c_int64),
        ("bytes", ctypes.c_int64),
        ("backward_ms", ctypes.c_double),
        ("update_ms", ctypes.c_double),
    ]
    clear_ms: float
    graph_ms: float
    forward_ms: float
    nodes: int
    batches: int
    syncs: int
    bytes: int
    backward_ms: float
    update_ms: float


class Driver:
    """The model and instances of one workload. DyNet's strategy and memory are set per process."""

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
        """Run one mini-batch with the given one of the model's `forms`."""
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

    def reset(self, optimiser: str) -> None:
        """Restore the initial weights and the optimiser's initial state. The optimiser, "sgd",
        "adagrad" or "adam", is chosen by the first call."""
        beta_1, beta_2 = map(ctypes.c_float, ADAM_BETAS)
        adam = (beta_1, beta_2, ctypes.c_float(ADAM_EPSILON_BEFORE))
        self._call(self.library.dynet_driver_reset, optimiser.encode(), *adam)

    def choose(self, form: int, which: np.ndarray) -> None:
        """Restrict updates to the weights of `form`, found by a run on the instances `which`."""
        self._call(self.library.dynet_driver_choose, form, *_numbers(which))

    def back(self, form: int, which: np.ndarray) -> None:
        """Compute the losses of the instances `which`, int64, and the gradients of their sum; the
        results are the terms of the losses."""
        numbers, figures = _numbers(which), ctypes.byref(self.figures)
        self._call(self.library.dynet_driver_back, form, *numbers, figures)

    def update(self, rate: float) -> None:
        """Update the weights by the gradients, which are then cleared."""
        figures = ctypes.byref(self.figures)
        self._call(self.library.dynet_driver_update, ctypes.c_double(rate), figures)

    def take(self, name: str, shape: tuple[int, ...], gradient: bool) -> np.ndarray:
        """A weight or its gradient, a float32 array of the weight's shape."""
        found = np.empty(shape, np.float32)
        at = ctypes.c_void_p(found.ctypes.data)
        self._call(self.library.dynet_driver_take, name.encode(), int(gradient), at)
        return found

    def _call(self, function: Any, *arguments: Any) -> None:
        size = ctypes.c_size_t(_MESSAGE)
        self._check(function(self.handle, *arguments, self._error, size))

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


def _numbers(which: np.ndarray) -> tuple[ctypes.c_void_p, ctypes.c_int64]:
    """An array of int64 in the form that the driver takes; it must outlive the call."""
    assert which.dtype == np.int64 and which.flags.c_contiguous
    return ctypes.c_void_p(which.ctypes.data), ctypes.c_int64(len(which))
