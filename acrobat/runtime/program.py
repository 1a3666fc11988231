"""A compiled program in this process: its weights, and how it is called."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..cache import load_library
from ..errors import CapacityError
from ..kernels.printers.cpu.pack import aligned, pack_vectors, pack_weights
from ..layout import Layout
from ..limits import ALIGN, TABLE_FLOATS
from ..options import Options
from .abi import check_abi
from .faults import raise_fault
from .object_inputs import require_list
from .prepared import PreparedInputs, ProgramKey
from .profile import Profile
from .read_instances import explain_misfit
from .structures import BlockCounts, Config, RawProfile


@dataclass(frozen=True, slots=True, eq=False)
class Inputs(PreparedInputs):
    """Instances in the program's own form; made by `Program.convert`, used by `Program.run`. Those
    that are run more than once on a GPU keep a copy of their tensors there."""

    handle: object
    count: int


class Program:
    """Safe to call from several threads: each call has its own graph, stack and arena."""

    # What its configuration and the structures that this points to are called in C++.
    structures: ClassVar[Mapping[str, type[ctypes.Structure]]] = {"Config": Config}

    def __init__(
        self,
        library: Path,
        layout: Layout,
        weights: Mapping[str, np.ndarray],
        options: Options,
    ) -> None:
        self.layout, self.module, self.options = layout, layout.module, options
        self.key = ProgramKey()
        self._library = load_library(library, ctypes.PyDLL)
        check_abi(self._library, library, self.structures)
        for name, arguments in (
            ("acrobat_new", (ctypes.POINTER(Config), ctypes.py_object)),
            ("acrobat_convert", (ctypes.py_object, ctypes.py_object, ctypes.c_int64)),
            (
                "acrobat_run",
                (
                    ctypes.py_object,
                    ctypes.py_object,
                    ctypes.POINTER(RawProfile),
                    ctypes.c_int,
                    ctypes.c_int64,
                ),
            ),
        ):
            function = getattr(self._library, name)
            function.restype = ctypes.py_object
            function.argtypes = arguments
        self._keep: list[object] = []
        config = self._config(weights)
        self._keep.append(config)
        self._handle = self._library.acrobat_new(
            ctypes.byref(config),
            tuple((d.cls, tuple(n for n, _ in d.fields)) for d in layout.datas),
        )
        if isinstance(self._handle, tuple):
            raise_fault(*self._handle)

    def _config(self, weights: Mapping[str, np.ndarray]) -> Config:
        packed: list[np.ndarray] = []
        for k in self.layout.kernels:
            packed.append(pack_weights(k.spec, [weights[n] for n in k.weights]))
            packed.append(pack_vectors(k.spec, [weights[n] for n in k.vectors]))
        tables = [_table(n, weights[n]) for n in self.layout.tables]
        return Config(**self._fields(packed, tables, weights))

    def _fields(
        self,
        packed: list[np.ndarray],
        tables: list[np.ndarray],
        weights: Mapping[str, np.ndarray],
    ) -> dict[str, Any]:
        """What is the same for every device."""
        # Copies, as all else is: what the caller does to the arrays later must not reach a part.
        in_arena = [np.array(weights[n], order="C") for n in self.layout.arena_weights]
        return {
            "threads": self.options.thread_count,
            "scheduler": self.layout.scheduler,
            "gather_fusion": self.options.gather_fusion,
            "fibers": self.options.fibers,
            "stack_bytes": self.options.stack_mb << 20,
            "packed": self._pointers(packed),
            "tables": self._pointers(tables),
            "arena_weights": self._pointers(in_arena),
            "arena_weight_sizes": self._sizes(in_arena),
            "n_arena_weights": len(in_arena),
            "arena_weight_floats": self.layout.arena_weight_floats,
        }

    # ctypes forgets what a structure points to if its class has a base with as many fields.

    def _pointers(self, arrays: list[np.ndarray]) -> Any:
        found = (ctypes.c_void_p * max(1, len(arrays)))(*(a.ctypes.data for a in arrays))
        self._keep += [arrays, found]
        return found

    def _sizes(self, arrays: Sequence[np.ndarray]) -> Any:
        found = (ctypes.c_int64 * max(1, len(arrays)))(*(a.size for a in arrays))
        self._keep.append(found)
        return found

    def convert(self, instances: Sequence[Any]) -> Inputs:
        """The instances in the program's own form. InstanceError names the path to a bad field;
        CapacityError if there is no memory for them."""
        require_list(instances)
        start = time.perf_counter()
        items = instances if isinstance(instances, list) else list(instances)
        limit = self.options.memory_mb << 20
        handle = self._library.acrobat_convert(self._handle, items, limit)
        if isinstance(handle, tuple):
            raise_fault(*handle)
        if handle is None:
            explain_misfit(items, self.module.instance, self.module.datas)
        return Inputs(self.key, (time.perf_counter() - start) * 1e3, handle, len(items))

    def run(self, inputs: Inputs) -> tuple[list[Any], Profile]:
        """One mini-batch; results in the order of the instances, and the profile."""
        blocks = self.module.blocks
        counts = (BlockCounts * max(1, len(blocks)))()
        raw = RawProfile(blocks=counts)
        results = self._run(inputs, raw, count_min_batches=False)
        profile = Profile(
            input_ms=inputs.input_ms,
            graph_ms=raw.graph_ms,
            schedule_ms=raw.schedule_ms,
            copy_ms=raw.copy_ms,
            kernel_ms=raw.kernel_ms,
            n_nodes=raw.n_nodes,
            n_batches=raw.n_batches,
            n_kernel_calls=raw.n_kernel_calls,
            n_syncs=raw.n_syncs,
            peak_mem_mb=raw.peak_bytes / 2**20,
            **{
                what: {
                    b.name: n
                    for b, c in zip(blocks, counts, strict=False)
                    if (n := getattr(c, what))
                }
                for what in ("nodes", "batches", "alone")
            },
        )
        return results, profile

    def count_min_batches(self, inputs: Inputs) -> int:
        """A lower bound on the number of batches: the longest dependence chain of every block,
        summed. Runs the mini-batch to know its graph."""
        raw = RawProfile(blocks=(BlockCounts * max(1, len(self.module.blocks)))())
        self._run(inputs, raw, count_min_batches=True)
        return int(raw.min_batches)

    def _run(self, inputs: Inputs, raw: RawProfile, count_min_batches: bool) -> list[Any]:
        results: list[Any] | tuple[str, str] = self._library.acrobat_run(
            self._handle,
            inputs.handle,
            ctypes.byref(raw),
            count_min_batches,
            self.options.memory_mb << 20,
        )
        if isinstance(results, list):
            return results
        kind, message = results
        if kind == "stack":
            message += (
                f" ({self.options.stack_mb} MiB); raise Options.stack_mb, or make the "
                f"instances shallower"
            )
        raise_fault(kind, message)


def _table(name: str, array: np.ndarray) -> np.ndarray:
    """A copy with room behind it, for kernels read up to a vector past a row."""
    check_table(name, array)
    padded = aligned(array.size + ALIGN)
    padded[: array.size] = array.ravel()
    return padded


def check_table(name: str, array: np.ndarray) -> None:
    """CapacityError if a weight that is read by row is larger than offsets can address."""
    if array.size >= TABLE_FLOATS:
        raise CapacityError(
            f"{name} has {array.size} elements; a weight that is read by row may have 2^31"
        )
