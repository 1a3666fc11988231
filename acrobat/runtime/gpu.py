"""Find a GPU by asking the driver through ctypes, without a context, which is cheap."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass

from ..errors import DeviceError

_MAJOR, _MINOR = 75, 76  # attributes: the compute capability
_PROCESSORS = 16


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU: its number among those that CUDA_VISIBLE_DEVICES shows, its name, its architecture (90
    is sm_90), and how many multiprocessors it has."""

    ordinal: int
    name: str
    arch: int
    processors: int


def driver_path() -> str:
    """Return the path of the driver's library: `ACROBAT_LIBCUDA`, else the system's."""
    return os.environ.get("ACROBAT_LIBCUDA") or "libcuda.so.1"


def find_gpu() -> Gpu:
    """Return the first GPU that the driver shows. Raises a DeviceError if there is none."""
    try:
        driver = ctypes.CDLL(driver_path())
    except OSError as error:
        raise DeviceError(f"there is no NVIDIA driver: {error}") from None
    result = driver.cuInit(0)
    if result:
        raise DeviceError(f"the NVIDIA driver cannot start: {_meaning(driver, result)}")
    count, device = ctypes.c_int(), ctypes.c_int()
    driver.cuDeviceGetCount(ctypes.byref(count))
    if count.value == 0:
        raise DeviceError("the NVIDIA driver shows no GPU")
    driver.cuDeviceGet(ctypes.byref(device), 0)
    major, minor = ctypes.c_int(), ctypes.c_int()
    driver.cuDeviceGetAttribute(ctypes.byref(major), _MAJOR, device)
    driver.cuDeviceGetAttribute(ctypes.byref(minor), _MINOR, device)
    name = ctypes.create_string_buffer(256)
    driver.cuDeviceGetName(name, len(name), device)
    processors = ctypes.c_int()
    driver.cuDeviceGetAttribute(ctypes.byref(processors), _PROCESSORS, device)
    return Gpu(0, name.value.decode(), 10 * major.value + minor.value, processors.value)


def _meaning(driver: ctypes.CDLL, result: int) -> str:
    name, text = ctypes.c_char_p(), ctypes.c_char_p()
    if driver.cuGetErrorName(result, ctypes.byref(name)):
        return f"error {result}"
    driver.cuGetErrorString(result, ctypes.byref(text))
    return f"{(name.value or b'').decode()} ({(text.value or b'').decode()})"
