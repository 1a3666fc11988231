"""Prints how far batches are from their bound:  python -m tests.natural [--batch 64] [NAME ...]"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import acrobat as ab

from . import NATURALS
from .model import Natural

COLUMNS = "batches  waits  bound  ratio  nodes  graph ms  schedule ms  kernels ms  call ms"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.natural", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="part of a model's name")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    args = parser.parse_args()
    options = dict(o.split("=", 1) for o in args.option)
    chosen = [n for n in NATURALS if not args.names or any(w in n.name for w in args.names)]
    wide = max(len(n.name) for n in chosen)
    print(" " * wide, COLUMNS)
    for natural in chosen:
        print(f"{natural.name:{wide}}", _line(natural, args.batch, args.hidden, options))


def _line(natural: Natural, batch: int, hidden: int, options: dict[str, str]) -> str:
    parsed = ab.Options.parse({"threads": "1", **options})
    weights = natural.weights(np.random.default_rng(0), hidden)
    fast = ab.compile(natural.model, weights, target="cpu", options=parsed)
    inputs: Any = fast.prepare(natural.mini_batch(batch))
    bound = fast.count_least_batches(inputs)
    fast.run(inputs)
    profiles, times = [], []
    for _ in range(100):
        start = time.perf_counter()
        fast.run(inputs)
        times.append(time.perf_counter() - start)
        profiles.append(fast.last_profile)
    last = profiles[-1]

    def least(name: str) -> float:
        return min(float(getattr(p, name)) for p in profiles)

    cells = [
        last.n_batches,
        last.n_syncs,
        bound,
        f"{last.n_batches / max(bound, 1):.2f}",
        last.n_nodes,
        f"{least('graph_ms'):.2f}",
        f"{least('schedule_ms'):.2f}",
        f"{least('kernel_ms'):.2f}",
        f"{min(times) * 1e3:.2f}",
    ]
    heads = COLUMNS.split("  ")
    return "  ".join(f"{c:>{len(h)}}" for c, h in zip(cells, heads, strict=True))


if __name__ == "__main__":
    main()
