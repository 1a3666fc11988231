"""Training with a compiled program: the runtime runs the forward pass and the backward pass."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any

import numpy as np

from ..options import Options
from ..runtime.faults import raise_fault
from ..runtime.profile import Profile
from ..runtime.program import Inputs, Program
from ..runtime.structures import BlockCounts, RawProfile
from ..runtime.watched_call import WatchedCall, from_bytes
from .interpreted import Seeds
from .nodes import BlockNodes, Finished, Touched
from .packing import NativePacking
from .plan import TrainingPlan
from .row_sums import NativeRowSums
from .tables import ArenaWeight, BackwardOut, NodesOut, Tables, WeightOut, tables
from .weights import Collected, collect, matrix_of

_NOTHING = np.zeros(0, np.float32)


class NativeTraining:
    """A program whose library contains blocks and adjoints."""

    def __init__(
        self,
        library: Path,
        plan: TrainingPlan,
        weights: Mapping[str, np.ndarray],
        options: Options,
        tables_in_place: bool,
        constants: Set[str],
    ) -> None:
        self.plan, self.weights, self._in_place = plan, weights, tables_in_place
        self.constants = constants  # weights that have no gradient
        self.program = Program(library, plan.layout, weights, options, tables_in_place)
        # The weights whose rows are operands of products.
        self._read = {
            block.adjoint.forward.gathered_rows[rows.source.number].param
            for block in plan.blocks
            for product in block.adjoint.products
            for rows in (product.left, product.right)
            if rows.source.place == "row"
        }
        self.tables = self._made_tables()
        self._pack = NativePacking(self.program)
        self.row_sums = NativeRowSums(self.program.library)
        for name, arguments in (
            (
                "acrobat_keep",
                (
                    ctypes.py_object,
                    ctypes.py_object,
                    ctypes.c_void_p,
                    ctypes.c_int,
                    ctypes.c_int64,
                ),
            ),
            ("acrobat_trace_kept", (ctypes.py_object,)),
            (
                "acrobat_pull_back",
                (
                    ctypes.py_object,
                    ctypes.c_void_p,
                    ctypes.c_int,
                    *([ctypes.c_void_p] * 3),
                    ctypes.c_int64,
                    ctypes.c_void_p,
                    ctypes.c_int64,
                ),
            ),
        ):
            function = getattr(self.program.library, name)
            function.restype, function.argtypes = ctypes.py_object, arguments

    def renew(self, weights: Mapping[str, np.ndarray], changed: Set[str]) -> None:
        """Load the values of the weights that have `changed`."""
        self.program.renew(weights, changed, self._pack)
        before, self.weights = self.weights, weights
        if not self._in_place or any(weights[n] is not before[n] for n in self._read):
            self.tables = self._made_tables()

    def _made_tables(self) -> Tables:
        """The tables, with copies of the weights whose rows products read unless these are read in
        place."""
        if self._in_place:
            return tables(self.plan, self.weights)
        return tables(
            self.plan, {**self.weights, **{n: self.weights[n].copy() for n in self._read}}
        )

    def forward(self, inputs: Inputs, watched: bool = False) -> NativeCall:
        """Run a mini-batch forward; if it is `watched`, it has a trace after the backward pass."""
        blocks = self.plan.layout.module.blocks
        counts = (BlockCounts * max(1, len(blocks)))()
        raw = RawProfile(blocks=counts)
        options = self.program.options
        made: tuple[Any, ...] = self.program.library.acrobat_keep(
            self.program.handle, inputs.handle, ctypes.byref(raw), watched, options.memory_mb << 20
        )
        if len(made) == 2:
            self.program.raise_fault(*made)
        results, counts, handle = made
        return NativeCall(
            self, results, counts, handle, self.program.profile(raw, inputs.input_ms, inputs.count)
        )


class NativeCall:
    """A mini-batch after its forward pass: its results, and the number of tensors in each."""

    def __init__(
        self,
        training: NativeTraining,
        results: list[Any],
        counts: list[int],
        handle: object,
        profile: Profile,
    ) -> None:
        self.training, self.results, self.counts = training, results, counts
        self.profile = profile
        self._handle = handle

    def pull_back(self, seeds: Seeds) -> Collected:
        """The gradients of all weights that the blocks read."""
        training = self.training
        given = [g for of in seeds for g in of]
        sizes = (ctypes.c_int64 * max(1, len(given)))(*(0 if g is None else g.size for g in given))
        # One array: asking each array for its address takes longer than copying them all.
        flat = np.concatenate([_NOTHING, *(g.ravel() for g in given if g is not None)])
        found = Collected(training.weights, row_sums=training.row_sums)
        outs = [found.unwritten(path) for path in training.tables.weights]
        places = (WeightOut * max(1, len(outs)))(*(WeightOut(a.ctypes.data, a.size) for a in outs))
        nodes = (NodesOut * max(1, len(training.plan.blocks)))()
        layout = training.plan.layout
        arena = [
            ArenaWeight(at=at, width=width, rows=rows, constant=path in training.constants)
            for path, at in layout.arena_weights.items()
            for rows, width in (matrix_of(training.weights[path]),)
        ]
        held = (ArenaWeight * max(1, len(arena)))(*arena)
        out = BackwardOut(blocks=nodes, weights=held, n_weights=len(arena))
        fault = training.program.library.acrobat_pull_back(
            self._handle,
            ctypes.addressof(training.tables.blocks),
            len(training.plan.blocks),
            flat.ctypes.data,
            ctypes.addressof(sizes),
            ctypes.addressof(places),
            len(outs),
            ctypes.addressof(out),
            training.program.options.memory_mb << 20,
        )
        if fault is not None:
            raise_fault(*fault)
        self.backward = out.nodes, out.batches, out.walk_ms, out.products_ms
        memory = _array_at(out.arena, out.floats, "<f4")
        # Only the rows that numbers of the instances selected are still to be collected.
        blocks = tuple(
            _nodes(
                nodes[b],
                len(block.adjoint.forward.gathered) + len(block.adjoint.forward.gathered_rows),
                len(block.own),
            )
            if block.adjoint.chosen
            else None
            for b, block in enumerate(training.plan.blocks)
        )
        touched = {
            path: Touched(_array_at(w.touched, w.n_touched, "<i8"), bool(w.whole))
            for path, w in zip(layout.arena_weights, held, strict=False)
            if w.n_touched
        }
        finished = Finished(memory, out.shift, blocks, touched)
        collect(training.plan, finished, found, shared=False)
        return found

    def trace(self) -> WatchedCall:
        """The trace of a call, forward and backward."""
        arrays = self.training.program.library.acrobat_trace_kept(self._handle)
        return from_bytes(self.profile, len(self.results), tuple(arrays))


class _Memory:
    """Memory that numpy can view as an array without ctypes making a type for every length."""

    def __init__(self, at: int, count: int, kind: str) -> None:
        self.__array_interface__ = {
            "version": 3,
            "data": (at, False),
            "shape": (count,),
            "typestr": kind,
        }


def _array_at(at: int, count: int, kind: str) -> np.ndarray:
    return np.asarray(_Memory(at, count, kind))


def _nodes(of: NodesOut, arguments: int, outputs: int) -> BlockNodes | None:
    if of.n == 0:
        return None

    def array(pointer: Any) -> np.ndarray:
        return np.ctypeslib.as_array(pointer, (of.n,))

    return BlockNodes(
        array(of.records),
        array(of.adjoints),
        tuple(array(of.arguments[a]) for a in range(arguments)),
        tuple(array(of.gradients[o]) for o in range(outputs)),
    )
