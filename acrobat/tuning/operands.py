"""Random data for a kernel, laid out as in mini-batches: operands are scattered over an arena much
larger than a cache, records are adjacent."""

from __future__ import annotations

import numpy as np

from ..ir.types import align
from ..kernels.printers.cpu.pack import aligned
from ..kernels.specification.spec import KernelSpec

# The most operands of the arena, and its most floats: far more than the second-level cache holds,
# far less than memory.
_PLACES, _FLOATS = 4096, 1 << 24


class Operands:
    """The data of up to `most` nodes. Records and temporaries are filled, too: a kernel may read
    values there that other kernels of its block stored."""

    def __init__(self, spec: KernelSpec, most: int, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)

        def draw(*shape: int) -> np.ndarray:
            return rng.uniform(-1, 1, shape).astype(np.float32)

        # Scaled to give sums of about one, where functions are neither linear nor flat.
        self.weights = [draw(*s) * np.float32(s[0] ** -0.5) for s in spec.weights]
        self.vectors = [draw(n) for n in spec.vectors]
        stride = align(max([o.width for o in spec.operands], default=1))
        places = max(1, min(_PLACES, _FLOATS // stride))
        self.arena = _filled(draw(places * stride + align(1)))
        self.offsets = {
            i: (rng.integers(0, places, most) * stride).astype(np.int32) for i in spec.indexed
        }
        self._before = draw(most * spec.record + align(1)), draw(most * spec.scratch + align(1))
        self.out, self.scratch = (_filled(b) for b in self._before)
        self._stored = [_stores(spec, place) for place in ("record", "scratch")]

    def addresses(self, spec: KernelSpec) -> list[int]:
        """The addresses of the base and the offsets of every indexed operand."""
        return [
            address
            for i in spec.indexed
            for address in (self.arena.ctypes.data, self.offsets[i].ctypes.data)
        ]

    def reset(self) -> None:
        """Restore records and temporaries to their initial values."""
        self.out[:], self.scratch[:] = self._before

    def stored(self, spec: KernelSpec, nodes: int) -> tuple[bytes, bytes]:
        """The bytes that a call has stored for `nodes` nodes, without padding."""
        records = self.out[: nodes * spec.record].reshape(nodes, -1)
        temporaries = self.scratch[: nodes * spec.scratch].reshape(nodes, spec.scratch)
        of_records, of_temporaries = self._stored
        return records[:, of_records].tobytes(), temporaries[:, of_temporaries].tobytes()


def _stores(spec: KernelSpec, place: str) -> np.ndarray:
    """The floats of a record, or of a scratch record, that the kernel stores."""
    rows, columns = np.arange(spec.rows)[:, None], np.arange(spec.width)[None, :]
    found = [
        (s.offset + rows * s.row_stride + (columns[:, :1] if s.scalar else columns)).ravel()
        for s in spec.stores
        if s.place == place
    ]
    return np.unique(np.concatenate([*found, np.empty(0, int)])).astype(int)


def _filled(values: np.ndarray) -> np.ndarray:
    found = aligned(values.size)
    found[:] = values
    return found
