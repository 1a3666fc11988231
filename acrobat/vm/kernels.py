"""Kernels that TVM's own compiler compiles into this process, called from Python: from the same
specifications and the same generator as in the ahead-of-time executor, without g++."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ..kernels.printers.calling_convention import CompiledKernel
from ..kernels.printers.cpu.build import load_kernels
from ..kernels.printers.cpu.pack import (
    aligned,
    pack_table,
    pack_vectors,
    pack_weights,
    packed_operands,
)
from ..kernels.specification.spec import KernelSpec
from ..layout import KernelLayout, Layout
from ..limits import ALIGN
from .graph import Batch


class BatchRunner(Protocol):
    """Computes batches for the interpreter. `compiled`: its compiled kernels by name, if any."""

    compiled: Mapping[str, CompiledKernel]

    def run(self, batch: Batch, memory: np.ndarray) -> int:
        """Compute one batch and return the number of kernels that ran."""


class Kernels:
    """The kernels of a module's blocks, with their packed weights."""

    def __init__(self, layout: Layout, weights: Mapping[str, np.ndarray]) -> None:
        self.layout = layout
        self.compiled: Mapping[str, CompiledKernel]
        self.compiled, self.functions = load_kernels(
            [k.spec for k in layout.kernels], layout.schedules
        )
        self.packed = {
            k.spec.name: (
                pack_weights(k.spec, [weights[n] for n in k.weights], k.schedule),
                pack_vectors(k.spec, [weights[n] for n in k.vectors], k.schedule),
            )
            for k in layout.kernels
        }
        self.tables = [_padded(weights[n]) for n in layout.tables]
        # The tables that a kernel reads in packed form, by the kernel's name and the operand.
        self.matrices = {
            (k.spec.name, operand): pack_table(
                k.spec,
                operand,
                weights[layout.tables[k.sources[k.spec.indexed.index(operand)].table]],
                k.schedule,
            )
            for k in layout.kernels
            for operand in packed_operands(k.spec)
        }

    def run(self, batch: Batch, memory: np.ndarray) -> int:
        """Compute one batch on the calling thread; return the number of kernels that ran."""
        block = self.layout.blocks[batch.block]
        scratch = aligned(batch.n * block.plan.scratch + ALIGN)
        for kernel in block.kernels:
            operands: list[Any] = []
            for source in kernel.sources:
                base = memory if source.table < 0 else self.tables[source.table]
                operands += [
                    _pointer(base, source.start),
                    _pointer(batch.offsets[source.argument]),
                ]
            for first, last in self._clusters(kernel, batch, operands):
                rows = first * kernel.spec.rows, last * kernel.spec.rows
                self._kernel(kernel.spec, rows, batch, memory, scratch, operands)
        return len(block.kernels)

    def _clusters(
        self, kernel: KernelLayout, batch: Batch, operands: list[Any]
    ) -> Iterator[tuple[int, int]]:
        """Yield ranges of nodes that chose the same matrices, once `operands` point to these."""
        spec, chosen = kernel.spec, self.compiled[kernel.spec.name].chosen
        choices = [batch.offsets[kernel.sources[c.indexed].argument] for c in chosen]
        first = 0
        for last in range(1, batch.n + 1):
            if last < batch.n and all(c[last] == c[first] for c in choices):
                continue
            for c, choice in zip(chosen, choices, strict=True):
                source = kernel.sources[c.indexed]
                base = self.tables[source.table]
                if c.packed:
                    base = self.matrices[spec.name, spec.indexed[c.indexed]]
                operands[2 * c.indexed] = _pointer(base, int(choice[first]) // c.width * c.floats)
            yield first, last
            first = last

    def _kernel(
        self,
        spec: KernelSpec,
        rows: tuple[int, int],
        batch: Batch,
        memory: np.ndarray,
        scratch: np.ndarray,
        operands: Sequence[Any],
    ) -> None:
        """Run the kernel `spec` for the rows from `rows[0]` up to, not including, `rows[1]`."""
        compiled = self.compiled[spec.name]
        weights, vectors = self.packed[spec.name]
        shared = [_pointer(weights), _pointer(vectors)]
        for column in range(compiled.column_blocks):
            row, last = rows
            for height, tiles in compiled.plan(last - row):
                self.functions[compiled.symbol(height)](
                    _pointer(memory, batch.record),
                    _pointer(scratch),
                    row,
                    tiles,
                    column,
                    *shared,
                    *operands,
                )
                row += height * tiles


def _pointer(array: np.ndarray, floats: int = 0) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data + floats * 4)


def _padded(array: np.ndarray) -> np.ndarray:
    copy = aligned(array.size + ALIGN)
    copy[: array.size] = array.ravel()
    return copy
