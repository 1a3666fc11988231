"""Prints limits as tables and as JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence

from .blocks import BlockLimit
from .machine import Machine

_TABLE_HEAD = (
    "| workload, size, batch | MF | MB | took ms | GF/s | bound ms | share of the bound "
    "| longest block | rows per batch | bound by | of peak | share of its bound |",
    "|---" * 12 + "|",
)
_HEAD = ("block", "batches", "rows", "MF", "MB", "took ms", "GF/s", "bound ms", "bound", "share")


def limits_text(machine: Machine, limits: Sequence[BlockLimit]) -> str:
    """Return the machine's peaks, a line for each block, and a line for all of them together."""
    lines = [_peaks(machine)]
    table = [_HEAD, *map(_line, limits)]
    widths = [max(len(line[i]) for line in table) for i in range(len(_HEAD))]
    for line in table:
        first, *rest = line
        cells = [
            first.ljust(widths[0]),
            *(c.rjust(w) for c, w in zip(rest, widths[1:], strict=True)),
        ]
        lines.append("  ".join(cells).rstrip())
    took, bound = (sum(getattr(x, name) for x in limits) for name in ("took_ms", "bound_ms"))
    share = bound / took if took else 0.0
    lines.append(f"all blocks: {took:.3f} ms, bound {bound:.3f} ms: {share:.0%} of it")
    return "\n".join(lines) + "\n"


def limits_table(
    machine: Machine, found: Mapping[tuple[str, str, int], Sequence[BlockLimit]]
) -> str:
    """Return the machine's peaks and a Markdown table with a line for each mini-batch (workload,
    size, instances): all its kernels together, and the block that takes longest."""
    lines = [_peaks(machine), "", *_TABLE_HEAD]
    for (workload, size, batch), limits in found.items():
        longest = max(limits, key=lambda limit: limit.took_ms)
        flops = sum(limit.flops for limit in limits)
        took, bound = (sum(getattr(x, name) for x in limits) for name in ("took_ms", "bound_ms"))
        read = sum(limit.weight_bytes + limit.node_bytes for limit in limits)
        cells = (
            f"{workload}, {size}, {batch}",
            f"{flops / 1e6:.0f}",
            f"{read / 1e6:.1f}",
            f"{took:.3f}",
            f"{flops / took / 1e6:.0f}" if took else "-",
            f"{bound:.3f}",
            f"{bound / took:.0%}" if took else "-",
            f"`{longest.name}`",
            f"{longest.rows / max(longest.batches, 1):.0f}",
            longest.bound,
            f"{longest.gflops / machine.gflops:.0%}",
            f"{longest.share:.0%}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def limits_json(machine: Machine, limits: Sequence[BlockLimit]) -> str:
    """Return the machine's peaks and the limits as JSON, with every number they are based on."""
    blocks = [
        {**dataclasses.asdict(limit), "gflops": limit.gflops, "share": limit.share}
        for limit in limits
    ]
    return json.dumps({"machine": dataclasses.asdict(machine), "blocks": blocks}, indent=1) + "\n"


def _peaks(m: Machine) -> str:
    threads = "1 thread" if m.threads == 1 else f"{m.threads} threads"
    return (
        f"{m.name}, {threads}: multiply-adds {m.gflops:.0f} GF/s; reading from L2 "
        f"{m.l2_gb_s:.0f} GB/s, L3 {m.l3_gb_s:.0f}, memory {m.memory_gb_s:.0f}"
    )


def _line(limit: BlockLimit) -> tuple[str, ...]:
    read = (limit.weight_bytes + limit.node_bytes) / 1e6
    what = limit.bound
    if what == "reading":
        weights = limit.weight_bytes >= limit.node_bytes
        what += f" {limit.weights_from if weights else limit.nodes_from}"
    return (
        limit.name,
        str(limit.batches),
        str(limit.rows),
        f"{limit.flops / 1e6:.1f}",
        f"{read:.1f}",
        f"{limit.took_ms:.3f}",
        f"{limit.gflops:.1f}",
        f"{limit.bound_ms:.3f}",
        what,
        f"{limit.share:.0%}",
    )
