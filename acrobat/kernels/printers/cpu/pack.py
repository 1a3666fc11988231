"""Bring weights into the order in which a kernel reads them: that of its schedule, None for the
rule's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...specification.spec import KernelSpec, Matrix
from .chosen import chosen_operands
from .emit import gate_offsets, packed_floats, vector_offsets
from .rule import choose_template
from .schedule import Schedule
from .target import host_target

_ALIGNMENT = 64  # bytes; aligned vector loads need it and numpy does not promise it


def aligned(floats: int) -> np.ndarray:
    """Zeros, float32 of shape [floats], 64-byte aligned."""
    raw = np.zeros(floats * 4 + _ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    return raw[start : start + floats * 4].view(np.float32)


def pack_weights(
    spec: KernelSpec,
    arrays: Sequence[np.ndarray],
    schedule: Schedule | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The matrices of `spec.weights` as [column block][gate][term][k][JV], float32, 1-D, with
    zeros in the columns that pad the width; in `out` if there is one, which this has made before.
    ValueError if a matrix has another shape."""
    _check(spec, "weight", spec.weights, arrays)
    template = choose_template(spec, host_target(), schedule)
    offsets = gate_offsets(spec, template)
    per_block = packed_floats(spec, template)
    packed = aligned(max(1, per_block * template.blocks)) if out is None else out
    blocks = packed[: per_block * template.blocks].reshape(template.blocks, per_block)
    for gate, starts in zip(spec.gates, offsets, strict=True):
        for term, start in zip(gate.terms, starts, strict=True):
            if term.matrix is not None:
                continue
            part = term.of_weight(arrays[term.weight], spec.width)
            for block, first in zip(blocks, template.starts, strict=True):
                columns = part[:, first : first + template.jv]
                of_term = block[start : start + term.k * template.jv]
                of_term.reshape(term.k, template.jv)[:, : columns.shape[1]] = columns
    return packed


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
    """What a term reads of every matrix: [rows, k, width]."""
    step = flat.itemsize
    strides = (flat.strides[0], matrix.row_stride * step, matrix.col_stride * step)
    shape = (len(flat), k, width)
    return np.lib.stride_tricks.as_strided(
        flat[:, matrix.offset :], shape, strides, writeable=False
    )


def pack_vectors(
    spec: KernelSpec,
    arrays: Sequence[np.ndarray],
    schedule: Schedule | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """The arrays of `spec.vectors` one after the other, padded, float32, 1-D; in `out` if there is
    one, which this has made before. ValueError if one has another number of elements."""
    _check(spec, "vector", [(n,) for n in spec.vectors], [a.reshape(-1) for a in arrays])
    template = choose_template(spec, host_target(), schedule)
    offsets = vector_offsets(spec, template)
    packed = aligned(offsets[-1]) if out is None else out
    for array, start in zip(arrays, offsets, strict=False):
        packed[start : start + array.size] = array.ravel()
    return packed


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
