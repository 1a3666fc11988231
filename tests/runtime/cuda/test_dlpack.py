"""Results on a GPU as other libraries take them over."""

from __future__ import annotations

import ctypes
import gc
from typing import Any

import numpy as np
import pytest

from tests.runtime.cuda.first_result import first
from tests.runtime.cuda.mock_gpu import Mock
from tests.runtime.cuda.problems import on_gpu, problem


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_uint64),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Old(ctypes.Structure):
    _fields_ = (("tensor", _Tensor), ("owner", ctypes.c_void_p), ("deleter", _DELETER))


class _Versioned(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_uint32 * 2),
        ("owner", ctypes.c_void_p),
        ("deleter", _DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


def consume(capsule: object, name: bytes, form: Any) -> Any:
    """Take a capsule's tensor as another library does."""
    python = ctypes.pythonapi
    python.PyCapsule_GetPointer.restype = ctypes.c_void_p
    python.PyCapsule_GetPointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
    python.PyCapsule_SetName.argtypes = (ctypes.py_object, ctypes.c_char_p)
    pointer = python.PyCapsule_GetPointer(capsule, name)
    used = b"used_" + name
    python.PyCapsule_SetName(capsule, used)
    managed = ctypes.cast(pointer, ctypes.POINTER(form)).contents
    managed.name = used  # the capsule does not copy it
    return managed


FORMS = [(None, b"dltensor", _Old), ((1, 0), b"dltensor_versioned", _Versioned)]


@pytest.mark.parametrize(("version", "name", "form"), FORMS, ids=["old", "versioned"])
def test_dlpack(mock: Mock, version: Any, name: bytes, form: Any) -> None:
    _, instances, want = problem("treelstm", 2)
    fast = on_gpu("treelstm")
    results = fast(instances)
    x = first(results)
    assert x.__dlpack_device__() == (2, 0)
    managed = consume(x.__dlpack__(stream=1, max_version=version), name, form)
    if version:
        assert list(managed.version) == [1, 0] and managed.flags == 0
    t = managed.tensor
    assert (list(t.device), t.ndim, t.shape[0], t.strides[0]) == ([2, 0], 1, 32, 1)
    assert (t.code, t.bits, t.lanes, t.byte_offset) == (2, 32, 1, 0)
    # It outlives the results, and the program.
    del x, results
    fast(instances)
    del fast
    gc.collect()
    np.testing.assert_allclose(mock.peek(t.data, 32), want[0][0], atol=1e-4)
    managed.deleter(ctypes.addressof(managed))


def test_a_capsule_that_nobody_takes(mock: Mock) -> None:
    _, instances, _ = problem("treelstm", 1)
    x = first(on_gpu("treelstm")(instances))
    x.__dlpack__()
    x.__dlpack__(max_version=(1, 1))
