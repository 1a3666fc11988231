"""The gradient of a table's rows, summed by the runtime."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np


class _RowPart(ctypes.Structure):
    """`RowPart` of acrobat/gradients/row_sums.h."""

    _fields_ = (
        ("numbers", ctypes.c_void_p),
        ("values", ctypes.c_void_p),
        ("n", ctypes.c_int64),
    )


class NativeRowSums:
    """Sums rows that occur several times: returns every row once, ascending, with the sum of its
    values, added in the order in which they came."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._function = library.acrobat_sum_rows
        self._function.restype = ctypes.c_int64
        self._function.argtypes = (
            ctypes.c_void_p,
            *([ctypes.c_int64] * 3),
            *([ctypes.c_void_p] * 3),
        )

    def __call__(
        self, parts: Sequence[tuple[np.ndarray, np.ndarray]], shape: tuple[int, ...]
    ) -> tuple[np.ndarray, np.ndarray]:
        numbers = [np.ascontiguousarray(n, np.int64) for n, _ in parts]
        values = [np.ascontiguousarray(v, np.float32) for _, v in parts]
        table = (_RowPart * len(parts))(
            *(
                _RowPart(n.ctypes.data, v.ctypes.data, len(n))
                for n, v in zip(numbers, values, strict=True)
            )
        )
        most = min(shape[0], sum(map(len, numbers)))
        slots, rows = np.empty(shape[0], np.int64), np.empty(most, np.int64)
        sums = np.empty((most, *shape[1:]), np.float32)
        n = self._function(
            ctypes.addressof(table),
            len(parts),
            sums[:1].size if most else 0,
            shape[0],
            slots.ctypes.data,
            rows.ctypes.data,
            sums.ctypes.data,
        )
        return rows[:n], sums[:n]
