"""Kernels of the interpreter that `kernels.specification.reference` evaluates: nothing is
generated or compiled."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..kernels.printers.calling_convention import CompiledKernel
from ..kernels.specification.reference import run_reference
from ..kernels.specification.spec import BlockPlan, KernelSpec
from ..layout import Layout
from .graph import Batch


class ReferenceKernels:
    """Has the interface of `acrobat.vm.kernels.Kernels`."""

    def __init__(self, layout: Layout, weights: Mapping[str, np.ndarray]) -> None:
        self.layout, self.weights = layout, weights
        self.compiled: Mapping[str, CompiledKernel] = {}

    def run(self, batch: Batch, memory: np.ndarray) -> int:
        """Compute one batch and return the number of kernels that ran."""
        plan = self.layout.blocks[batch.block].plan
        records = memory[batch.record :][: batch.n * plan.record].reshape(batch.n, plan.record)
        scratch = np.zeros((batch.n, plan.scratch), np.float32)
        with np.errstate(all="ignore"):  # compiled kernels do not warn either
            for q, spec in enumerate(plan.kernels):
                self._kernel(plan, q, spec, batch, memory, records, scratch)
        return len(plan.kernels)

    def _kernel(
        self,
        plan: BlockPlan,
        q: int,
        spec: KernelSpec,
        batch: Batch,
        memory: np.ndarray,
        records: np.ndarray,
        scratch: np.ndarray,
    ) -> None:
        block = self.layout.blocks[batch.block].block
        offsets: dict[int, np.ndarray] = {}
        tables: dict[int, np.ndarray] = {}
        for i, (kind, number, start) in zip(spec.indexed, plan.operands[q], strict=True):
            argument = number + (len(block.gathered) if kind == "gathered_row" else 0)
            offsets[i] = batch.offsets[argument].astype(np.int64) + start
            if kind == "gathered_row":
                tables[i] = self.weights[block.gathered_rows[number].param]
        weights = [self.weights[n] for n in plan.weights[q]]
        vectors = [self.weights[n] for n in plan.vectors[q]]
        run_reference(spec, memory, offsets, tables, weights, vectors, records, scratch)
