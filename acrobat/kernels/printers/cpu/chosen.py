"""Matrices that nodes choose by index from a table of matrices, such as experts.

Nodes of a batch that chose the same matrix are neighbours (runtime/include/acrobat/schedule), and
the kernel is called for each such cluster with a pointer to its matrix, so that tiles hold rows of
several nodes as with a weight that all share. The matrices are packed one by one, in the same order
as weights: [column block][gate][term][k][JV]. (If they were read in place, consecutive lines of a
column block would be a row of the matrix apart.) A table that is too large to exist twice, in case
something else reads it too, is not packed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...specification.spec import KernelSpec
from .template import Template, is_packed


@dataclass(slots=True)
class Chosen:
    """An operand that is a matrix of a table. A column block of a packed matrix has `per_block`
    floats; `terms`: where each term that reads the matrix, by gate and position, begins in it."""

    packed: bool
    per_block: int = 0
    terms: dict[tuple[int, int], int] = field(default_factory=dict)

    def floats(self, spec: KernelSpec, operand: int, template: Template) -> int:
        """The floats of one matrix in the layout that the kernel reads."""
        return self.per_block * template.blocks if self.packed else spec.operands[operand].width


def chosen_operands(spec: KernelSpec, template: Template) -> dict[int, Chosen]:
    """The chosen operands of `spec`, by position."""
    found = {n: Chosen(is_packed(spec.operands[n])) for n in spec.chosen}
    for g, gate in enumerate(spec.gates):
        for t, term in enumerate(gate.terms):
            if term.matrix is not None and term.matrix.operand in found:
                chosen = found[term.matrix.operand]
                chosen.terms[g, t] = chosen.per_block
                chosen.per_block += term.k * template.jv
    return found
