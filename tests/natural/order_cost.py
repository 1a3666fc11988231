"""Prints what following a block order costs the host beside inline depth:

python -m tests.natural.order_cost [--rounds 40]

Graph and schedule, ns of wall time per node, of mini-batches in turn; the extra time is the median
over the rounds of the ratio of a round's two times, with quartiles. Fewer batches show that the
order was followed.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from . import NATURALS
from .host_cost import SEEDS, host_cost
from .model import Natural

NAMES = ("n-ary trees", "mixed child-sum", "code encoder", "decoder with its cache in lists")
SCHEDULERS = ("inline_depth", "auto")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.natural.order_cost", description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    by_name = {natural.name: natural for natural in NATURALS}
    for name in NAMES:
        print(f"{name:32}", _line(by_name[name], rounds))


def _line(natural: Natural, rounds: int) -> str:
    compiled = [natural.compiled(64, threads=1, scheduler=s) for s in SCHEDULERS]
    batches = [natural.instances(np.random.default_rng(s), 64) for s in range(SEEDS)]
    prepared: list[Any] = [[fast.prepare(b) for b in batches] for fast in compiled]
    runs = [
        [host_cost(fast, inputs) for fast, inputs in zip(compiled, prepared, strict=True)]
        for _ in range(rounds + 1)
    ][1:]
    ns = np.array([[cost.ns / cost.nodes for cost in run] for run in runs])
    depth, order = ns.min(axis=0)
    fewer = " and ".join(str(cost.batches) for cost in runs[-1])
    low, middle, high = 100 * (np.quantile(ns[:, 1] / ns[:, 0], [0.25, 0.5, 0.75]) - 1)
    return (
        f"{depth:5.1f} by inline depth, {order:5.1f} by the order (minima): "
        f"{middle:+.0f}% [{low:+.0f}%, {high:+.0f}%], {fewer} batches"
    )


if __name__ == "__main__":
    main()
