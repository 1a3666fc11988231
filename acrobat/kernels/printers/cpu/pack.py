"""Pack weights in the order in which a kernel reads them, which depends on its schedule (None: the
rule's)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from ...specification.spec import KernelSpec, Matrix
from ...specification.weight_types import bf16_bits, quantised
from .chosen import chosen_operands
from .emit import gate_offsets, packed_floats, vector_offsets, weight_floats
from .rule import choose_template
from .schedule import Schedule
from .stored_weights import stored
from .target import host_target

_ALIGNMENT = 64  # bytes; aligned vector loads need it and numpy does not promise it


def aligned(floats: int) -> np.ndarray:
    """Zeros, float32 of shape [floats], 64-byte aligned."""
    raw = np.zeros(floats * 4 + _ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    return raw[start : start + floats * 4].view(np.float32)


# A part of a weight, [rows, columns], and the part of a packed array, [rows, at least as many
# columns], that it is copied to.
Piece = tuple[np.ndarray, np.ndarray]


class Packer(Protocol):
    """Brings the arrays of a kernel into the order in which it reads them, float32, 1-D. ValueError
    if one has another shape. Make a packer once: choosing a schedule takes longer than packing
    small weights."""

    def __call__(self, arrays: Sequence[np.ndarray], out: np.ndarray | None) -> np.ndarray:
        """Pack into `out`, if given: an array that this packer returned before."""


@runtime_checkable
class CopyingPacker(Packer, Protocol):
    """A packer that only copies."""

    def pieces(self, arrays: Sequence[np.ndarray], out: np.ndarray) -> Iterator[Piece]:
        """The copies that packing into `out` consists of; the rest of `out` is zeros."""


class WeightPacker:
    """Packs the matrices of `spec.weights` as [column block][gate][term][k][JV], with zeros in the
    columns that pad the width."""

    def __init__(self, spec: KernelSpec, schedule: Schedule | None = None) -> None:
        self._spec = spec
        self._template = template = choose_template(spec, host_target(), schedule)
        self._per_block = packed_floats(spec, template)
        self._size = self._per_block * template.blocks
        self._terms = [
            (term, start)
            for gate, starts in zip(spec.gates, gate_offsets(spec, template), strict=True)
            for term, start in zip(gate.terms, starts, strict=True)
            if term.matrix is None
        ]

    def __call__(self, arrays: Sequence[np.ndarray], out: np.ndarray | None) -> np.ndarray:
        _check(self._spec, "weight", self._spec.weights, arrays)
        packed = aligned(max(1, self._size)) if out is None else out
        template, jv, width = self._template, self._template.jv, self._spec.width
        # The first blocks lie side by side in the matrix; others overlap them or reach beyond it.
        regular = min(template.blocks, width // jv)
        blocks = packed[: self._size].reshape(template.blocks, self._per_block)
        for term, start in self._terms:
            part = term.of_weight(arrays[term.weight], width)
            of_term = blocks[:, start : start + term.k * jv].reshape(template.blocks, term.k, jv)
            side_by_side = part[:, : regular * jv].reshape(term.k, regular, jv)
            of_term[:regular] = side_by_side.transpose(1, 0, 2)
            for b, first in list(enumerate(template.starts))[regular:]:
                columns = part[:, first : first + jv]
                of_term[b, :, : columns.shape[1]] = columns
        return packed

    def pieces(self, arrays: Sequence[np.ndarray], out: np.ndarray) -> Iterator[Piece]:
        _check(self._spec, "weight", self._spec.weights, arrays)
        jv = self._template.jv
        for term, start in self._terms:
            part = term.of_weight(arrays[term.weight], self._spec.width)
            for b, first in enumerate(self._template.starts):
                begin = b * self._per_block + start
                yield (
                    part[:, first : first + jv],
                    out[begin : begin + term.k * jv].reshape(term.k, jv),
                )


class NarrowWeightPacker:
    """Packs the matrices of `spec.weights` in the same order, rounded to their type: [column block]
    [gate][term][element][JV], where an element may have several k of a column, and the weights of a
    block are followed by its scales (`stored_weights.py`)."""

    def __init__(self, spec: KernelSpec, schedule: Schedule | None = None) -> None:
        self._spec = spec
        self._template = template = choose_template(spec, host_target(), schedule)
        self._per_block = packed_floats(spec, template)
        self._starts = gate_offsets(spec, template)
        self._scales = weight_floats(spec, template)

    def __call__(self, arrays: Sequence[np.ndarray], out: np.ndarray | None) -> np.ndarray:
        spec, template = self._spec, self._template
        _check(spec, "weight", spec.weights, arrays)
        size = self._per_block * template.blocks
        packed = aligned(max(1, size)) if out is None else out
        blocks = packed[:size].reshape(template.blocks, -1)
        for number, (gate, starts) in enumerate(zip(spec.gates, self._starts, strict=True)):
            parts = [t.of_weight(arrays[t.weight], spec.width) for t in gate.terms]
            if spec.weight_type == "int8":
                parts, scale = quantised(parts)
                at = self._scales + number * template.jv
                self._place(scale.reshape(1, 1, -1), blocks, at)
            for term, part, start in zip(gate.terms, parts, starts, strict=True):
                words = stored(spec).elements(term)
                narrow = part[:, None] if spec.weight_type == "int8" else _halves(part, words)
                self._place(narrow, blocks, start)
        return packed

    def _place(self, numbers: np.ndarray, blocks: np.ndarray, start: int) -> None:
        """Copy numbers [element, part of it, column] into all blocks, from element `start` on; the
        parts of an element become neighbours. Columns that pad the width are zeros."""
        elements, parts, width = numbers.shape
        jv, to = self._template.jv, blocks.view(numbers.dtype)
        padded = np.zeros((elements, parts, self._template.width), numbers.dtype)
        padded[:, :, :width] = numbers
        for b, first in enumerate(self._template.starts):
            columns = padded[:, :, first : first + jv].transpose(0, 2, 1)
            to[b, start * parts : (start + elements * jv) * parts] = columns.reshape(-1)


def _halves(part: np.ndarray, words: int) -> np.ndarray:
    """Weights [k, column] as bfloat16 [word, half, column], with zeros after the last k."""
    found = np.zeros((words, 2, part.shape[1]), np.uint16)
    found.reshape(-1, part.shape[1])[: len(part)] = bf16_bits(part)
    return found


def weight_packer(spec: KernelSpec, schedule: Schedule | None = None) -> Packer:
    """The packer for the weights of `spec`, chosen by their type."""
    packer = WeightPacker if spec.weight_type == "fp32" else NarrowWeightPacker
    return packer(spec, schedule)


def pack_weights(
    spec: KernelSpec, arrays: Sequence[np.ndarray], schedule: Schedule | None = None
) -> np.ndarray:
    """Pack weights once, as `weight_packer` does."""
    return weight_packer(spec, schedule)(arrays, None)


def packed_operands(spec: KernelSpec) -> tuple[int, ...]:
    """Positions of the operands that are matrices of tables and are packed."""
    chosen = chosen_operands(spec, choose_template(spec, host_target()))
    return tuple(n for n, c in chosen.items() if c.packed)


def pack_table(
    spec: KernelSpec, operand: int, table: np.ndarray, schedule: Schedule | None = None
) -> np.ndarray:
    """The matrices of a table, one after the other, each as [column block][gate][term][k][JV] of
    the terms that read operand `operand`; float32, 1-D, with zeros in the columns that pad the
    width."""
    template = choose_template(spec, host_target(), schedule)
    chosen = chosen_operands(spec, template)[operand]
    rows, size = len(table), chosen.per_block * template.blocks
    packed = aligned(max(1, rows * size))
    blocks = packed[: rows * size].reshape(rows, template.blocks, chosen.per_block)
    flat = np.ascontiguousarray(table).reshape(rows, -1)
    padding = template.width - spec.width
    for (g, t), start in chosen.terms.items():
        term = spec.gates[g].terms[t]
        assert term.matrix is not None
        part = _part(flat, term.matrix, term.k, spec.width)
        part = np.pad(part, ((0, 0), (0, 0), (0, padding))) if padding else part
        for b, first in enumerate(template.starts):
            columns = part[:, :, first : first + template.jv]
            blocks[:, b, start : start + term.k * template.jv] = columns.reshape(rows, -1)
    return packed


def _part(flat: np.ndarray, matrix: Matrix, k: int, width: int) -> np.ndarray:
    """The part of every matrix that a term reads: [rows, k, width]."""
    step = flat.itemsize
    strides = (flat.strides[0], matrix.row_stride * step, matrix.col_stride * step)
    shape = (len(flat), k, width)
    return np.lib.stride_tricks.as_strided(
        flat[:, matrix.offset :], shape, strides, writeable=False
    )


class VectorPacker:
    """Packs the arrays of `spec.vectors` one after the other, padded."""

    def __init__(self, spec: KernelSpec, schedule: Schedule | None = None) -> None:
        self._spec, self._shapes = spec, [(n,) for n in spec.vectors]
        self._offsets = vector_offsets(spec, choose_template(spec, host_target(), schedule))

    def __call__(self, arrays: Sequence[np.ndarray], out: np.ndarray | None) -> np.ndarray:
        packed = aligned(self._offsets[-1]) if out is None else out
        for array, to in self.pieces(arrays, packed):
            to[:] = array
        return packed

    def pieces(self, arrays: Sequence[np.ndarray], out: np.ndarray) -> Iterator[Piece]:
        _check(self._spec, "vector", self._shapes, [a.reshape(-1) for a in arrays])
        for array, start in zip(arrays, self._offsets, strict=False):
            yield array.reshape(1, -1), out[start : start + array.size].reshape(1, -1)


def pack_vectors(
    spec: KernelSpec, arrays: Sequence[np.ndarray], schedule: Schedule | None = None
) -> np.ndarray:
    """Pack vectors once, as `VectorPacker` does."""
    return VectorPacker(spec, schedule)(arrays, None)


def _check(
    spec: KernelSpec,
    what: str,
    shapes: Sequence[tuple[int, ...]],
    arrays: Sequence[np.ndarray],
) -> None:
    found = [a.shape for a in arrays]
    if found != list(shapes):
        raise ValueError(
            f"{spec.name}: the {what}s have shapes {found}; the kernel was made for {list(shapes)}"
        )
