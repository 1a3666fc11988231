"""Kernels whose shared weights are stored in fewer bits."""

from __future__ import annotations

from dataclasses import replace

from ..specification.spec import BlockPlan, KernelSpec
from ..specification.weight_types import WeightType

# The most k of all the rows that a kernel of tiles rounds, each padded to whole tiles: they are on
# a thread's stack, 24 bytes for each k.
_MOST_K, _TILE_K = 8192, 32


def store_weights_as(plan: BlockPlan, weight_type: WeightType) -> BlockPlan:
    """The plan with `weight_type` for the kernels that read shared weights and no per-node matrix;
    with tiles, only for kernels of at most 8192 k."""
    if weight_type == "fp32":
        return plan
    kernels = tuple(
        replace(k, weight_type=weight_type) if _can_store(k, weight_type) else k
        for k in plan.kernels
    )
    return replace(plan, kernels=kernels)


def _can_store(spec: KernelSpec, weight_type: WeightType) -> bool:
    terms = [t for g in spec.gates for t in g.terms]
    rows = {(t.operand, t.offset, t.k, t.row_stride, t.k_stride) for t in terms}
    padded = sum(-(-k // _TILE_K) * _TILE_K for _, _, k, _, _ in rows)
    fits = weight_type != "tiles" or padded <= _MOST_K
    return bool(terms) and fits and all(t.matrix is None for t in terms)
