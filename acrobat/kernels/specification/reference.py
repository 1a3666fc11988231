"""The semantics of a `KernelSpec` in numpy, for all nodes at once: the reference for every code
generator.

Contractions and reductions are accumulated in float64; the point-wise part is float32, as in the
kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...ir.ops import POINTWISE
from .spec import REDUCTIONS, Gate, KernelSpec, strides
from .weight_types import quantised, rounded_to_bf16


@dataclass(frozen=True, slots=True)
class _Region:
    """One operand of all nodes: for each node, the `size` floats of `array` from its start on."""

    array: np.ndarray
    starts: np.ndarray
    size: int

    def read(self, at: np.ndarray) -> np.ndarray:
        """The elements at offsets `at` of every node's region: [n, *at.shape]."""
        if at.min() < 0 or at.max() >= self.size:
            raise IndexError(f"{at.min()} to {at.max()} of an operand of {self.size} floats")
        read: np.ndarray = self.array[self.starts[:, None, None] + at]
        return read


def run_reference(
    spec: KernelSpec,
    arena: np.ndarray,
    offsets: Mapping[int, np.ndarray],
    tables: Mapping[int, np.ndarray],
    weights: Sequence[np.ndarray],
    vectors: Sequence[np.ndarray],
    out: np.ndarray,
    scratch: np.ndarray | None = None,
) -> None:
    """Compute `spec` for the n nodes whose records are `out`, float32 [n, record], and whose
    scratch records are `scratch`, [n, spec.scratch]. Writes exactly the floats that stores cover.

    `offsets[i]`, int [n], says where each node's operand i begins: in `arena` (float32, 1-D) if
    it is gathered, in the flattened `tables[i]` if it is a gathered row; the keys are
    `spec.indexed`. `weights` and `vectors` have the shapes that the spec states.

    Raises IndexError for an access outside its array, ValueError for an unknown function.
    """
    scratch = np.zeros((len(out), 0), np.float32) if scratch is None else scratch
    regions: list[_Region] = []
    for i, o in enumerate(spec.operands):
        match o.kind:
            case "self" | "scratch":
                records = out if o.kind == "self" else scratch
                size = records.shape[1]
                starts = np.arange(len(records)) * size + o.at
                regions.append(_Region(records.reshape(-1), starts, size - o.at))
            case "gathered" | "gathered_row":
                array = arena if o.kind == "gathered" else tables[i].reshape(-1)
                regions.append(_Region(array, np.asarray(offsets[i], np.int64), o.width))
    # Every value is [n, rows, width], or [rows, width] if it is the same for all nodes; float32.
    m, j = np.arange(spec.rows)[:, None], np.arange(spec.width)[None, :]
    accs = [_contract(spec, gate, regions, weights) for gate in spec.gates]
    values: list[np.ndarray] = []
    for instr in spec.epilogue:
        match instr.fn:
            case "acc":
                value = accs[instr.args[0]]
            case "load" | "load_shared":
                offset, row_stride, col_stride = strides(instr)
                at = offset + m * row_stride + j * col_stride
                number = instr.args[0]
                value = (
                    regions[number].read(at) if instr.fn == "load" else vectors[number].ravel()[at]
                )
            case "lit":
                value = np.full((spec.rows, spec.width), instr.value, np.float32)
            case "col":
                value = np.broadcast_to(j, (spec.rows, spec.width)).astype(np.float32)
            case fn if fn in REDUCTIONS:
                value = _reduce(instr.fn, values[instr.args[0]])
            case fn if fn in POINTWISE:
                with np.errstate(all="ignore"):
                    value = POINTWISE[fn].numpy(*(values[a] for a in instr.args))
            case fn:
                raise ValueError(f"{spec.name}: there is no epilogue instruction {fn!r}")
        values.append(np.asarray(value, dtype=np.float32))
    for s in spec.stores:
        place = out if s.place == "record" else scratch
        columns = j[:, :1] if s.scalar else j
        value = values[s.value][..., : columns.shape[1]]
        place[:, s.offset + m * s.row_stride + columns] = value


def _reduce(fn: str, value: np.ndarray) -> np.ndarray:
    wide = value.astype(np.float64)
    function = {"rsum": np.sum, "rmax": np.max, "rmaxnum": np.fmax.reduce, "rargmax": np.argmax}[fn]
    reduced = function(wide, axis=-1, keepdims=True)  # type: ignore[operator]
    return np.broadcast_to(reduced, value.shape)


def _contract(
    spec: KernelSpec, gate: Gate, regions: Sequence[_Region], weights: Sequence[np.ndarray]
) -> np.ndarray:
    total = np.zeros((spec.rows, spec.width))
    m, j = np.arange(spec.rows)[:, None], np.arange(spec.width)[None, :]
    stored, scale = _stored(spec, gate, weights)
    for n, t in enumerate(gate.terms):
        k = np.arange(t.k)
        x = regions[t.operand].read(t.offset + m * t.row_stride + k[None, :] * t.k_stride)
        if t.matrix is None:
            w = stored[n]
        else:
            own = t.matrix
            at = own.offset + k[:, None] * own.row_stride + j * own.col_stride
            w = regions[own.operand].read(at)
        if spec.weight_type == "tiles":
            x = rounded_to_bf16(x)
        total = total + x.astype(np.float64) @ w.astype(np.float64)
    return (total * scale).astype(np.float32)


def _stored(
    spec: KernelSpec, gate: Gate, weights: Sequence[np.ndarray]
) -> tuple[Mapping[int, np.ndarray], np.ndarray | float]:
    """The weights that the terms of a gate multiply by, keyed by the terms' positions, and the
    factor that the gate's sum is multiplied by."""
    of = {n: t for n, t in enumerate(gate.terms) if t.matrix is None}
    parts = [t.of_weight(weights[t.weight], spec.width) for t in of.values()]
    match spec.weight_type:
        case "bf16" | "tiles":
            parts = [rounded_to_bf16(p) for p in parts]
        case "int8":
            parts, scale = quantised(parts)
            return dict(zip(of, parts, strict=True)), scale.astype(np.float64)
    return dict(zip(of, parts, strict=True)), 1.0
