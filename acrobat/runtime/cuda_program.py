"""A compiled program on a GPU: its kernels' machine code, and its weights as they read them."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

from ..aot.tables import table_weights
from ..errors import CapacityError
from ..ir import batched as B
from ..kernels.printers.cuda.compiled import CudaKernel, CudaKernels
from ..kernels.printers.cuda.packing import pack_vectors, pack_weights
from ..kernels.specification.spec import BlockPlan
from ..options import Options
from .device_array import DeviceMemory
from .gpu import Gpu
from .program import Config, Fields, Program


class _Variant(ctypes.Structure):
    _fields_ = (
        ("cubin", ctypes.c_char_p),
        ("symbol", ctypes.c_char_p),
        ("least_rows", ctypes.c_int),
        ("tile_rows", ctypes.c_int),
        ("column_blocks", ctypes.c_int),
        ("warps", ctypes.c_int),
        ("shared", ctypes.c_int),
        ("kind", ctypes.c_int),
    )


class _Walker(ctypes.Structure):
    _fields_ = (
        ("cubin", ctypes.c_char_p),
        ("symbol", ctypes.c_char_p),
        ("warps", ctypes.c_int),
        ("shared", ctypes.c_int),
    )


class _Kernel(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("variants", ctypes.POINTER(_Variant)),
        ("n", ctypes.c_int),
    )


class _CudaConfig(Config):
    """`acrobat::cuda::Config` (cuda/kernels.h)."""

    _fields_: ClassVar[Fields] = (
        ("gpu", ctypes.c_int),
        ("n_kernels", ctypes.c_int),
        ("n_tables", ctypes.c_int),
        ("kernels", ctypes.POINTER(_Kernel)),
        ("walker", ctypes.POINTER(_Walker)),
        ("packed_floats", ctypes.POINTER(ctypes.c_int64)),
        ("table_floats", ctypes.POINTER(ctypes.c_int64)),
        ("memory", ctypes.py_object),
    )


class CudaProgram(Program):
    """Safe to call from several threads: each call has its own graph, stream and arena. Tensors of
    results are `DeviceArray`s."""

    def __init__(
        self,
        library: Path,
        module: B.Module,
        plans: Sequence[BlockPlan],
        weights: Mapping[str, np.ndarray],
        options: Options,
        kernels: CudaKernels,
        gpu: Gpu,
    ) -> None:
        self.kernels, self.gpu = kernels, gpu
        super().__init__(library, module, plans, weights, options)

    def _config(self, plans: Sequence[BlockPlan], weights: Mapping[str, np.ndarray]) -> Config:
        packed: list[np.ndarray] = []
        for plan in plans:
            for spec, names, vectors in zip(plan.kernels, plan.weights, plan.vectors, strict=True):
                packed.append(pack_weights(spec, [weights[n] for n in names]))
                packed.append(pack_vectors(spec, [weights[n] for n in vectors]))
        tables = [_table(n, weights[n]) for n in table_weights(self.module)]
        codes = [_code(self.kernels.kernels[k.name]) for p in plans for k in p.kernels]
        for name, result, arguments in (
            ("acrobat_host", ctypes.py_object, (ctypes.py_object,)),
            ("acrobat_note_export", None, (ctypes.py_object,)),
            (
                "acrobat_dlpack",
                ctypes.py_object,
                (ctypes.py_object, ctypes.c_uint64, ctypes.py_object, ctypes.c_int),
            ),
        ):
            function = getattr(self._library, name)
            function.restype, function.argtypes = result, arguments
        kernels = (_Kernel * max(1, len(codes)))(*codes)
        memory = functools.partial(DeviceMemory, self._library, self.gpu.ordinal)
        w = self.kernels.persistent
        walker = w and _Walker(os.fsencode(w.cubin), w.symbol.encode(), w.warps, w.shared)
        self._keep += [kernels, memory, walker]
        return _CudaConfig(
            **self._fields(packed, tables, weights),
            gpu=self.gpu.ordinal,
            n_kernels=len(codes),
            n_tables=len(tables),
            kernels=kernels,
            walker=ctypes.pointer(walker) if walker else None,
            packed_floats=self._sizes(packed),
            table_floats=self._sizes(tables),
            memory=memory,
        )


def _code(kernel: CudaKernel) -> _Kernel:
    variants = [
        _Variant(
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
    return _Kernel(kernel.name.encode(), (_Variant * len(variants))(*variants), len(variants))


def _table(name: str, array: np.ndarray) -> np.ndarray:
    if array.size >= 2**31:
        raise CapacityError(
            f"{name} has {array.size} elements; a weight that is read by row may have 2^31"
        )
    return np.ascontiguousarray(array)
