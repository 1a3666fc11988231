"""The work of the static blocks of a mini-batch, the resulting bound on their time, and the time
that they take.

The work consists of the products, the weights (once per batch), and what nodes read and write.
Point-wise arithmetic is not counted: blocks with much of it have a low share of the bound."""

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
    """A static block over a mini-batch: its `batches` and the `rows` of all of them, the operations
    of its products (`flops`), and the bytes of weights (from `weights_from`) and of nodes (from
    `nodes_from`). `bound`: what limits it, "arithmetic" or "reading", to at least `bound_ms`.
    `took_ms`: the time of its kernels, averaged over threads."""

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
        """The bound divided by the time; at 1 the block is as fast as the machine allows."""
        return self.bound_ms / self.took_ms if self.took_ms else 0.0

    @property
    def gflops(self) -> float:
        """The rate of the products, over the time that the block took."""
        return self.flops / self.took_ms / 1e6 if self.took_ms else 0.0


def find_limits(layout: Layout, calls: Sequence[WatchedCall], machine: Machine) -> list[BlockLimit]:
    """Return the limit of every block that ran, the slowest blocks first. `calls`: runs of the same
    mini-batch, over which the median of the times is taken."""
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
    """Return, for each batch, the bytes of weights read since the last batch of its block, its own
    weights included. For a block's first batch these are the weights of all blocks, because its
    last batch was in the previous mini-batch."""
    sizes = np.full(len(order), float(sum(weight_bytes)))
    last: dict[int, int] = {}
    for at, block in enumerate(order):
        if block in last:
            between = {int(b) for b in order[last[block] + 1 : at]}
            sizes[at] = weight_bytes[block] + sum(weight_bytes[b] for b in between)
        last[block] = at
    return sizes


def _weight_bytes(block: BlockLayout) -> int:
    """Return the bytes of the matrices that all nodes share, as they are stored."""
    specs = [kernel.spec for kernel in block.kernels]
    return sum(k * n * WEIGHT_BYTES[s.weight_type] for s in specs for k, n in s.weights)


def _milliseconds(call: WatchedCall, blocks: int, threads: int) -> np.ndarray:
    """Return the time of each block's kernels, summed over threads and divided by their number."""
    spans = call.spans[(call.spans["activity"] == _KERNELS) & (call.spans["batch"] >= 0)]
    of = call.batches["block"][spans["batch"]]
    took = (spans["end"] - spans["begin"]).astype(float)
    return np.bincount(of, took, blocks) / threads / 1e6
