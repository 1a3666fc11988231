"""Lower bounds on the time of a mini-batch on a GPU: `python -m harness.gpu.limits`.

Needs no GPU: batches and kernels are those of the program for the CPU, which has the same blocks
and the same schedule. Launches are those of `gpu_mode="launches"`; arithmetic is that of the
contractions; bytes are the operands that the kernels read, the weights once per batch, and the
results that they store, whether in memory or in the L2 cache. Nothing else is counted: no
decision's trip to the host, no barrier, no partly filled tile.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import acrobat as ab
import workloads
from acrobat.kernels.specification.spec import KernelSpec, strides
from workloads.data.source import find_source

# From NVIDIA's data sheet of the H200 (SXM): float32 without tensor cores, and memory bandwidth,
# which its L2 cache does not exceed by much. The time of a launch in a stream that is never empty
# is assumed.
FLOPS, BYTES, LAUNCH_US = 67e12, 4.8e12, 2.0
_FLOAT = 4


@dataclass(frozen=True, slots=True)
class Limits:
    """Lower bounds for one mini-batch; times in microseconds."""

    launches: int
    waits: int
    flops: float
    bytes: float

    @property
    def launch_us(self) -> float:
        """The time of all launches, one after the other."""
        return self.launches * LAUNCH_US

    @property
    def flop_us(self) -> float:
        """The time of the arithmetic at the GPU's peak rate."""
        return self.flops / FLOPS * 1e6

    @property
    def byte_us(self) -> float:
        """The time of the loads and stores at the memory bandwidth."""
        return self.bytes / BYTES * 1e6


def node_bytes(spec: KernelSpec) -> int:
    """The bytes that a kernel reads and stores per node."""
    regions = {
        (t.operand, t.offset, spec.rows if t.row_stride else 1, t.k)
        for gate in spec.gates
        for t in gate.terms
    }
    floats = sum(rows * k for *_, rows, k in regions)
    matrices = {(t.matrix, t.k) for gate in spec.gates for t in gate.terms if t.matrix is not None}
    floats += sum(k * spec.width for _, k in matrices)
    reads = {i for i in spec.epilogue if i.fn == "row"}
    for read in reads:
        _, row_stride, col_stride = strides(read)
        floats += (spec.rows if row_stride else 1) * (spec.width if col_stride else 1)
    for store in spec.stores:
        floats += spec.rows * (1 if store.scalar else spec.width)
    return _FLOAT * floats


def batch_bytes(spec: KernelSpec) -> int:
    """The bytes of weights that a kernel reads once per batch, whatever the number of nodes."""
    parts = {
        (t.weight, t.row, t.col, t.k) for gate in spec.gates for t in gate.terms if not t.matrix
    }
    return _FLOAT * (sum(k * spec.width for *_, k in parts) + sum(spec.vectors))


def limits_of(workload: str, size: str, batch: int) -> Limits:
    """The limits of the mini-batch that the harness measures."""
    source = find_source()
    made = workloads.get(workload)
    fast = ab.compile(made.model, made.make_params(size, 0, source), "cpu")
    fast(made.make_instances(size, batch, 0, source))
    profile = fast.last_profile
    launches, flops, moved = 0, 0.0, 0.0
    for plan in fast.compilation.plans:
        nodes, batches = profile.nodes.get(plan.block, 0), profile.batches.get(plan.block, 0)
        launches += batches * len(plan.kernels)
        for spec in plan.kernels:
            flops += nodes * spec.flops
            moved += nodes * node_bytes(spec) + batches * batch_bytes(spec)
    return Limits(launches, profile.n_syncs, flops, moved)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line: a Markdown table."""
    parser = argparse.ArgumentParser(prog="harness.gpu.limits", description=__doc__)
    parser.add_argument("--workloads", nargs="+", choices=workloads.ALL, default=workloads.NAMES)
    parser.add_argument("--sizes", nargs="+", default=["small", "large"])
    parser.add_argument("--batches", nargs="+", type=int, default=[64])
    args = parser.parse_args(argv)
    print(
        "| workload | size, batch | launches | waits | GFLOP | MB | at least, us: launches |",
        end="",
    )
    print(" arithmetic | bytes |\n|---|---|---|---|---|---|---|---|---|")
    for name in args.workloads:
        for size in args.sizes:
            for batch in args.batches:
                x = limits_of(name, size, batch)
                print(
                    f"| {name} | {size}, {batch} | {x.launches} | {x.waits} | {x.flops / 1e9:.2f} "
                    f"| {x.bytes / 1e6:.0f} | {x.launch_us:.0f} | {x.flop_us:.0f} "
                    f"| {x.byte_us:.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
