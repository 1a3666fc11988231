"""Lower all static blocks of a module."""

from __future__ import annotations

from ...ir import batched as B
from ..specification.spec import BlockPlan
from ..specification.weight_types import WeightType
from .block import lower_block
from .weight_storage import store_weights_as


def lower_blocks(
    module: B.Module, kernel_fusion: bool, horizontal_fusion: bool, weight_type: WeightType
) -> tuple[BlockPlan, ...]:
    """The kernels of every block of `module`, with weights stored as `weight_type`."""
    plans = (lower_block(b, kernel_fusion, horizontal_fusion) for b in module.blocks)
    return tuple(store_weights_as(plan, weight_type) for plan in plans)
