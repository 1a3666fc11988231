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

import acrobat as ab

from . import NATURALS
from .model import Natural

NAMES = ("n-ary trees", "mixed child-sum", "code encoder", "decoder with its cache in lists")
SCHEDULERS = ("inline_depth", "auto")
SEEDS = 8


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
    costs = np.array(
        [
            [_ns_per_node(fast, inputs) for fast, inputs in zip(compiled, prepared, strict=True)]
            for _ in range(rounds + 1)
        ][1:]
    )
    depth, order = costs.min(axis=0)
    fewer = " and ".join(str(_batches(f, i)) for f, i in zip(compiled, prepared, strict=True))
    low, middle, high = 100 * (np.quantile(costs[:, 1] / costs[:, 0], [0.25, 0.5, 0.75]) - 1)
    return (
        f"{depth:5.1f} by inline depth, {order:5.1f} by the order (minima): "
        f"{middle:+.0f}% [{low:+.0f}%, {high:+.0f}%], {fewer} batches"
    )


def _ns_per_node(fast: ab.CompiledModel[Any, Any], inputs: list[Any]) -> float:
    """Of each mini-batch once."""
    ms, nodes = 0.0, 0
    for one in inputs:
        fast.run(one)
        profile = fast.last_profile
        assert profile is not None
        ms += profile.graph_ms + profile.schedule_ms
        nodes += profile.n_nodes
    return ms * 1e6 / nodes


def _batches(fast: ab.CompiledModel[Any, Any], inputs: list[Any]) -> int:
    """Of all mini-batches together."""
    total = 0
    for one in inputs:
        fast.run(one)
        assert fast.last_profile is not None
        total += fast.last_profile.n_batches
    return total


if __name__ == "__main__":
    main()
