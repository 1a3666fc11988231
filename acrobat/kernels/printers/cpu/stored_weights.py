"""How the weights of a kernel are stored in memory, by their type, and how a step of the loop over
k reads them.

fp32    a float for each k
bf16    a word of 32 bits for every two k: the even one in its lower half, the odd one in its upper.
        A float32 is the wanted half and zeros: a shift for the even k, a mask for the odd one, and
        one load for both. (Vectors of uint16, one for each k, would take one more instruction and a
        load for each. Pairs of columns would depend on how many vectors a block has.) If the number
        of k is odd, the last word has zeros in its upper half.
tiles   like bf16, with zeros up to a multiple of 32 k, as many as a tile of the matrix unit has
int8    a byte for each k, converted when it is read; the weights of a column block are followed by
        the scales of its columns, [gate][JV] floats, and a zero.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...specification.spec import KernelSpec, Term
from ...specification.weight_types import WeightType


@dataclass(frozen=True, slots=True)
class Stored:
    """How weights of one type are stored. `dtype`: the type of the elements that kernels read, each
    of `size` bytes and with `step` k of a column. `scaled`: whether there are scales. `multiple`:
    the elements of a column are padded to a multiple of this."""

    dtype: str
    size: int
    step: int
    scaled: bool = False
    multiple: int = 1

    @property
    def line(self) -> int:
        """Elements per cache line."""
        return 64 // self.size

    def elements(self, term: Term) -> int:
        """The number of elements in each column of a term."""
        return -(-term.k // (self.step * self.multiple)) * self.multiple

    def value(self, element: str, part: int) -> str:
        """The `part`-th k of an element, as a float32."""
        if self.step == 1:
            return f"T.Cast('float32', {element})" if self.dtype == "int8" else element
        even = f"T.shift_left({element}, T.int32(16))"
        odd = f"T.bitwise_and({element}, T.int32(-65536))"
        return f"T.reinterpret('float32', {odd if part else even})"


_STORED: dict[WeightType, Stored] = {
    "fp32": Stored("float32", 4, 1),
    "bf16": Stored("int32", 4, 2),
    "int8": Stored("int8", 1, 1, scaled=True),
    "tiles": Stored("int32", 4, 2, multiple=16),
}


def stored(spec: KernelSpec) -> Stored:
    """How the weights of `spec` are stored."""
    return _STORED[spec.weight_type]
