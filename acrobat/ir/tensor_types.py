"""The types of tensors; those of all values are in `types.py`."""

from __future__ import annotations

from dataclasses import dataclass

from .dims import Dim


@dataclass(frozen=True, slots=True)
class TensorType:
    """A float32 tensor. Rank 0: a number that is computed like a tensor; rank 2 and above: rows are
    contiguous, without gaps. `mask`: the result of a comparison, 1.0 where it holds, else 0.0; only
    the front end distinguishes it, where Python would compute with truth values."""

    dims: tuple[Dim, ...]
    mask: bool = False

    @property
    def size(self) -> int:
        """Number of elements; ValueError if a dimension is not known."""
        total = 1
        for d in self.dims:
            if d.known is None:
                raise ValueError(f"{self} has no known size")
            total *= d.known
        return total

    @property
    def width(self) -> int:
        """Length of a vector whose dimension is known; ValueError otherwise."""
        if len(self.dims) != 1 or self.dims[0].known is None:
            raise ValueError(f"{self} is not a vector of known length")
        return self.dims[0].known

    def __str__(self) -> str:
        return ("Mask" if self.mask else "Tensor") + "[" + ", ".join(map(str, self.dims)) + "]"


# A dimension whose size only the instance knows.
ANY = Dim((("?", 1),), 0)


@dataclass(frozen=True, slots=True)
class RowsType(TensorType):
    """A tensor with a dimension ANY, the first or the last one. It exists only in the front end:
    after that it is the list of its items along that dimension (`erased`)."""

    @property
    def item(self) -> TensorType:
        """The type of one item along that dimension; if both are ANY, along the first."""
        if self.dims == (ANY, ANY):
            return RowsType((ANY,), self.mask)
        return TensorType(self.dims[1:] if self.dims[0] == ANY else self.dims[:-1], self.mask)

    @staticmethod
    def of(item: TensorType) -> RowsType:
        """The tensor with these items along its first dimension."""
        return RowsType((ANY, *item.dims), item.mask)


@dataclass(frozen=True, slots=True)
class StackType(TensorType):
    """A tensor of rank 3: matrices along `axis`, whose number is known. It exists only in the front
    end: after that it is the tuple of these matrices (`erased`)."""

    axis: int = 0

    @staticmethod
    def of(matrix: TensorType, count: int, axis: int) -> StackType:
        """So many matrices of one type along an axis."""
        dims = (*matrix.dims[:axis], Dim.of(count), *matrix.dims[axis:])
        return StackType(dims, matrix.mask, axis)

    @property
    def count(self) -> int:
        """The number of matrices."""
        known = self.dims[self.axis].known
        assert known is not None
        return known

    @property
    def matrix(self) -> TensorType:
        """The type of one of them."""
        dims = self.dims[: self.axis] + self.dims[self.axis + 1 :]
        return RowsType(dims, self.mask) if ANY in dims else TensorType(dims, self.mask)
