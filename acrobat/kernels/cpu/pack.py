"""Bring weights into the order in which a kernel reads them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..spec import KernelSpec
from .emit import gate_offsets, vector_offsets
from .target import host_target
from .template import choose_template

_ALIGNMENT = 64  # bytes; aligned vector loads need it and numpy does not promise it


def aligned(floats: int) -> np.ndarray:
    """Zeros, float32 of shape [floats], 64-byte aligned."""
    raw = np.zeros(floats * 4 + _ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    return raw[start : start + floats * 4].view(np.float32)


def pack_weights(spec: KernelSpec, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """The matrices of `spec.weights` as [column block][gate][term][k][JV], float32, 1-D."""
    template = choose_template(spec, host_target())
    offsets = gate_offsets(spec, template)
    per_block = sum(t.k for g in spec.gates for t in g.terms) * template.jv
    packed = aligned(max(1, per_block * template.blocks))
    blocks = packed[: per_block * template.blocks].reshape(template.blocks, per_block)
    padding = template.width - spec.width
    for gate, starts in zip(spec.gates, offsets, strict=True):
        for term, start in zip(gate.terms, starts, strict=True):
            part = arrays[term.weight][
                term.row : term.row + term.k, term.col : term.col + spec.width
            ]
            part = np.pad(part, ((0, 0), (0, padding)))
            columns = part.reshape(term.k, template.blocks, template.jv).transpose(1, 0, 2)
            blocks[:, start : start + term.k * template.jv] = columns.reshape(template.blocks, -1)
    return packed


def pack_vectors(spec: KernelSpec, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """The vectors of `spec.vectors` one after the other, padded, float32, 1-D."""
    template = choose_template(spec, host_target())
    offsets = vector_offsets(spec, template)
    packed = aligned(offsets[-1])
    for array, start in zip(arrays, offsets, strict=False):
        packed[start : start + len(array)] = array
    return packed
