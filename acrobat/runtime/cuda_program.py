"""A compiled program on a GPU: its kernels' machine code, and the weights as these read them."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import numpy as np

from ..kernels.printers.cuda.compiled import CudaKernel, CudaKernels
from ..kernels.printers.cuda.packing import pack_vectors, pack_weights
from ..layout import Layout
from ..options import Options
from .device_array import DeviceMemory
from .gpu import Gpu
from .packings import check_table
from .program import Program
from .structures import Config, CudaConfig, KernelCode, PersistentKernelCode, VariantCode


class CudaProgram(Program):
    """A compiled program on a GPU. Safe to call from several threads: each call has its own graph,
    stream and arena. Tensors of results are `DeviceArray`s."""

    structures = MappingProxyType(
        {
            "Config": CudaConfig,
            "VariantCode": VariantCode,
            "KernelCode": KernelCode,
            "PersistentKernelCode": PersistentKernelCode,
        }
    )

    def __init__(
        self,
        library: Path,
        layout: Layout,
        weights: Mapping[str, np.ndarray],
        options: Options,
        kernels: CudaKernels,
        gpu: Gpu,
    ) -> None:
        self.kernels, self.gpu = kernels, gpu
        super().__init__(library, layout, weights, options)

    def _config(self, weights: Mapping[str, np.ndarray]) -> Config:
        packed: list[np.ndarray] = []
        for k in self.layout.kernels:
            packed.append(pack_weights(k.spec, [weights[n] for n in k.weights]))
            packed.append(pack_vectors(k.spec, [weights[n] for n in k.vectors]))
        tables = [_table(n, weights[n]) for n in self.layout.tables]
        codes = [_code(self.kernels.kernels[k.spec.name]) for k in self.layout.kernels]
        for name, result, arguments in (
            ("acrobat_host", ctypes.py_object, (ctypes.py_object,)),
            ("acrobat_note_export", None, (ctypes.py_object,)),
            (
                "acrobat_dlpack",
                ctypes.py_object,
                (ctypes.py_object, ctypes.c_uint64, ctypes.py_object, ctypes.c_int),
            ),
        ):
            function = getattr(self.library, name)
            function.restype, function.argtypes = result, arguments
        kernels = (KernelCode * max(1, len(codes)))(*codes)
        memory = functools.partial(DeviceMemory, self.library, self.gpu.ordinal)
        w = self.kernels.persistent
        code = w and PersistentKernelCode(
            os.fsencode(w.cubin), w.symbol.encode(), w.warps, w.shared
        )
        self._keep += [kernels, memory, code]
        return CudaConfig(
            **self._fields(packed, tables, weights),
            gpu=self.gpu.ordinal,
            n_kernels=len(codes),
            n_tables=len(tables),
            kernels=kernels,
            persistent_kernel=ctypes.pointer(code) if code else None,
            packed_floats=self._sizes(packed),
            table_floats=self._sizes(tables),
            memory=memory,
        )


def _code(kernel: CudaKernel) -> KernelCode:
    variants = [
        VariantCode(
            os.fsencode(v.cubin),
            v.symbol.encode(),
            v.least_rows,
            v.tile_rows,
            v.column_blocks,
            v.warps,
            v.shared,
            v.kind,
        )
        for v in kernel.variants
    ]
    return KernelCode(kernel.name.encode(), (VariantCode * len(variants))(*variants), len(variants))


def _table(name: str, array: np.ndarray) -> np.ndarray:
    check_table(name, array)
    return np.ascontiguousarray(array)
