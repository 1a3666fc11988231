"""How the weights of a kernel lie in memory by their type, and how a step of the loop over k reads
them.

fp32    a float for each k
bf16    a word of 32 bits for every two k: the even one in its lower half, the odd one in its upper.
        A float32 is the half that is wanted and zeros: a shift for the even k, a mask for the odd
        one, and a load for both. (Vectors of uint16, one for each k, take an instruction more and a
        load for each; it does not depend on how many vectors a block has, as pairs of columns
        would.) The last word of an odd number of k has zeros in its upper half.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...specification.spec import KernelSpec, Term
from ...specification.weight_types import WeightType


@dataclass(frozen=True, slots=True)
class Stored:
    """`dtype`: of the elements that kernels read; each has `step` k of a column."""

    dtype: str
    step: int

    def elements(self, term: Term) -> int:
        """Of each column of a term."""
        return -(-term.k // self.step)

    def value(self, element: str, part: int) -> str:
        """The `part`-th k of an element, as a float32."""
        if self.step == 1:
            return element
        even = f"T.shift_left({element}, T.int32(16))"
        odd = f"T.bitwise_and({element}, T.int32(-65536))"
        return f"T.reinterpret('float32', {odd if part else even})"


_STORED: dict[WeightType, Stored] = {"fp32": Stored("float32", 1), "bf16": Stored("int32", 2)}


def stored(spec: KernelSpec) -> Stored:
    """Of the weights of `spec`."""
    return _STORED[spec.weight_type]
