"""What the static blocks of a mini-batch ask of the machine, the bound that follows, and what they
take.

Counted are the products, the weights, once per batch, and what nodes read and write. Point-wise
arithmetic is not: where much of it is, the share of the bound is low for that reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..kernels.specification.weight_types import WEIGHT_BYTES
from ..layout import BlockLayout, Layout
from ..runtime.watched_call import ACTIVITIES, WatchedCall
from .machine import Machine

_KERNELS = ACTIVITIES.index("kernels")


@dataclass(frozen=True, slots=True)
class BlockLimit:
    """A static block over a mini-batch: its `batches` and the rows of all of them, operations of
    its products, bytes of weights (from `weights_from`) and of nodes (from `nodes_from`). `bound`:
    what limits it, "arithmetic" or where most bytes come from, for at least `bound_ms`. `took_ms`:
    of its kernels, a thread's mean."""

    name: str
    batches: int
    rows: int
    flops: int
    weight_bytes: int
    weights_from: str
    node_bytes: int
    nodes_from: str
    bound: str
    bound_ms: float
    took_ms: float

    @property
    def share(self) -> float:
        """Of the bound: 1 is as fast as the machine can."""
        return self.bound_ms / self.took_ms if self.took_ms else 0.0

    @property
    def gflops(self) -> float:
        """Of its products, by the time that they took."""
        return self.flops / self.took_ms / 1e6 if self.took_ms else 0.0


def find_limits(layout: Layout, calls: Sequence[WatchedCall], machine: Machine) -> list[BlockLimit]:
    """Of every block that ran, those of most time first. `calls` are runs of one mini-batch, whose
    median counts."""
    first = calls[0]
    took = np.median([_milliseconds(c, len(layout.blocks), machine.threads) for c in calls], axis=0)
    order = first.batches["block"].astype(int)
    working_sets = _working_sets(order, [_weight_bytes(b) for b in layout.blocks])
    nodes = first.profile.peak_mem_mb * 2**20
    found = []
    for number, block in enumerate(layout.blocks):
        sizes, weights = first.batches["n"][order == number], working_sets[order == number]
        if len(sizes):
            sizes = sizes.astype(int)
            found.append(_limit(block, sizes, float(took[number]), weights, nodes, machine))
    return sorted(found, key=lambda limit: -limit.took_ms)


def _limit(
    block: BlockLayout,
    sizes: np.ndarray,
    took_ms: float,
    weights: np.ndarray,
    nodes: float,
    machine: Machine,
) -> BlockLimit:
    specs = [k.spec for k in block.kernels]
    flops = sum(s.flops for s in specs)
    per_node = sum(block.widths) + block.plan.record + 2 * block.plan.scratch
    per_batch = _weight_bytes(block)
    arithmetic = sizes * flops / machine.gflops / 1e6
    rates = np.array([machine.gb_s(working_set) for working_set in weights])
    reading = per_batch / rates / 1e6 + sizes * (4 * per_node / machine.gb_s(nodes) / 1e6)
    bound = np.maximum(arithmetic, reading)
    return BlockLimit(
        name=block.block.name,
        batches=len(sizes),
        rows=int(sizes.sum()) * max(s.rows for s in specs),
        flops=int(sizes.sum()) * flops,
        weight_bytes=len(sizes) * per_batch,
        weights_from=machine.level(float(np.median(weights))),
        node_bytes=int(sizes.sum()) * 4 * per_node,
        nodes_from=machine.level(nodes),
        bound="arithmetic" if arithmetic.sum() >= reading.sum() else "reading",
        bound_ms=float(bound.sum()),
        took_ms=took_ms,
    )


def _working_sets(order: np.ndarray, weight_bytes: Sequence[int]) -> np.ndarray:
    """Of each batch, the bytes of weights that are read from the last batch of its block up to this
    one, its own included; of a block's first batch those of all blocks: the mini-batch before."""
    sizes = np.full(len(order), float(sum(weight_bytes)))
    last: dict[int, int] = {}
    for at, block in enumerate(order):
        if block in last:
            between = {int(b) for b in order[last[block] + 1 : at]}
            sizes[at] = weight_bytes[block] + sum(weight_bytes[b] for b in between)
        last[block] = at
    return sizes


def _weight_bytes(block: BlockLayout) -> int:
    """Of the matrices that all nodes share, as they are stored."""
    specs = [kernel.spec for kernel in block.kernels]
    return sum(k * n * WEIGHT_BYTES[s.weight_type] for s in specs for k, n in s.weights)


def _milliseconds(call: WatchedCall, blocks: int, threads: int) -> np.ndarray:
    """Of the kernels of each block: what threads spent on them, divided by how many there are."""
    spans = call.spans[(call.spans["activity"] == _KERNELS) & (call.spans["batch"] >= 0)]
    of = call.batches["block"][spans["batch"]]
    took = (spans["end"] - spans["begin"]).astype(float)
    return np.bincount(of, took, blocks) / threads / 1e6
