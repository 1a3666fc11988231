"""`Tensor["H"]`: the hint for a float32 tensor, with the shape in the hint.

At run time a tensor is a plain numpy array; the hint only carries the shape. Dimensions are
numbers, names, or sums such as "2H" and "H + 1" (see `ir.dims`). A name means the same size
everywhere in a model: the weights bind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..ir.dims import Dim


@dataclass(frozen=True, slots=True)
class TensorHint:
    """What `Tensor[...]` evaluates to."""

    dims: tuple[Dim, ...]

    def __or__(self, other: object) -> Any:
        raise TypeError(f"{self} cannot be a member of a union: a union is of @ab.data classes")

    def __str__(self) -> str:
        return "Tensor[" + ", ".join(map(str, self.dims)) + "]"

    def __call__(self) -> None:
        """Never called; a callable is what `typing` accepts inside `tuple[...]`."""
        raise TypeError(f"{self} is a type hint; tensors are numpy arrays")


if TYPE_CHECKING:
    # To a type checker a tensor is what it is at run time; the shape is for our own checker.
    from numpy import ndarray

    Tensor = ndarray
else:

    class Tensor:
        """`Tensor["V", "H"]`: a float32 tensor of that shape."""

        def __class_getitem__(cls, dims: Any) -> TensorHint:
            dims = dims if isinstance(dims, tuple) else (dims,)
            for d in dims:
                if not isinstance(d, (int, str)) or isinstance(d, bool):
                    raise TypeError(
                        f"Tensor[{d!r}]: a dimension is a number or a name in quotes, "
                        f"such as Tensor[256] or Tensor['2H']"
                    )
            return TensorHint(tuple(Dim.of(d) for d in dims))
