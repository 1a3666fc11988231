"""Bring weights into the order in which a kernel reads them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...specification.spec import KernelSpec
from .emit import gate_offsets, packed_floats, vector_offsets
from .target import CpuTarget, host_target
from .template import choose_template

_ALIGNMENT = 64  # bytes; aligned vector loads need it and numpy does not promise it


def aligned(floats: int) -> np.ndarray:
    """Zeros, float32 of shape [floats], 64-byte aligned."""
    raw = np.zeros(floats * 4 + _ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    return raw[start : start + floats * 4].view(np.float32)


def pack_weights(
    spec: KernelSpec, arrays: Sequence[np.ndarray], target: CpuTarget | None = None
) -> np.ndarray:
    """The matrices of `spec.weights` as [column block][gate][term][k][JV], float32, 1-D, with
    zeros in the columns that pad the width. ValueError if a matrix has another shape."""
    _check(spec, "weight", spec.weights, arrays)
    template = choose_template(spec, target or host_target())
    offsets = gate_offsets(spec, template)
    per_block = packed_floats(spec, template)
    packed = aligned(max(1, per_block * template.blocks))
    blocks = packed[: per_block * template.blocks].reshape(template.blocks, per_block)
    padding = template.width - spec.width
    for gate, starts in zip(spec.gates, offsets, strict=True):
        for term, start in zip(gate.terms, starts, strict=True):
            if term.matrix is not None:
                continue
            part = arrays[term.weight][
                term.row : term.row + term.k, term.col : term.col + spec.width
            ]
            part = np.pad(part, ((0, 0), (0, padding)))
            for block, first in zip(blocks, template.starts, strict=True):
                columns = part[:, first : first + template.jv]
                block[start : start + term.k * template.jv] = columns.reshape(-1)
    return packed


def pack_vectors(
    spec: KernelSpec, arrays: Sequence[np.ndarray], target: CpuTarget | None = None
) -> np.ndarray:
    """The arrays of `spec.vectors` one after the other, padded, float32, 1-D. ValueError if one
    has another number of elements."""
    _check(spec, "vector", [(n,) for n in spec.vectors], [a.reshape(-1) for a in arrays])
    template = choose_template(spec, target or host_target())
    offsets = vector_offsets(spec, template)
    packed = aligned(offsets[-1])
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
