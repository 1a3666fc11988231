"""Products with one weight matrix by several libraries: torch's own matrix product, or oneDNN on
packed weights; on a GPU only torch's own, which is cuBLAS there.

Which is faster depends on the CPU (torch uses MKL, which is slow on AMD) and on the number of rows.
It is measured for each class of row counts when the class first occurs, which is in a warm-up run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import torch

from .clock import fastest
from .place import Place

Kernel = Callable[..., torch.Tensor]

# oneDNN chooses the layout of packed weights by the number of rows given here; the layout for 8 or
# more rows was as fast as any other for 8 to 2000 rows, and the fastest for fewer.
_PACK_ROWS = 64
# Small products are repeated within one timing sample, up to about this many multiply-adds, but
# only so often that the calls' overhead stays within milliseconds.
_SAMPLE_WORK = 2e7
_MOST_REPEATS = 500

_ACTIVATIONS: Mapping[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "none": lambda z: z,
    "sigmoid": torch.sigmoid_,
    "tanh": torch.tanh_,
    "gelu": torch.nn.functional.gelu,
}


class Product:
    """A product with a weight [K, N], by the fastest of `kernels`, which take x [n, K] first."""

    shape: tuple[int, int]
    kernels: dict[str, Kernel]

    def __init__(self) -> None:
        self.chosen: dict[int, str] = {}
        self._table: dict[int, Kernel] = {}

    def __call__(self, *operands: torch.Tensor) -> torch.Tensor:
        kernel = self._table.get((operands[0].shape[0] - 1).bit_length())
        return kernel(*operands) if kernel else self._first(operands)

    def describe(self) -> str:
        """The choices by row count, such as "addmm to 1, onednn to 1024"."""
        parts: list[str] = []
        for row_class, name in sorted(self.chosen.items()):
            if parts and parts[-1].startswith(name):
                parts.pop()
            parts.append(f"{name} to {1 << row_class}")
        return ", ".join(parts)

    def _first(self, operands: tuple[torch.Tensor, ...]) -> torch.Tensor:
        """Choose a kernel for the class of row counts (up to 1, 2, 4, 8, ...), and run it."""
        rows = operands[0].shape[0]
        repeat = self._sample_repeats(rows)

        def sample(kernel: Kernel) -> Callable[[], None]:
            def run() -> None:
                for _ in range(repeat):
                    kernel(*operands)

            return run

        name = fastest({name: sample(kernel) for name, kernel in self.kernels.items()})
        row_class = (rows - 1).bit_length()
        self.chosen[row_class] = name
        self._table[row_class] = self.kernels[name]
        return self.kernels[name](*operands)

    def _sample_repeats(self, rows: int) -> int:
        work = rows * self.shape[0] * self.shape[1]
        return max(1, min(_MOST_REPEATS, int(_SAMPLE_WORK / work)))


class Linear(Product):
    """`activation(x @ weight + bias)` for x [n, K], weight [K, N], bias [N] or none; float32.

    `activation` is none, sigmoid, tanh or gelu (exact).
    """

    def __init__(
        self,
        place: Place,
        weight: np.ndarray,
        bias: np.ndarray | None = None,
        activation: str = "none",
    ) -> None:
        super().__init__()
        w = place.weight(weight)
        b = None if bias is None else place.weight(bias)
        self.shape = (w.shape[0], w.shape[1])
        then = _ACTIVATIONS[activation]

        def own(x: torch.Tensor) -> torch.Tensor:
            return then(torch.mm(x, w) if b is None else torch.addmm(b, x, w))

        self.kernels: dict[str, Kernel] = {"addmm": own}
        if _has_onednn(place):
            onednn, packed = torch.ops.mkldnn._linear_pointwise, _packed(w)
            algorithm = "none" if activation == "gelu" else ""
            self.kernels["onednn"] = lambda x: onednn(x, packed, b, activation, [], algorithm)


class Sum(Product):
    """`other + x @ weight` for x [n, K], other [n, N], weight [K, N]; float32."""

    def __init__(self, place: Place, weight: np.ndarray) -> None:
        super().__init__()
        w = place.weight(weight)
        self.shape = (w.shape[0], w.shape[1])
        self.kernels = {"addmm": lambda x, other: torch.addmm(other, x, w)}
        if _has_onednn(place):
            onednn, packed = torch.ops.mkldnn._linear_pointwise.binary, _packed(w)
            self.kernels["onednn"] = lambda x, other: onednn(x, other, packed, None, "add")


def _has_onednn(place: Place) -> bool:
    if place.device.type != "cpu":
        return False
    return torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")


def _packed(w: torch.Tensor) -> torch.Tensor:
    packed: torch.Tensor = torch.ops.mkldnn._reorder_linear_weight(w.t().contiguous(), _PACK_ROWS)
    return packed
