"""The order of weights and vectors in memory, and the arrays in that order.

Weights: [part][column quad][term][k][4]. Four columns of one k are 16 bytes, the widest load of a
thread. A program that takes the columns of b quads reads, per term, b contiguous runs of k * 16
bytes: every 32-byte sector from the L2 cache is used in full, for blocks of 4 columns (few rows,
many programs) as for blocks of 64, so that all variants of a kernel share one array.

The terms are in the order in which a kernel reads them: those with the same left operand together
(`passes`), whatever gate they belong to.

Vectors: every `load_shared` instruction has its own slice [rows or 1][columns or 1] of its array,
so that the slices of a kernel's parts are at constant steps and are read without strides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...specification.spec import Instr, KernelSpec, Term, strides
from .parts import Parts, split

QUAD = 4
MAX_COLUMNS = 64


def power_of_two(n: int) -> int:
    """The least power of two that is at least `n`."""
    return 1 << (n - 1).bit_length()


@dataclass(frozen=True, slots=True)
class Pass:
    """Terms that multiply the same left operand, as (gate, position within it)."""

    uses: tuple[tuple[int, int], ...]

    def term(self, spec: KernelSpec) -> Term:
        """One of the terms."""
        gate, place = self.uses[0]
        return spec.gates[gate].terms[place]


def passes(spec: KernelSpec) -> list[Pass]:
    """All terms by their left operand; those over the same range of k are neighbours."""
    found: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for g, gate in enumerate(spec.gates):
        for n, t in enumerate(gate.terms):
            left = (t.k, t.operand, t.offset, t.row_stride, t.k_stride)
            found.setdefault(left, []).append((g, n))
    order = {k: n for n, k in enumerate(dict.fromkeys(left[0] for left in found))}
    return [Pass(tuple(found[left])) for left in sorted(found, key=lambda left: order[left[0]])]


def weight_offsets(spec: KernelSpec) -> tuple[dict[tuple[int, int], int], int]:
    """Where each term begins within a column quad, and the floats of a quad. `spec` is a part."""
    at = 0
    found: dict[tuple[int, int], int] = {}
    for one in passes(spec):
        for gate, place in one.uses:
            term = spec.gates[gate].terms[place]
            if term.matrix is None:
                found[gate, place] = at
                at += term.k * QUAD
    return found, at


def quads(spec: KernelSpec) -> int:
    """Column quads of a part, rounded up to the widest column block of any variant."""
    widest = min(MAX_COLUMNS, power_of_two(max(spec.width, QUAD)))
    return -(-spec.width // widest) * widest // QUAD


def slice_shape(spec: KernelSpec, instr: Instr) -> tuple[int, int]:
    """Rows and columns of the slice of a `load_shared` instruction."""
    _, row_stride, col_stride = strides(instr)
    return spec.rows if row_stride else 1, spec.width if col_stride else 1


def vector_offsets(spec: KernelSpec) -> tuple[dict[int, int], int]:
    """Where the slice of each `load_shared` instruction begins, and the floats of all of them, both
    in multiples of 4. `spec` is a part."""
    at = 0
    found: dict[int, int] = {}
    for n, instr in enumerate(spec.epilogue):
        if instr.fn == "load_shared":
            rows, columns = slice_shape(spec, instr)
            found[n] = at
            at += -(-rows * columns // QUAD) * QUAD
    return found, at


def packed_floats(parts: Parts) -> tuple[int, int]:
    """The sizes of the packed weights and of the packed vectors, at least 1."""
    count, first = len(parts.specs), parts.first
    weights = count * quads(first) * weight_offsets(first)[1]
    return max(1, weights), max(1, count * vector_offsets(first)[1])


def pack_weights(spec: KernelSpec, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """The matrices of `spec.weights` in the order in which kernels read them, float32, 1-D, with
    zeros in the columns that pad the width. ValueError if a matrix has another shape."""
    _check(spec, "weight", spec.weights, arrays)
    parts = split(spec)
    packed = np.zeros(packed_floats(parts)[0], np.float32)
    offsets, size = weight_offsets(parts.first)
    count = quads(parts.first)
    places = packed[: len(parts.specs) * count * size].reshape(len(parts.specs), count, size)
    for place, part in zip(places, parts.specs, strict=True):
        for (gate, number), start in offsets.items():
            t = part.gates[gate].terms[number]
            block = t.of_weight(arrays[t.weight], spec.width)
            block = np.pad(block, ((0, 0), (0, count * QUAD - spec.width)))
            block = block.reshape(t.k, count, QUAD).transpose(1, 0, 2)
            place[:, start : start + t.k * QUAD] = block.reshape(count, -1)
    return packed


def pack_vectors(spec: KernelSpec, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """The slices that `load_shared` instructions read, one after the other, float32, 1-D.
    ValueError if an array has another number of elements."""
    _check(spec, "vector", [(n,) for n in spec.vectors], [a.reshape(-1) for a in arrays])
    parts = split(spec)
    packed = np.zeros(packed_floats(parts)[1], np.float32)
    offsets, size = vector_offsets(parts.first)
    for number, part in enumerate(parts.specs):
        for n, start in offsets.items():
            instr = part.epilogue[n]
            offset, row_stride, col_stride = strides(instr)
            rows, columns = slice_shape(part, instr)
            at = offset + np.arange(rows)[:, None] * row_stride + np.arange(columns) * col_stride
            begin = number * size + start
            packed[begin : begin + at.size] = arrays[instr.args[0]].reshape(-1)[at.ravel()]
    return packed


def _check(
    spec: KernelSpec, what: str, shapes: Sequence[tuple[int, ...]], arrays: Sequence[np.ndarray]
) -> None:
    found = [a.shape for a in arrays]
    if found != list(shapes):
        raise ValueError(
            f"{spec.name}: the {what}s have shapes {found}; the kernel was made for {list(shapes)}"
        )
