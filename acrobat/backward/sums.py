"""Accumulation of a variable's gradient: one contribution per use. Contributions of slices are
concatenated instead of being padded with zeros one by one."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from ..ir import typed as T
from .emitter import Emitter, dims_of

Part = tuple[int, int, T.Var]  # start, stop, gradient


@dataclass(slots=True)
class Sum:
    """The gradient of one variable. `parts` are gradients of its slices, by axis."""

    whole: list[T.Var] = field(default_factory=list)
    parts: dict[int, list[Part]] = field(default_factory=dict)

    def total(self, e: Emitter, of: T.Var) -> T.Var:
        """The gradient of `of`, once all its uses are known."""
        terms = list(self.whole)
        for axis, parts in sorted(self.parts.items()):
            terms.append(_assembled(e, parts, axis, dims_of(of)))
        total = terms[0]
        for term in terms[1:]:
            total = e.add(total, term)
        return total


def _assembled(e: Emitter, parts: list[Part], axis: int, dims: tuple[int, ...]) -> T.Var:
    """The gradient of the whole from those of slices along an axis: between two adjacent edges, the
    same slices cover every element."""
    edges = sorted({0, dims[axis], *(p[0] for p in parts), *(p[1] for p in parts)})
    pieces: list[T.Var] = []
    for low, high in itertools.pairwise(edges):
        covering = [
            e.part(d, axis, low - start, high - start)
            for start, stop, d in parts
            if start <= low and high <= stop
        ]
        if not covering:
            pieces.append(e.zeros((*dims[:axis], high - low, *dims[axis + 1 :])))
            continue
        piece = covering[0]
        for more in covering[1:]:
            piece = e.add(piece, more)
        pieces.append(piece)
    return pieces[0] if len(pieces) == 1 else e.op("concat", *pieces, axis=axis)
