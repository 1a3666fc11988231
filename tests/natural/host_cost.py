"""Prints what building and scheduling the dataflow graph costs the host, in ns per node:

python -m tests.natural.host_cost [--beside CHECKOUT] [--rounds 5] [--hidden 8]

Of the workloads at `tiny` and of the models of this folder, mini-batches of 64, one thread, the
minimum of all rounds. `--beside` compares with the compiler of another checkout of the project,
say `git worktree add --detach DIR COMMIT`: processes in turn, on its workloads and on the models of
this folder.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parents[2]
CALLS = 10
SEEDS = 8


class Cost(NamedTuple):
    """Of several mini-batches together."""

    ns: float
    nodes: int
    batches: int


# By model; or why it was not measured.
Costs = dict[str, Cost | str]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.natural.host_cost", description=__doc__)
    parser.add_argument("--beside", type=Path, metavar="CHECKOUT")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--hidden", type=int, default=8, help="of the models of this folder")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        print(json.dumps(_measured(args.hidden)))
        return
    checkouts = [HERE] if args.beside is None else [args.beside.resolve(), HERE]
    rounds = [[_in_process(c, args.hidden) for c in checkouts] for _ in range(args.rounds)]
    for name in rounds[0][-1]:
        cells = [
            _cell([r[i].get(name, "not there") for r in rounds]) for i in range(len(checkouts))
        ]
        values = [c for c in cells if isinstance(c, tuple)]
        text = "; ".join(c if isinstance(c, str) else f"{c[0]:5.1f} ns, {c[1]}" for c in cells)
        ratio = f"; {values[1][0] / values[0][0]:.2f}" if len(values) == 2 else ""
        print(f"{name:32} {text}{ratio}", flush=True)


def _cell(rounds: list[Cost | str]) -> tuple[float, str] | str:
    """Nanoseconds per node, and what there was of nodes and batches; or why not."""
    found = [cost for cost in rounds if isinstance(cost, Cost)]
    if not found:
        return str(rounds[0])
    best = min(found)
    return best.ns / best.nodes, f"{best.nodes} nodes in {best.batches} batches"


def _in_process(checkout: Path, hidden: int) -> Costs:
    """With the compiler of `checkout`."""
    with tempfile.TemporaryDirectory() as folder:
        for package in ("acrobat", "workloads"):
            Path(folder, package).symlink_to(checkout / package)
        command = [sys.executable, "-P", "-m", "tests.natural.host_cost", "--measure"]
        path = os.pathsep.join((folder, str(HERE)))
        done = subprocess.run(
            [*command, "--hidden", str(hidden)],
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    found: dict[str, Any] = json.loads(done.stdout)
    return {name: c if isinstance(c, str) else Cost(*c) for name, c in found.items()}


def _measured(hidden: int) -> Costs:
    import numpy as np

    import acrobat as ab
    import workloads
    from workloads.data.source import TreeSource

    from . import NATURALS

    trees = TreeSource(None)
    costs: Costs = {}
    for name in workloads.NAMES:
        workload = workloads.get(name)
        weights = workload.make_params("tiny", 0, trees)
        costs[name] = _cost(
            partial(ab.compile, workload.model, weights, "cpu", ab.Options(threads=1)),
            [workload.make_instances("tiny", 64, seed, trees) for seed in range(SEEDS)],
        )
    for natural in NATURALS:
        costs[natural.name] = _cost(
            partial(natural.compiled, hidden, threads=1),
            [natural.instances(np.random.default_rng(seed), 64) for seed in range(SEEDS)],
        )
    return costs


def _cost(compiled: Callable[[], Any], batches: list[Any]) -> Cost | str:
    try:
        fast = compiled()
        inputs = [fast.prepare(b) for b in batches]
        return min(host_cost(fast, inputs) for _ in range(CALLS))
    except Exception as error:  # an older compiler refuses some models
        return f"not measured: {str(error).splitlines()[0][:60]}"


def host_cost(fast: Any, inputs: list[Any]) -> Cost:
    """Graph and schedule of one run of each of the prepared mini-batches."""
    ms, nodes, batches = 0.0, 0, 0
    for one in inputs:
        fast.run(one)
        profile = fast.last_profile
        ms += profile.graph_ms + profile.schedule_ms
        nodes += profile.n_nodes
        batches += profile.n_batches
    return Cost(ms * 1e6, nodes, batches)


if __name__ == "__main__":
    main()
