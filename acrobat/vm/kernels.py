"""Kernels compiled into this process by TVM's own compiler and called from Python: the same
specifications and the same generator as the ahead-of-time executor's, no g++."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..kernels.printers.cpu.build import load_kernels
from ..kernels.printers.cpu.pack import aligned, pack_vectors, pack_weights
from ..kernels.specification.spec import KernelSpec
from ..layout import Layout
from ..limits import ALIGN
from .graph import Batch


class Kernels:
    """The kernels of a module's blocks, with their packed weights."""

    def __init__(self, layout: Layout, weights: Mapping[str, np.ndarray]) -> None:
        self.layout = layout
        self.compiled, self.functions = load_kernels([k.spec for k in layout.kernels])
        self.packed = {
            k.spec.name: (
                pack_weights(k.spec, [weights[n] for n in k.weights]),
                pack_vectors(k.spec, [weights[n] for n in k.vectors]),
            )
            for k in layout.kernels
        }
        self.tables = [_padded(weights[n]) for n in layout.tables]

    def run(self, batch: Batch, memory: np.ndarray) -> int:
        """Compute one batch, on the calling thread; the number of kernels that ran."""
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
            self._kernel(kernel.spec, batch, memory, scratch, operands)
        return len(block.kernels)

    def _kernel(
        self,
        spec: KernelSpec,
        batch: Batch,
        memory: np.ndarray,
        scratch: np.ndarray,
        operands: Sequence[Any],
    ) -> None:
        compiled = self.compiled[spec.name]
        weights, vectors = self.packed[spec.name]
        shared = [_pointer(weights), _pointer(vectors)]
        for column in range(compiled.column_blocks):
            row = 0
            for height, tiles in compiled.plan(batch.n * spec.rows):
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
