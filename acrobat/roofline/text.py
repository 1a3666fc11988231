"""Limits as a table, and as JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence

from .blocks import BlockLimit
from .machine import Machine

_HEAD = ("block", "batches", "rows", "MF", "MB", "took ms", "GF/s", "bound ms", "bound", "share")


def limits_text(machine: Machine, limits: Sequence[BlockLimit]) -> str:
    """What the machine can, a line for each block, and all of them together."""
    m = machine
    threads = "1 thread" if m.threads == 1 else f"{m.threads} threads"
    lines = [
        f"{m.name}, {threads}: multiply-adds {m.gflops:.0f} GF/s; reading from L2 "
        f"{m.l2_gb_s:.0f} GB/s, L3 {m.l3_gb_s:.0f}, memory {m.memory_gb_s:.0f}",
    ]
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


def limits_json(machine: Machine, limits: Sequence[BlockLimit]) -> str:
    """The same, and every number that it is from."""
    blocks = [
        {**dataclasses.asdict(limit), "gflops": limit.gflops, "share": limit.share}
        for limit in limits
    ]
    return json.dumps({"machine": dataclasses.asdict(machine), "blocks": blocks}, indent=1) + "\n"


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
