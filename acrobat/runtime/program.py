"""A compiled program in this process: its weights, and the calls to it."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NoReturn

import numpy as np

from ..cache import load_library
from ..errors import CapacityError
from ..ir.host_functions import bound
from ..kernels.printers.cpu.pack import Packer
from ..layout import Layout
from ..options import Options
from .abi import check_abi
from .faults import OUT_OF_MEMORY, raise_fault, too_deep
from .object_inputs import require_list
from .packings import of_kernels, of_tables
from .prepared import PreparedInputs, ProgramKey
from .profile import Profile, ReadProfile
from .read_instances import explain_misfit
from .records import described
from .structures import BlockCounts, Config, RawProfile
from .watched_call import WatchedCall, from_bytes

# A function that renews packed arrays, given the weights that each is made from.
PackAll = Callable[[Sequence[tuple[Packer, Sequence[np.ndarray], np.ndarray]]], None]


@dataclass(frozen=True, slots=True, eq=False)
class Inputs(PreparedInputs):
    """Instances in the program's own form; made by `Program.convert`, used by `Program.run`. If
    they are run more than once on a GPU, they keep a copy of their tensors there."""

    handle: object
    count: int


class Program:
    """A compiled program. Safe to call from several threads: each call has its own graph, stack and
    arena."""

    # Its configuration and the structures that this points to, by their names in C++.
    structures: ClassVar[Mapping[str, type[ctypes.Structure]]] = {"Config": Config}

    def __init__(
        self,
        library: Path,
        layout: Layout,
        weights: Mapping[str, np.ndarray],
        options: Options,
        tables_in_place: bool = False,
    ) -> None:
        """`tables_in_place`: tables are not copied, but read where `weights` has them, as far as
        that is safe. Changes of tables are seen at once, those of arena weights after `renew`."""
        self.layout, self.module, self.options = layout, layout.module, options
        self._in_place = tables_in_place
        self.key = ProgramKey()
        self.library = load_library(library, ctypes.PyDLL)
        check_abi(self.library, library, self.structures)
        for name, arguments in (
            ("acrobat_new", (ctypes.POINTER(Config), ctypes.py_object, ctypes.py_object)),
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
            (
                "acrobat_trace",
                (
                    ctypes.py_object,
                    ctypes.py_object,
                    ctypes.POINTER(RawProfile),
                    ctypes.c_int64,
                ),
            ),
        ):
            function = getattr(self.library, name)
            function.restype = ctypes.py_object
            function.argtypes = arguments
        self._keep: list[object] = []
        self._version = ctypes.c_int64(0)  # of the weights
        config = self._config(weights)
        self._keep.append(config)
        self.handle = self.library.acrobat_new(
            ctypes.byref(config),
            (
                *map(described, layout.datas),
                *((t.cls, t.members) for t in layout.enumerations),
                *((cls, names, True) for cls, names in layout.tuple_classes),
            ),
            tuple(bound(f, layout.module.lookups) for f in layout.host_functions),
        )
        if isinstance(self.handle, tuple):
            raise_fault(*self.handle)

    def _config(self, weights: Mapping[str, np.ndarray]) -> Config:
        # How each array is made; arrays are renewed in place, because the program has pointers.
        self._packings = [*of_kernels(self.layout)]
        self._table_packings = [*of_tables(self.layout, self._in_place)]
        self._packed = packed = [
            packer([weights[name] for name in names], None) for names, packer in self._packings
        ]
        self._tables = tables = [pack(weights, None) for _, pack in self._table_packings]
        return Config(**self._fields(packed, tables, weights))

    def renew(
        self,
        weights: Mapping[str, np.ndarray],
        changed: Set[str],
        pack_all: PackAll | None = None,
    ) -> None:
        """Take over the numbers of the weights that have `changed`; `pack_all` packs them, instead
        of numpy. Must not be called during a call."""
        due = [
            (packer, [weights[name] for name in names], array)
            for (names, packer), array in zip(self._packings, self._packed, strict=True)
            if not changed.isdisjoint(names)
        ]
        (pack_all or _pack_in_turn)(due)
        for n, (names, pack) in enumerate(self._table_packings):
            if not changed.isdisjoint(names):
                # A table that is read in place may lie elsewhere now.
                self._tables[n] = pack(weights, self._tables[n])
                self._table_pointers[n] = self._tables[n].ctypes.data
        for n, name in enumerate(self.layout.arena_weights):
            if name in changed:
                self._in_arena[n] = self._for_arena(weights[name])
                self._arena_pointers[n] = self._in_arena[n].ctypes.data
                self._version.value += 1

    def _for_arena(self, array: np.ndarray) -> np.ndarray:
        """Return the array from which arenas copy a weight, once per version."""
        if self._in_place and array.flags.c_contiguous and array.dtype == np.float32:
            return array
        # A copy, like everything else: the caller's later changes must not reach only a part of it.
        return np.array(array, np.float32, order="C")

    def _fields(
        self,
        packed: list[np.ndarray],
        tables: list[np.ndarray],
        weights: Mapping[str, np.ndarray],
    ) -> dict[str, Any]:
        """Return the fields that are the same for every device."""
        self._in_arena = in_arena = [
            self._for_arena(weights[name]) for name in self.layout.arena_weights
        ]
        self._table_pointers = self._pointers(tables)
        self._arena_pointers = self._pointers(in_arena)
        return {
            "threads": self.options.thread_count,
            "scheduler": self.layout.scheduler,
            "gather_fusion": self.options.gather_fusion,
            "fibers": self.options.fibers,
            "stack_bytes": self.options.stack_mb << 20,
            "packed": self._pointers(packed),
            "tables": self._table_pointers,
            "arena_weights": self._arena_pointers,
            "arena_weight_sizes": self._sizes(in_arena),
            "n_arena_weights": len(in_arena),
            "arena_weight_floats": self.layout.arena_weight_floats,
            "weights_version": ctypes.pointer(self._version),
        }

    # ctypes does not keep what a structure points to if its class has a base with as many fields.

    def _pointers(self, arrays: list[np.ndarray]) -> Any:
        found = (ctypes.c_void_p * max(1, len(arrays)))(*(a.ctypes.data for a in arrays))
        self._keep += [arrays, found]
        return found

    def _sizes(self, arrays: Sequence[np.ndarray]) -> Any:
        found = (ctypes.c_int64 * max(1, len(arrays)))(*(a.size for a in arrays))
        self._keep.append(found)
        return found

    def convert(self, instances: Sequence[Any]) -> Inputs:
        """Convert the instances to the program's own form. Raises an InstanceError with the path
        to a bad field, or a CapacityError if there is no memory for them."""
        require_list(instances)
        start = time.perf_counter()
        items = instances if isinstance(instances, list) else list(instances)
        limit = self.options.memory_mb << 20
        handle = self.library.acrobat_convert(self.handle, items, limit)
        if isinstance(handle, tuple):
            raise_fault(*handle)
        if handle is None:
            explain_misfit(items, self.module.arguments, self.module.datas)
        return Inputs(self.key, (time.perf_counter() - start) * 1e3, handle, len(items))

    def run(self, inputs: Inputs) -> tuple[list[Any], ReadProfile]:
        """Run one mini-batch; return the results in the order of the instances, and a function for
        the profile, which takes longer to make than a small mini-batch's control flow."""
        try:
            raw = self._raw_profile(inputs)
            results = self._run(inputs, raw, count_min_batches=False)
            return results, partial(self.profile, raw, inputs.input_ms, inputs.count)
        except MemoryError as error:
            if isinstance(error, CapacityError):
                raise
        # The objects that Python makes around the call are small, but memory may be short for them.
        raise CapacityError(OUT_OF_MEMORY)

    def trace(self, inputs: Inputs) -> WatchedCall:
        """Run one mini-batch; return what became of each of its nodes."""
        raw = self._raw_profile(inputs)
        results, *arrays = self._checked(
            self.library.acrobat_trace(
                self.handle, inputs.handle, ctypes.byref(raw), self.options.memory_mb << 20
            )
        )
        profile = self.profile(raw, inputs.input_ms, inputs.count)
        return from_bytes(profile, len(results), tuple(arrays))

    def _raw_profile(self, inputs: Inputs) -> RawProfile:
        raw = RawProfile(blocks=(BlockCounts * max(1, len(self.module.blocks)))())
        if self.options.check_finite:
            raw.doubtful = (ctypes.c_uint8 * max(1, inputs.count))()
        return raw

    def profile(self, raw: RawProfile, input_ms: float, count: int) -> Profile:
        """Return the profile that a run of `count` instances has filled in."""
        return Profile(
            input_ms=input_ms,
            graph_ms=raw.graph_ms,
            schedule_ms=raw.schedule_ms,
            copy_ms=raw.copy_ms,
            kernel_ms=raw.kernel_ms,
            n_nodes=raw.n_nodes,
            n_batches=raw.n_batches,
            n_kernel_calls=raw.n_kernel_calls,
            n_syncs=raw.n_syncs,
            peak_mem_mb=raw.peak_bytes / 2**20,
            spare_mb=raw.spare_bytes / 2**20,
            **{
                what: {
                    b.name: n
                    for b, c in zip(self.module.blocks, raw.blocks, strict=False)
                    if (n := getattr(c, what))
                }
                for what in ("nodes", "batches", "alone")
            },
            doubtful=tuple(i for i in range(count) if raw.doubtful[i]) if raw.doubtful else (),
        )

    def count_min_batches(self, inputs: Inputs) -> int:
        """Return a lower bound on the number of batches: the longest dependence chain of every
        block, summed. Runs the mini-batch to get its graph."""
        raw = self._raw_profile(inputs)
        self._run(inputs, raw, count_min_batches=True)
        return int(raw.min_batches)

    def _run(self, inputs: Inputs, raw: RawProfile, count_min_batches: bool) -> list[Any]:
        results: list[Any] = self._checked(
            self.library.acrobat_run(
                self.handle,
                inputs.handle,
                ctypes.byref(raw),
                count_min_batches,
                self.options.memory_mb << 20,
            )
        )
        return results

    def _checked(self, returned: Any) -> Any:
        """Return what the run-time returned; raise it if it is a fault, (kind, message)."""
        if isinstance(returned, tuple) and len(returned) == 2:
            self.raise_fault(*returned)
        return returned

    def raise_fault(self, kind: str, message: str) -> NoReturn:
        """Raise the fault that a call has returned instead of results."""
        if kind == "stack":
            raise too_deep(self.options.stack_mb)
        raise_fault(kind, message)


def _pack_in_turn(due: Sequence[tuple[Packer, Sequence[np.ndarray], np.ndarray]]) -> None:
    for packer, arrays, out in due:
        packer(arrays, out)
