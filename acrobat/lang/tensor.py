"""`Float32[Tensor, "V H"]`: the hint for a float32 tensor, which gives its shape.

At run time a tensor is a plain numpy array; the hint only carries the shape. Dimensions are
numbers, names, or sums such as "2H" and "H + 1" (see `ir.dims`), with spaces between them. A name
means the same size everywhere in a model: the weights bind it.

A type checker reads `Float32` as `typing.Annotated` and `Tensor` as an array (array.py), and leaves
the shape to the compiler (as with jaxtyping). `Annotated[Tensor, "V H"]` itself is accepted too,
and so is `Tensor["V", "H"]`, which type checkers do not understand: strings in the brackets of a
class are types to them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

from ..ir.dims import Dim
from .places import caller, refuse

__all__ = ["Float32", "Tensor", "TensorHint", "tensor_hint"]


@dataclass(frozen=True, slots=True)
class TensorHint:
    """What `Float32[Tensor, ...]` evaluates to."""

    dims: tuple[Dim, ...]

    def __or__(self, other: object) -> Any:
        if other is None:
            return Optional[self]  # noqa: UP045  (an object, not a type)
        refuse(
            "AC004",
            caller(),
            f"{self} cannot be a member of a union, which is of @ab.data classes",
            "an @ab.data class with this one field, and None for the missing case",
        )

    __ror__ = __or__

    def __str__(self) -> str:
        return "Tensor[" + ", ".join(map(str, self.dims)) + "]"

    def __call__(self) -> None:
        """Never called; a callable is what `typing` accepts inside `tuple[...]`."""
        raise TypeError(f"{self} is a type hint; tensors are numpy arrays")


_SHAPE = "numbers, names, and sums: `Float32[Tensor, '8 2H']`, `Float32[Tensor, 'H + 1']`"
# Spaces separate dimensions, except next to an operator: "V H + 1" has two.
_BETWEEN = re.compile(r"(?<![+*\s])\s+(?![+*\s])")


def tensor_hint(*shape: Any) -> TensorHint:
    """The hint whose dimensions are written in `shape`: "V H", or "V", "H", or numbers. ValueError
    if these are not dimensions."""
    dims: list[Dim] = []
    for part in shape:
        if not isinstance(part, (int, str)) or isinstance(part, bool):
            raise ValueError(f"a dimension is a number or a name in quotes, not {part!r}")
        parts = _BETWEEN.split(part.strip()) if isinstance(part, str) else [part]
        dims += [Dim.of(d) for d in parts if d != ""]
    for dim in dims:
        if dim.const < 0 or dim.known == 0:
            raise ValueError(f"a dimension is at least 1, not {dim}")
    return TensorHint(tuple(dims))


def _written(shape: tuple[Any, ...]) -> TensorHint:
    """As `tensor_hint`, for a hint that Python evaluates: ModelError at its place."""
    try:
        return tensor_hint(*shape)
    except ValueError as error:
        refuse("AC004", caller(), str(error), _SHAPE)


if TYPE_CHECKING:
    # Type checkers ignore the shape; the compiler checks it.
    from typing import Annotated as Float32

    from .array import Tensor
else:

    class Tensor:
        """A tensor of float32: `Float32[Tensor, "V H"]`."""

        def __class_getitem__(cls, dims: Any) -> TensorHint:
            return _written(dims if isinstance(dims, tuple) else (dims,))

    class Float32:
        """`Float32[Tensor, "V H"]`: a tensor of float32 of that shape, "" for a single number."""

        def __class_getitem__(cls, arguments: Any) -> TensorHint:
            of, *shape = arguments if isinstance(arguments, tuple) else (arguments,)
            if of is not Tensor or not shape:
                refuse(
                    "AC004",
                    caller(),
                    "a tensor has a shape in quotes, with spaces between the dimensions",
                    "`Float32[Tensor, 'V H']`",
                )
            return _written(tuple(shape))
