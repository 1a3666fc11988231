"""Kernels compiled into this process by TVM's own compiler and called from Python: the same
specifications and the same generator as the ahead-of-time executor's, no g++."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..ir import batched as B
from ..kernels.printers.cpu.build import load_kernels
from ..kernels.printers.cpu.pack import aligned, pack_vectors, pack_weights
from ..kernels.specification.spec import BlockPlan, KernelSpec
from .graph import Batch


class Kernels:
    """The kernels of a module's blocks, with their packed weights."""

    def __init__(
        self,
        module: B.Module,
        plans: Sequence[BlockPlan],
        weights: Mapping[str, np.ndarray],
    ) -> None:
        self.module, self.plans = module, plans
        specs = [k for p in plans for k in p.kernels]
        self.compiled, self.functions = load_kernels(specs)
        self.packed: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        for plan in plans:
            for spec, names, vectors in zip(plan.kernels, plan.weights, plan.vectors, strict=True):
                self.packed[spec.name] = (
                    pack_weights(spec, [weights[n] for n in names]),
                    pack_vectors(spec, [weights[n] for n in vectors]),
                )
        self.tables = {
            t.param: _padded(weights[t.param]) for b in module.blocks for t in b.table_rows
        }

    def run(self, batch: Batch, memory: np.ndarray) -> int:
        """Compute one batch, on the calling thread; the number of kernels that ran."""
        plan, block = self.plans[batch.block], self.module.blocks[batch.block]
        scratch = aligned(batch.n * plan.scratch + 16)
        for q, spec in enumerate(plan.kernels):
            operands: list[Any] = []
            for kind, number, start in plan.rows[q]:
                base = memory if kind == "row" else self.tables[block.table_rows[number].param]
                offsets = batch.offsets[number + (len(block.rows) if kind == "table" else 0)]
                operands += [_pointer(base, start), _pointer(offsets)]
            self._kernel(spec, batch, memory, scratch, operands)
        return len(plan.kernels)

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
    copy = aligned(array.size + 16)
    copy[: array.size] = array.ravel()
    return copy
