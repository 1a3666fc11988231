"""Results that stay on the GPU.

A `DeviceArray` is a float32 tensor in the memory of the mini-batch that made it, and keeps that
memory from being used by later calls. It is complete when the call returns: there is no stream to
wait for. Other libraries read it in place (`torch.from_dlpack(x)`, `cupy.asarray(x)`); on the host
it is available as `x.numpy()`, or through numpy's functions. The first tensor that is requested on
the host brings all results of its mini-batch there, in one transfer.

Results may share memory with each other and with weights: treat them as read-only.
"""

from __future__ import annotations

import ctypes
import math
import threading
from typing import Any

import numpy as np

from .faults import raise_fault

_CPU, _CUDA = 1, 2  # DLPack's kinds of devices


class DeviceMemory:
    """The memory of one mini-batch's results. Safe to use from several threads."""

    __slots__ = ("_capsule", "_host", "_library", "_lock", "ordinal")

    def __init__(self, library: ctypes.PyDLL, ordinal: int, capsule: object) -> None:
        self._library, self.ordinal, self._capsule = library, ordinal, capsule
        self._host: np.ndarray | None = None
        self._lock = threading.Lock()

    def tensor(self, start: int, address: int, shape: tuple[int, ...]) -> DeviceArray:
        """Return the tensor at an address, which lies `start` floats into `host()`."""
        return DeviceArray(self, start, address, shape)

    def host(self) -> np.ndarray:
        """Return all tensors on the host, one after the other; copied once. Raises a CapacityError
        or DeviceError if they cannot be copied."""
        with self._lock:
            if self._host is None:
                host = self._library.acrobat_host(self._capsule)
                if isinstance(host, tuple):
                    raise_fault(*host)
                self._host = host
            return self._host

    def note_export(self) -> None:
        """Note that from now on others may use the memory without our knowledge."""
        self._library.acrobat_note_export(self._capsule)

    def capsule(self, address: int, shape: tuple[int, ...], versioned: bool) -> object:
        """Return a tensor as a DLPack capsule, which keeps the memory alive."""
        return self._library.acrobat_dlpack(self._capsule, address, shape, versioned)


class DeviceArray:
    """A float32 tensor on a GPU."""

    __slots__ = ("_address", "_memory", "_start", "shape")
    dtype = np.dtype(np.float32)

    def __init__(
        self, memory: DeviceMemory, start: int, address: int, shape: tuple[int, ...]
    ) -> None:
        self._memory, self._start, self._address, self.shape = memory, start, address, shape

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def numpy(self) -> np.ndarray:
        """Return the tensor on the host, as it was when a result of its mini-batch was first
        requested there."""
        return self._memory.host()[self._start : self._start + self.size].reshape(self.shape)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy as a numpy array: the memory on the GPU belongs to this process."""
        return np.array, (self.numpy(),)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("a tensor on a GPU becomes a numpy array by a copy only")
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CUDA, self._memory.ordinal

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        """Return a capsule with the tensor in place. No `stream` has to wait: the tensor is
        complete. Work of others on their streams is waited for before the memory is reused."""
        if stream == 0:
            raise ValueError("stream 0 has two meanings: 1 is the default stream, 2 a thread's own")
        if dl_device is not None and dl_device[0] == _CPU:
            host = self.numpy() if copy is not True else self.numpy().copy()
            return host.__dlpack__(max_version=max_version)
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(
                f"the tensor is on GPU {self._memory.ordinal}; it cannot be had on {dl_device}"
            )
        if copy:
            raise BufferError("the tensor can be had in place only; copy it where you use it")
        versioned = max_version is not None and max_version[0] >= 1
        return self._memory.capsule(self._address, self.shape, versioned)

    @property
    def __cuda_array_interface__(self) -> dict[str, object]:
        self._memory.note_export()
        return {
            "shape": self.shape,
            "typestr": "<f4",
            "data": (self._address, False),
            "strides": None,
            "stream": None,
            "version": 3,
        }

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a tensor of rank 0")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, device='cuda:{self._memory.ordinal}')"
