"""Packing of weights by the threads of a compiled program, in the layout of
`kernels/printers/cpu/pack.py`: every training step repacks all weights."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from operator import is_

import numpy as np

from ..kernels.printers.cpu.pack import CopyingPacker, Packer
from ..runtime.faults import raise_fault
from ..runtime.program import Program

# `Piece` of runtime/include/acrobat/gradients/packing.h: addresses, floats between rows and between
# columns of the source, the numbers of rows and columns, and floats between rows of the copy.
_PIECE = np.dtype(
    [
        (name, np.int64)
        for name in ("source", "row_stride", "column_stride", "to", "rows", "columns", "width")
    ]
)
_Key = tuple[tuple[int, tuple[int, ...]], ...]


class NativePacking:
    """Packs the weights of one program. It remembers the pieces of arrays that have not moved."""

    def __init__(self, program: Program) -> None:
        self._program = program
        # By packed array: where its weights were, and their pieces.
        self._known: dict[int, tuple[_Key, np.ndarray]] = {}
        # The arrays of the last call, and all of its pieces: an array does not move.
        self._last: tuple[list[np.ndarray], np.ndarray] | None = None
        function = program.library.acrobat_pack
        function.restype = ctypes.py_object
        function.argtypes = (ctypes.py_object, ctypes.c_void_p, ctypes.c_int64)

    def __call__(self, due: Sequence[tuple[Packer, Sequence[np.ndarray], np.ndarray]]) -> None:
        """Repack arrays: `due` has the packer, the weights and the packed array of each."""
        every = [a for _, arrays, out in due for a in (*arrays, out)]
        last = self._last
        if last is not None and len(last[0]) == len(every) and all(map(is_, last[0], every)):
            self._pack(last[1])
            return
        found: list[np.ndarray] = []
        for packer, arrays, out in due:
            floats = all(a.dtype == np.float32 for a in arrays)
            if not floats or not isinstance(packer, CopyingPacker):
                packer(arrays, out)
                continue
            key = tuple((a.ctypes.data, a.strides) for a in (*arrays, out))
            known = self._known.get(id(out))
            if known is None or known[0] != key:
                known = self._known[id(out)] = key, _pieces(packer, arrays, out)
            found.append(known[1])
        if not found:
            return
        pieces = np.concatenate(found)
        self._last = (every, pieces) if len(found) == len(due) else None
        self._pack(pieces)

    def _pack(self, pieces: np.ndarray) -> None:
        fault = self._program.library.acrobat_pack(
            self._program.handle, pieces.ctypes.data, len(pieces)
        )
        if fault is not None:
            raise_fault(*fault)


def _pieces(packer: CopyingPacker, arrays: Sequence[np.ndarray], out: np.ndarray) -> np.ndarray:
    rows = [
        (
            part.ctypes.data,
            part.strides[0] // 4,
            part.strides[1] // 4,
            to.ctypes.data,
            *part.shape,
            to.strides[0] // 4,
        )
        for part, to in packer.pieces(arrays, out)
        if part.size
    ]
    return np.array(rows, _PIECE)
