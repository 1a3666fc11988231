"""The structures that Python and the run-time library share, as ctypes sees them. `abi.py` compares
their sizes with those in C++."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final

import numpy as np

Fields = tuple[tuple[str, Any], ...]


class Config(ctypes.Structure):
    """The configuration that a program is created with: `acrobat::Config` (config.h)."""

    _fields_: ClassVar[Fields] = (
        ("threads", ctypes.c_int),
        ("scheduler", ctypes.c_int),
        ("gather_fusion", ctypes.c_int),
        ("fibers", ctypes.c_int),
        ("stack_bytes", ctypes.c_int64),
        ("packed", ctypes.POINTER(ctypes.c_void_p)),
        ("tables", ctypes.POINTER(ctypes.c_void_p)),
        ("arena_weights", ctypes.POINTER(ctypes.c_void_p)),
        ("arena_weight_sizes", ctypes.POINTER(ctypes.c_int64)),
        ("n_arena_weights", ctypes.c_int),
        ("arena_weight_floats", ctypes.c_int64),
        ("weights_version", ctypes.POINTER(ctypes.c_int64)),
    )


class BlockCounts(ctypes.Structure):
    """The counts of a static block in one call: `acrobat::BlockCounts` (profile.h)."""

    _fields_: ClassVar[Fields] = (
        ("nodes", ctypes.c_int64),
        ("batches", ctypes.c_int64),
        ("alone", ctypes.c_int64),
    )


class RawProfile(ctypes.Structure):
    """What a call did: `acrobat::Profile` (profile.h)."""

    _fields_: ClassVar[Fields] = (
        ("graph_ms", ctypes.c_double),
        ("schedule_ms", ctypes.c_double),
        ("copy_ms", ctypes.c_double),
        ("kernel_ms", ctypes.c_double),
        ("n_nodes", ctypes.c_int64),
        ("n_batches", ctypes.c_int64),
        ("n_kernel_calls", ctypes.c_int64),
        ("min_batches", ctypes.c_int64),
        ("n_syncs", ctypes.c_int64),
        ("peak_bytes", ctypes.c_int64),
        ("spare_bytes", ctypes.c_int64),
        ("blocks", ctypes.POINTER(BlockCounts)),
        ("doubtful", ctypes.POINTER(ctypes.c_uint8)),
    )


class VariantCode(ctypes.Structure):
    """A variant of a GPU kernel: `acrobat::cuda::VariantCode` (cuda/kernels.h)."""

    _fields_: ClassVar[Fields] = (
        ("cubin", ctypes.c_char_p),
        ("symbol", ctypes.c_char_p),
        ("least_rows", ctypes.c_int),
        ("tile_rows", ctypes.c_int),
        ("column_blocks", ctypes.c_int),
        ("warps", ctypes.c_int),
        ("shared", ctypes.c_int),
        ("kind", ctypes.c_int),
    )


class KernelCode(ctypes.Structure):
    """A GPU kernel with its variants: `acrobat::cuda::KernelCode`."""

    _fields_: ClassVar[Fields] = (
        ("name", ctypes.c_char_p),
        ("variants", ctypes.POINTER(VariantCode)),
        ("n", ctypes.c_int),
    )


class PersistentKernelCode(ctypes.Structure):
    """The kernel that runs whole schedules: `acrobat::cuda::PersistentKernelCode`."""

    _fields_: ClassVar[Fields] = (
        ("cubin", ctypes.c_char_p),
        ("symbol", ctypes.c_char_p),
        ("warps", ctypes.c_int),
        ("shared", ctypes.c_int),
    )


class CudaConfig(Config):
    """The configuration of a program on a GPU: `acrobat::cuda::Config` (cuda/kernels.h)."""

    _fields_: ClassVar[Fields] = (
        ("gpu", ctypes.c_int),
        ("n_kernels", ctypes.c_int),
        ("n_tables", ctypes.c_int),
        ("kernels", ctypes.POINTER(KernelCode)),
        ("persistent_kernel", ctypes.POINTER(PersistentKernelCode)),
        ("packed_floats", ctypes.POINTER(ctypes.c_int64)),
        ("table_floats", ctypes.POINTER(ctypes.c_int64)),
        ("memory", ctypes.py_object),
    )


# The arrays of `acrobat::Trace` (schedule/trace.h), by the names of their item types there.
TRACE: Final[Mapping[str, np.dtype[np.void]]] = MappingProxyType(
    {
        "Trace::NodeOf": np.dtype([("instance", "i4"), ("batch", "i4")]),
        "Trace::BatchOf": np.dtype(
            [
                ("n", "i8"),
                ("block", "i4"),
                ("computation", "i4"),
                ("phase", "u4"),
                ("depth", "u4"),
            ]
        ),
        "Trace::Span": np.dtype(
            [
                ("begin", "i8"),
                ("end", "i8"),
                ("thread", "i4"),
                ("batch", "i4"),
                ("activity", "i4"),
                ("nodes", "i4"),
            ]
        ),
        "Trace::Wait": np.dtype([("instance", "i4"), ("computation", "i4")]),
    }
)
