"""The driver functions that a probe needs, through ctypes: memory, launches, timing by events."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from acrobat.errors import DeviceError
from acrobat.runtime.gpu import driver_path

PROCESSORS, CLOCK_KHZ = 16, 13  # attributes
_MOST_SHARED = 8  # attribute of a function
_UNASKED_SHARED = 48 << 10
_DEVICE_MAP = 2  # of page-locked memory


class _Attribute(ctypes.Structure):
    """CUlaunchAttribute: programmatic stream serialization, allowed."""

    _fields_ = (("id", ctypes.c_int), ("pad", ctypes.c_int), ("allowed", ctypes.c_int),
                ("rest", ctypes.c_char * 60))  # fmt: skip


class _Launch(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = (
        ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(_Attribute)),
        ("n", ctypes.c_uint),
    )  # fmt: skip


class Driver:
    """The first GPU's primary context, current in this thread until the process ends. All functions
    raise DeviceError with the name of the failed call and the driver's error number."""

    def __init__(self) -> None:
        try:
            self._library = ctypes.CDLL(driver_path())
        except OSError as error:
            raise DeviceError(f"there is no NVIDIA driver: {error}") from None
        self._context = ctypes.c_void_p()
        self._call("cuInit", 0)
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), 0)
        self._call("cuCtxPushCurrent_v2", self._context)
        self.stream = ctypes.c_void_p()
        self._call("cuStreamCreate", ctypes.byref(self.stream), 1)
        self._events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in self._events:
            self._call("cuEventCreate", ctypes.byref(event), 0)

    def _call(self, name: str, *arguments: object) -> None:
        code = int(getattr(self._library, name)(*arguments))
        if code:
            raise DeviceError(f"{name}: the driver's error {code}")

    def attribute(self, number: int) -> int:
        """The value of a device attribute of the GPU."""
        value = ctypes.c_int()
        self._call("cuDeviceGetAttribute", ctypes.byref(value), number, 0)
        return value.value

    def load(self, code: Path | str, symbol: str, shared: int = 0) -> ctypes.c_void_p:
        """A function from a cubin file or PTX text, allowed `shared` bytes of shared memory."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        text = code.read_bytes() if isinstance(code, Path) else code.encode() + b"\0"
        self._call("cuModuleLoadData", ctypes.byref(module), text)
        self._call("cuModuleGetFunction", ctypes.byref(function), module, symbol.encode())
        if shared > _UNASKED_SHARED:
            self._call("cuFuncSetAttribute", function, _MOST_SHARED, shared)
        return function

    def place(self, values: np.ndarray) -> int:
        """The address of a copy of `values` on the GPU, which stays until the process ends."""
        address = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(16, values.nbytes)))
        return self.place_at(address.value, values)

    def place_at(self, address: int, values: np.ndarray) -> int:
        """Copy the values to an address on the GPU; return the address."""
        values = np.ascontiguousarray(values)
        self._call(
            "cuMemcpyHtoD_v2", ctypes.c_uint64(address), values.ctypes.data_as(ctypes.c_void_p),
            ctypes.c_size_t(values.nbytes),
        )  # fmt: skip
        return address

    def shared_with_host(self, floats: int) -> tuple[np.ndarray, int]:
        """Page-locked memory, which stays until the process ends: the host's array, and the address
        for kernels, whose stores the host sees after `wait`."""
        host, address = ctypes.c_void_p(), ctypes.c_uint64()
        self._call("cuMemHostAlloc", ctypes.byref(host), ctypes.c_size_t(4 * floats), _DEVICE_MAP)
        self._call("cuMemHostGetDevicePointer_v2", ctypes.byref(address), host, 0)
        pointer = ctypes.cast(host, ctypes.POINTER(ctypes.c_float))
        return np.ctypeslib.as_array(pointer, (floats,)), address.value

    def send(self, address: int, values: np.ndarray) -> None:
        """Copy page-locked memory to an address, in stream order, without waiting."""
        self._call(
            "cuMemcpyHtoDAsync_v2", ctypes.c_uint64(address),
            values.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(values.nbytes), self.stream,
        )  # fmt: skip

    def mark(self, which: int) -> None:
        """Record one of two events, in stream order."""
        self._call("cuEventRecord", self._events[which], self.stream)

    def launch(
        self, function: ctypes.c_void_p, grid: tuple[int, int], threads: int,
        parameters: Sequence[ctypes._SimpleCData[int]], shared: int = 0, together: bool = False,
    ) -> None:  # fmt: skip
        """Launch a kernel. `together`: cooperatively, with all thread blocks resident at once."""
        places = (ctypes.c_void_p * max(1, len(parameters)))(
            *(ctypes.cast(ctypes.byref(p), ctypes.c_void_p) for p in parameters)
        )
        name = "cuLaunchCooperativeKernel" if together else "cuLaunchKernel"
        more = () if together else (None,)
        self._call(name, function, *grid, 1, threads, 1, 1, shared, self.stream, places, *more)

    def launch_early(self, function: ctypes.c_void_p, threads: int) -> None:
        """Launch one block of a kernel without parameters that may start early, because it waits
        for the preceding kernel itself."""
        attribute = _Attribute(id=6, allowed=1)
        how = _Launch(
            (1, 1, 1), (threads, 1, 1), 0, self.stream, ctypes.pointer(attribute), 1
        )  # fmt: skip
        self._call("cuLaunchKernelEx", ctypes.byref(how), function, None, None)

    def wait(self) -> None:
        """Wait until the GPU has finished everything in the stream."""
        self._call("cuStreamSynchronize", self.stream)

    def time(self, work: Callable[[], None], repeat: int = 1, rounds: int = 9) -> float:
        """Microseconds that `work` takes by the GPU's clock, averaged over `repeat` calls back to
        back: the median of `rounds`, after one that is not counted."""
        found = []
        for _ in range(rounds + 1):
            self._call("cuEventRecord", self._events[0], self.stream)
            for _ in range(repeat):
                work()
            self._call("cuEventRecord", self._events[1], self.stream)
            self.wait()
            took = ctypes.c_float()
            self._call("cuEventElapsedTime", ctypes.byref(took), *self._events)
            found.append(1e3 * took.value / repeat)
        return float(np.median(found[1:]))
