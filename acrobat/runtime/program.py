"""A compiled program in this process: its weights, and how it is called."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..analysis.scheduling import weight_row_offsets
from ..aot.tables import table_weights
from ..errors import CapacityError, InstanceError
from ..ir import batched as B
from ..ir.types import align
from ..kernels.printers.cpu.pack import aligned, pack_vectors, pack_weights
from ..kernels.specification.spec import BlockPlan
from ..options import Options
from .check_instance import explain_misfit
from .faults import raise_fault


@dataclass(frozen=True, slots=True)
class Profile:
    """What one call did. Times in milliseconds.

    `graph_ms`: the model's control flow, which builds the dataflow graph. `schedule_ms`: batching
    and operand offsets. `copy_ms`: gather copies and input tensors. `kernel_ms`: the batches. On a
    GPU `kernel_ms` is from the first kernel of a computation to the end of its last, by the GPU's
    clock (gather copies, without gather fusion, are between them), and `copy_ms` what of the wait
    for the GPU that does not cover: staging, launching, transfers.
    `n_syncs` is how often the program stopped until values that decisions need were computed,
    `peak_mem_mb` the arena in use. `nodes` and `batches`: how many there were of each static block.
    `alone`: of each static block, how many nodes ran in a batch of their own, because no other
    instance or branch had one of the same block at the same depth. `input_ms` is the conversion of
    the instances, which `run` does not include.
    """

    input_ms: float
    graph_ms: float
    schedule_ms: float
    copy_ms: float
    kernel_ms: float
    n_nodes: int
    n_batches: int
    n_kernel_calls: int
    n_syncs: int
    peak_mem_mb: float
    nodes: Mapping[str, int]
    batches: Mapping[str, int]
    alone: Mapping[str, int]


Fields = tuple[tuple[str, Any], ...]


class Config(ctypes.Structure):
    """What a program is told when it is made: `acrobat::Config` (config.h)."""

    _fields_: ClassVar[Fields] = (
        ("threads", ctypes.c_int),
        ("scheduler", ctypes.c_int),
        ("gather_fusion", ctypes.c_int),
        ("fibers", ctypes.c_int),
        ("stack_bytes", ctypes.c_int64),
        ("packed", ctypes.POINTER(ctypes.c_void_p)),
        ("tables", ctypes.POINTER(ctypes.c_void_p)),
        ("weight_rows", ctypes.POINTER(ctypes.c_void_p)),
        ("weight_row_floats", ctypes.POINTER(ctypes.c_int64)),
        ("n_weight_rows", ctypes.c_int),
        ("weight_floats", ctypes.c_int64),
    )


class _BlockCounts(ctypes.Structure):
    _fields_ = (
        ("nodes", ctypes.c_int64),
        ("batches", ctypes.c_int64),
        ("alone", ctypes.c_int64),
    )


class _Profile(ctypes.Structure):
    _fields_ = (
        ("graph_ms", ctypes.c_double),
        ("schedule_ms", ctypes.c_double),
        ("copy_ms", ctypes.c_double),
        ("kernel_ms", ctypes.c_double),
        ("n_nodes", ctypes.c_int64),
        ("n_batches", ctypes.c_int64),
        ("n_kernel_calls", ctypes.c_int64),
        ("min_batches", ctypes.c_int64),
        ("n_syncs", ctypes.c_int64),
        ("peak_bytes", ctypes.c_int64),
        ("blocks", ctypes.POINTER(_BlockCounts)),
    )


@dataclass(frozen=True, slots=True)
class Inputs:
    """Instances in the program's own form; made by `Program.convert`, used by `Program.run`. Those
    that are run more than once on a GPU keep a copy of their tensors there."""

    handle: object
    count: int
    input_ms: float


# In the order of the enumeration in schedule.h.
_SCHEDULERS = ("inline_depth", "runtime_depth", "agenda")


class Program:
    """Safe to call from several threads: each call has its own graph, stack and arena."""

    def __init__(
        self,
        library: Path,
        module: B.Module,
        plans: Sequence[BlockPlan],
        weights: Mapping[str, np.ndarray],
        options: Options,
    ) -> None:
        self.module, self.options = module, options
        self._library = ctypes.PyDLL(str(library))
        for name, arguments in (
            ("acrobat_new", (ctypes.POINTER(Config), ctypes.py_object)),
            ("acrobat_convert", (ctypes.py_object, ctypes.py_object)),
            (
                "acrobat_run",
                (ctypes.py_object, ctypes.py_object, ctypes.POINTER(_Profile), ctypes.c_int),
            ),
        ):
            function = getattr(self._library, name)
            function.restype = ctypes.py_object
            function.argtypes = arguments
        self._keep: list[object] = []
        config = self._config(plans, weights)
        self._keep.append(config)
        self._handle = self._library.acrobat_new(
            ctypes.byref(config),
            tuple(
                (d.cls, tuple(n for n, _ in d.fields))
                for d in sorted(module.datas.values(), key=lambda d: d.tag)
            ),
        )
        if isinstance(self._handle, tuple):
            raise_fault(*self._handle)

    def _config(self, plans: Sequence[BlockPlan], weights: Mapping[str, np.ndarray]) -> Config:
        packed: list[np.ndarray] = []
        for plan in plans:
            for spec, names, vectors in zip(plan.kernels, plan.weights, plan.vectors, strict=True):
                packed.append(pack_weights(spec, [weights[n] for n in names]))
                packed.append(pack_vectors(spec, [weights[n] for n in vectors]))
        tables = [_table(n, weights[n]) for n in table_weights(self.module)]
        return Config(**self._fields(packed, tables, weights))

    def _fields(
        self,
        packed: list[np.ndarray],
        tables: list[np.ndarray],
        weights: Mapping[str, np.ndarray],
    ) -> dict[str, Any]:
        """What is the same for every device."""
        rows = {n: np.ascontiguousarray(weights[n]) for n in weight_row_offsets(self.module)}
        return {
            "threads": self.options.thread_count,
            "scheduler": _SCHEDULERS.index(self.options.scheduler),
            "gather_fusion": self.options.gather_fusion,
            "fibers": self.options.fibers,
            "stack_bytes": self.options.stack_mb << 20,
            "packed": self._pointers(packed),
            "tables": self._pointers(tables),
            "weight_rows": self._pointers(list(rows.values())),
            "weight_row_floats": self._sizes(list(rows.values())),
            "n_weight_rows": len(rows),
            "weight_floats": sum(align(a.size) for a in rows.values()),
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
        """The instances in the program's own form. InstanceError names the path to a bad field."""
        if not isinstance(instances, (list, tuple)):
            raise InstanceError(
                f"expected a list of instances, got {type(instances).__name__}; "
                f"for one instance pass a list of one"
            )
        start = time.perf_counter()
        items = instances if isinstance(instances, list) else list(instances)
        handle = self._library.acrobat_convert(self._handle, items)
        if handle is None:
            explain_misfit(items, self.module.instance, self.module.datas)
        return Inputs(handle, len(items), (time.perf_counter() - start) * 1e3)

    def run(self, inputs: Inputs) -> tuple[list[Any], Profile]:
        """One mini-batch; results in the order of the instances, and the profile."""
        blocks = self.module.blocks
        counts = (_BlockCounts * max(1, len(blocks)))()
        raw = _Profile(blocks=counts)
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
        raw = _Profile(blocks=(_BlockCounts * max(1, len(self.module.blocks)))())
        self._run(inputs, raw, count_min_batches=True)
        return int(raw.min_batches)

    def _run(self, inputs: Inputs, raw: _Profile, count_min_batches: bool) -> list[Any]:
        results: list[Any] | tuple[str, str] = self._library.acrobat_run(
            self._handle, inputs.handle, ctypes.byref(raw), count_min_batches
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
    if array.size >= 2**31:
        raise CapacityError(
            f"{name} has {array.size} elements; a weight that is read by row may have 2^31"
        )
    padded = aligned(array.size + 16)
    padded[: array.size] = array.ravel()
    return padded
