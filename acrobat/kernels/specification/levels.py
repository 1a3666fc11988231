"""Which kernels of a block's plan may run side by side."""

from __future__ import annotations

from .spec import BlockPlan, KernelSpec, Store


def kernel_levels(plan: BlockPlan) -> list[int]:
    """The level of each kernel of `plan`: the length of the longest chain of kernels that must run
    before it, 0 if it reads nothing that the others store. Kernels of one level do not read each
    other's stores and do not store to the same floats."""
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
    """The offset just past the last float of a store."""
    return store.offset + (spec.rows - 1) * store.row_stride + (1 if store.scalar else spec.width)
