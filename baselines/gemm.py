"""One weight matrix, several libraries: torch's own matrix product or oneDNN on packed weights.

Which is faster depends on the CPU (torch's is MKL, slow on AMD) and on the number of rows, so it
is measured, per class of row counts, before anything is timed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import torch

from .clock import fastest

Kernel = Callable[[torch.Tensor], torch.Tensor]

# oneDNN picks the layout of packed weights by the number of rows it is told; that of 8 rows and
# more was as fast as any other for 8 to 2000 rows and the best for fewer.
_PACK_ROWS = 64
# Small products are repeated within one sample of the choice, to about this many multiply-adds.
_SAMPLE_WORK = 2e7


class Linear:
    """`x @ weight + bias` for x [n, K], weight [K, N], bias [N]: float32, n free.

    Before the first call, `calibrate` decides on the kernel for each class of row counts.
    """

    def __init__(self, weight: np.ndarray, bias: np.ndarray) -> None:
        w, b = torch.from_numpy(weight.copy()), torch.from_numpy(bias.copy())
        self.shape = (w.shape[0], w.shape[1])
        self.kernels: dict[str, Kernel] = {"addmm": lambda x: torch.addmm(b, x, w)}
        if torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise"):
            onednn = torch.ops.mkldnn._linear_pointwise
            packed = torch.ops.mkldnn._reorder_linear_weight(w.t().contiguous(), _PACK_ROWS)
            self.kernels["onednn"] = lambda x: onednn(x, packed, b, "none", [], "")
        self.chosen: dict[int, str] = {}
        self._table: list[Kernel] = []

    def calibrate(self, rows: Iterable[int]) -> None:
        """Choose a kernel for every class of up to 1, 2, 4, 8 ... rows that `rows` touches.

        Call it under the thread count and the grad mode of the later calls.
        """
        rows = list(rows)
        classes = {_row_class(n) for n in rows}
        for row_class in sorted(classes):
            # Measured at a row count that occurs, the highest of its class.
            n = max(n for n in rows if _row_class(n) == row_class)
            self.chosen[row_class] = self._choose(n)
        names = [
            self.chosen[min(self.chosen, key=lambda known: (abs(known - row_class), known))]
            for row_class in range(max(classes) + 1)
        ]
        self._table = [self.kernels[name] for name in names]

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        row_class = _row_class(x.shape[0])
        table = self._table
        return table[row_class if row_class < len(table) else -1](x)

    def describe(self) -> str:
        """The choice by row count, such as "addmm to 1, onednn to 1024"."""
        parts: list[str] = []
        for row_class, name in sorted(self.chosen.items()):
            if parts and parts[-1].startswith(name):
                parts.pop()
            parts.append(f"{name} to {1 << row_class}")
        return ", ".join(parts)

    def _sample_repeats(self, rows: int) -> int:
        return max(1, int(_SAMPLE_WORK / (rows * self.shape[0] * self.shape[1])))

    def _choose(self, rows: int) -> str:
        x = torch.rand(rows, self.shape[0]) - 0.5
        repeat = self._sample_repeats(rows)

        def sample(kernel: Kernel) -> Callable[[], None]:
            def run() -> None:
                for _ in range(repeat):
                    kernel(x)

            return run

        return fastest({name: sample(kernel) for name, kernel in self.kernels.items()})


def _row_class(rows: int) -> int:
    """0 for 1 row, 1 for 2, 2 for up to 4, 3 for up to 8 ..."""
    return (rows - 1).bit_length()
