"""Which kernels of a block's plan may run side by side."""

from __future__ import annotations

from .spec import BlockPlan, KernelSpec, Store


def kernel_levels(plan: BlockPlan) -> list[int]:
    """Per kernel of `plan`, how many others must be done before it, one after the other: 0 if it
    reads nothing that the others store. Kernels of one level do not read each other; what one
    stores, no other does."""
    levels: list[int] = []
    for n, spec in enumerate(plan.kernels):
        read = [levels[m] for m in range(n) if _reads(spec, plan.kernels[m])]
        levels.append(1 + max(read, default=-1))
    return levels


def _reads(spec: KernelSpec, earlier: KernelSpec) -> bool:
    """Whether `spec` reads what `earlier` stores for the same node."""
    places = {"self": "record", "scratch": "scratch"}
    return any(
        places.get(operand.kind) == store.place
        and operand.at < _end(store, earlier)
        and store.offset < operand.at + operand.width
        for operand in spec.operands
        for store in earlier.stores
    )


def _end(store: Store, spec: KernelSpec) -> int:
    """The float behind the last one of a store."""
    return store.offset + (spec.rows - 1) * store.row_stride + (1 if store.scalar else spec.width)
