"""Kernels whose shared weights are stored in fewer bits."""

from __future__ import annotations

from dataclasses import replace

from ..specification.spec import BlockPlan, KernelSpec
from ..specification.weight_types import WeightType


def store_weights_as(plan: BlockPlan, weight_type: WeightType) -> BlockPlan:
    """The plan with `weight_type` for the kernels that read shared weights, and no matrix of the
    node's own beside them."""
    if weight_type == "fp32":
        return plan
    kernels = tuple(
        replace(k, weight_type=weight_type) if _reads_weights_alone(k) else k for k in plan.kernels
    )
    return replace(plan, kernels=kernels)


def _reads_weights_alone(spec: KernelSpec) -> bool:
    return bool(spec.gates) and all(t.matrix is None for g in spec.gates for t in g.terms)
