"""Launch cubins on a GPU by the CUDA driver API, with PyTorch's memory and context."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence

import numpy as np
import torch

from acrobat.kernels.printers.cuda.build import build_cuda_kernels
from acrobat.kernels.printers.cuda.compiled import CudaVariant
from acrobat.kernels.printers.cuda.tile import Precision, Tile
from acrobat.kernels.specification.spec import KernelSpec

_MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


def arch() -> int:
    """The compute capability of the GPU, as in sm_90."""
    major, minor = torch.cuda.get_device_capability()
    return 10 * major + minor


def on_gpu(
    spec: KernelSpec,
    tile: Tile,
    precision: Precision,
    grid: tuple[int, int],
    args: Sequence[np.ndarray | int],
) -> list[np.ndarray]:
    """The arrays among `args` after the variant with `tile` ran on them."""
    variants = build_cuda_kernels([spec], arch(), precision).kernels[spec.name].variants
    [variant] = [v for v in variants if v.tile_rows == tile.rows]
    tensors = [torch.tensor(a, device="cuda") if isinstance(a, np.ndarray) else a for a in args]
    values = [
        ctypes.c_int32(t) if isinstance(t, int) else ctypes.c_void_p(t.data_ptr()) for t in tensors
    ]
    values += [ctypes.c_void_p(0), ctypes.c_void_p(0)]
    pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(v) for v in values))
    torch.cuda.synchronize()
    threads = (32 * variant.warps, 1, 1)
    launch = (*grid, 1, *threads, variant.shared, None, pointers, None)
    _check(_driver().cuLaunchKernel(_function(variant), *launch))
    torch.cuda.synchronize()
    return [t.cpu().numpy() for t in tensors if not isinstance(t, int)]


@functools.cache
def _driver() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")


@functools.cache
def _function(variant: CudaVariant) -> ctypes.c_void_p:
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    _check(_driver().cuModuleLoadData(ctypes.byref(module), variant.cubin.read_bytes()))
    name = variant.symbol.encode()
    _check(_driver().cuModuleGetFunction(ctypes.byref(function), module, name))
    _check(_driver().cuFuncSetAttribute(function, _MAX_DYNAMIC_SHARED, variant.shared))
    return function


def _check(status: int) -> None:
    assert status == 0, f"CUDA driver error {status}"
