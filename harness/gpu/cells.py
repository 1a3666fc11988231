"""Recurrent cells of workloads as kernels to be timed in isolation: their specifications, and
arguments laid out in memory like those of a mini-batch."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import acrobat as ab
import workloads
from acrobat.kernels.printers.cuda.compiled import CudaKernel
from acrobat.kernels.specification.spec import KernelSpec
from acrobat.pipeline import run_pipeline
from workloads.data.source import TreeSource

from .driver import Driver

_CELLS = ("treelstm", "birnn")


@functools.cache
def cell_kernels() -> Mapping[str, Sequence[KernelSpec]]:
    """The contractions of the workloads at `small`."""
    found: dict[str, Sequence[KernelSpec]] = {}
    for name in _CELLS:
        made = workloads.get(name)
        model: Any = made.model
        params = made.make_params("small", 0, TreeSource(None))
        plans = run_pipeline(model, params, ab.Options()).plans
        found[name] = [k for p in plans for k in p.kernels if k.gates]
    return found


def arguments_of(
    driver: Driver, spec: KernelSpec, kernel: CudaKernel, nodes: int
) -> list[ctypes._SimpleCData[int]]:
    """The parameters of a kernel over `nodes` nodes, in the order of
    kernels/printers/cuda/compiled.py: random weights, and operands that lie in memory in a
    different order than their nodes."""
    rng = np.random.default_rng(nodes)

    def floats(n: int) -> ctypes.c_uint64:
        return ctypes.c_uint64(driver.place(rng.uniform(-1, 1, max(4, n)).astype(np.float32)))

    found: list[ctypes._SimpleCData[int]] = [
        floats(nodes * spec.record), floats(nodes * spec.scratch),
        ctypes.c_int32(nodes * spec.rows),
        floats(kernel.weight_floats), floats(kernel.vector_floats),
    ]  # fmt: skip
    for n in spec.indexed:
        width = spec.operands[n].width
        where = (rng.permutation(nodes) * width).astype(np.int32)
        found += [floats(nodes * width), ctypes.c_uint64(driver.place(where))]
    return [*found, ctypes.c_uint64(0), ctypes.c_uint64(0)]
