"""Bring weights into the order in which a kernel reads them: that of its schedule, None for the
rule's."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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


# Arrays in the kernel's order: in the second argument, if there is one, which the same has made
# before.
Packer = Callable[[Sequence[np.ndarray], np.ndarray | None], np.ndarray]


def weight_packer(spec: KernelSpec, schedule: Schedule | None = None) -> Packer:
    """What packs the matrices of `spec.weights` as [column block][gate][term][k][JV], float32, 1-D,
    with zeros in the columns that pad the width. It raises ValueError if a matrix has another
    shape. To be made once: choosing a schedule takes longer than packing small weights."""
    template = choose_template(spec, host_target(), schedule)
    jv, per_block = template.jv, packed_floats(spec, template)
    size = per_block * template.blocks
    terms = [
        (term, start)
        for gate, starts in zip(spec.gates, gate_offsets(spec, template), strict=True)
        for term, start in zip(gate.terms, starts, strict=True)
        if term.matrix is None
    ]
    # Blocks that lie side by side in the matrix, and those that do not or reach beyond it.
    regular = min(template.blocks, spec.width // jv)
    others = list(enumerate(template.starts))[regular:]

    def pack(arrays: Sequence[np.ndarray], out: np.ndarray | None) -> np.ndarray:
        _check(spec, "weight", spec.weights, arrays)
        packed = aligned(max(1, size)) if out is None else out
        blocks = packed[:size].reshape(template.blocks, per_block)
        for term, start in terms:
            part = term.of_weight(arrays[term.weight], spec.width)
            of_term = blocks[:, start : start + term.k * jv].reshape(template.blocks, term.k, jv)
            side_by_side = part[:, : regular * jv].reshape(term.k, regular, jv)
            of_term[:regular] = side_by_side.transpose(1, 0, 2)
            for b, first in others:
                columns = part[:, first : first + jv]
                of_term[b, :, : columns.shape[1]] = columns
        return packed

    return pack


def pack_weights(
    spec: KernelSpec, arrays: Sequence[np.ndarray], schedule: Schedule | None = None
) -> np.ndarray:
    """As `weight_packer` does, once."""
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
    """What a term reads of every matrix: [rows, k, width]."""
    step = flat.itemsize
    strides = (flat.strides[0], matrix.row_stride * step, matrix.col_stride * step)
    shape = (len(flat), k, width)
    return np.lib.stride_tricks.as_strided(
        flat[:, matrix.offset :], shape, strides, writeable=False
    )


def vector_packer(spec: KernelSpec, schedule: Schedule | None = None) -> Packer:
    """What packs the arrays of `spec.vectors` one after the other, padded, float32, 1-D. It raises
    ValueError if one has another number of elements. To be made once, as `weight_packer`."""
    shapes = [(n,) for n in spec.vectors]
    offsets = vector_offsets(spec, choose_template(spec, host_target(), schedule))

    def pack(arrays: Sequence[np.ndarray], out: np.ndarray | None) -> np.ndarray:
        _check(spec, "vector", shapes, [a.reshape(-1) for a in arrays])
        packed = aligned(offsets[-1]) if out is None else out
        for array, start in zip(arrays, offsets, strict=False):
            packed[start : start + array.size] = array.ravel()
        return packed

    return pack


def pack_vectors(
    spec: KernelSpec, arrays: Sequence[np.ndarray], schedule: Schedule | None = None
) -> np.ndarray:
    """As `vector_packer` does, once."""
    return vector_packer(spec, schedule)(arrays, None)


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
