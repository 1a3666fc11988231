"""Time models whose weights are chosen by a number: a mixture of experts, and two graph networks
over types of edges, one of them gated.

    python -m tests.grouped_weights [--against CHECKOUT] [--rounds 7] [--hidden 320] [--batch 64]

With `--against` another checkout of this project is measured in turn, round by round, each in a
process of its own, and the ratio is printed. Milliseconds are CPU time of the whole call with
prepared instances, one thread unless `--threads` says otherwise: the median of a round, and of the
rounds their median and spread.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import acrobat as ab
from acrobat import Float32, Tensor, ops

EXPERTS, EDGE_TYPES = 8, 6


@ab.params
class Experts:
    gate: Float32[Tensor, "H E"]
    up: Float32[Tensor, "E H H"]
    up_bias: Float32[Tensor, "E H"]
    down: Float32[Tensor, "E H H"]
    down_bias: Float32[Tensor, "E H"]


@ab.data
class Tokens:
    xs: list[Float32[Tensor, "H"]]


@ab.model
def experts(p: Experts, t: Tokens) -> Float32[Tensor, "H"]:
    """Every token goes through the expert that the gate prefers for it and what came before."""
    h = ops.zeros(p.gate.shape[0])
    for x in t.xs:
        y = h + x
        k = ops.argmax(y @ p.gate)
        z = ops.relu(ops.linear(y, p.up[k], p.up_bias[k]))
        h = ops.tanh(ops.linear(z, p.down[k], p.down_bias[k]))
    return h


@ab.params
class Ggnn:
    message: Float32[Tensor, "T H H"]
    wz: Float32[Tensor, "2H H"]
    wr: Float32[Tensor, "2H H"]
    wh: Float32[Tensor, "2H H"]


@ab.data
class Edge:
    source: int
    type: int


@ab.data
class Vertex:
    x: Float32[Tensor, "H"]
    edges: list[Edge]


@ab.data
class Molecule:
    vertices: list[Vertex]


@ab.model
def message(p: Ggnn, hs: list[Float32[Tensor, "H"]], e: Edge) -> Float32[Tensor, "H"]:
    return hs[e.source] @ p.message[e.type]


@ab.model
def update(p: Ggnn, hs: list[Float32[Tensor, "H"]], v: Vertex, i: int) -> Float32[Tensor, "H"]:
    a = ops.zeros(p.message.shape[1])
    for m in [message(p, hs, e) for e in v.edges]:
        a = a + m
    h = hs[i]
    z = ops.sigmoid(ops.concat(a, h) @ p.wz)
    r = ops.sigmoid(ops.concat(a, h) @ p.wr)
    return (1.0 - z) * h + z * ops.tanh(ops.concat(a, r * h) @ p.wh)


@ab.model
def ggnn(p: Ggnn, g: Molecule) -> Float32[Tensor, "H"]:
    """Two rounds of messages over the edges of a graph (Li et al. 2016)."""
    hs = [v.x for v in g.vertices]
    for _ in range(2):
        hs = [update(p, hs, v, i) for i, v in enumerate(g.vertices)]
    total = ops.zeros(p.message.shape[1])
    for h in hs:
        total = total + h
    return total


@ab.model
def relational(p: Ggnn, g: Molecule) -> Float32[Tensor, "H"]:
    """Two layers in which a vertex takes the sum of its messages (Schlichtkrull et al. 2018)."""
    hs = [v.x for v in g.vertices]
    for _ in range(2):
        news: list[Float32[Tensor, "H"]] = []
        for i, v in enumerate(g.vertices):
            a = hs[i]
            for m in [message(p, hs, e) for e in v.edges]:
                a = a + m
            news.append(ops.relu(a))
        hs = news
    total = ops.zeros(p.message.shape[1])
    for h in hs:
        total = total + h
    return total


Cell = tuple[Callable[..., object], object, list[object]]


def expert_cell(hidden: int, batch: int) -> Cell:
    """Sequences of 4 to 8 tokens."""
    rng = np.random.default_rng(0)

    def draw(*shape: int) -> np.ndarray:
        return (rng.standard_normal(shape) / np.sqrt(hidden)).astype(np.float32)

    n, h = EXPERTS, hidden
    p = Experts(
        gate=draw(h, n), up=draw(n, h, h), up_bias=draw(n, h), down=draw(n, h, h),
        down_bias=draw(n, h),
    )  # fmt: skip
    lengths = rng.integers(4, 9, batch)
    tokens = [Tokens([20 * draw(hidden) for _ in range(length)]) for length in lengths]
    return experts, p, list(tokens)


def graph_cell(model: Callable[..., object], hidden: int, batch: int) -> Cell:
    """Graphs of 3 to 6 vertices with 2 edges to each."""
    rng = np.random.default_rng(0)

    def draw(*shape: int) -> np.ndarray:
        return (rng.standard_normal(shape) / np.sqrt(hidden)).astype(np.float32)

    p = Ggnn(
        message=draw(EDGE_TYPES, hidden, hidden), wz=draw(2 * hidden, hidden),
        wr=draw(2 * hidden, hidden), wh=draw(2 * hidden, hidden),
    )  # fmt: skip

    def graph(size: int) -> Molecule:
        def edge() -> Edge:
            return Edge(int(rng.integers(size)), int(rng.integers(EDGE_TYPES)))

        return Molecule([Vertex(draw(hidden), [edge(), edge()]) for _ in range(size)])

    return model, p, [graph(int(rng.integers(3, 7))) for _ in range(batch)]


CELLS: dict[str, Callable[[int, int], tuple[Any, Any, list[Any]]]] = {
    "experts": expert_cell,
    "relational": functools.partial(graph_cell, relational),
    "ggnn": functools.partial(graph_cell, ggnn),
}


def measure(cell: str, hidden: int, batch: int, threads: int) -> dict[str, float]:
    """Milliseconds of a call, and of its kernels: the median over a second, at least 20 calls."""
    model, p, instances = CELLS[cell](hidden, batch)
    fast = ab.compile(model, p, "cpu", ab.Options(threads=threads))
    inputs = fast.prepare(instances)
    for _ in range(5):
        fast.run(inputs)
    clock = time.process_time if threads == 1 else time.perf_counter
    samples: list[float] = []
    kernels: list[float] = []
    end = time.perf_counter() + 1
    while time.perf_counter() < end or len(samples) < 20:
        start = clock()
        fast.run(inputs)
        samples.append((clock() - start) * 1e3)
        kernels.append(fast.last_profile.kernel_ms)
    batches = fast.last_profile.batches
    total = batches if isinstance(batches, int) else sum(batches.values())
    return {"ms": statistics.median(samples), "kernel_ms": statistics.median(kernels),
            "batches": total}  # fmt: skip


def in_process(checkout: Path, arguments: list[str]) -> dict[str, float]:
    """`measure` in a process of its own, with the compiler of `checkout`."""
    command = [sys.executable, __file__, "--one", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--against", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--hidden", type=int, default=320)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cells", nargs="+", choices=CELLS, default=list(CELLS))
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(measure(args.cells[0], args.hidden, args.batch, args.threads)))
        return
    here = Path(__file__).resolve().parents[1]
    checkouts = {"before": args.against.resolve(), "now": here} if args.against else {"now": here}
    for cell in args.cells:
        rows: dict[str, list[dict[str, float]]] = {name: [] for name in checkouts}
        options = [f"--{n}={getattr(args, n)}" for n in ("hidden", "batch", "threads")]
        for _ in range(args.rounds):
            for name, checkout in checkouts.items():
                rows[name].append(in_process(checkout, ["--cells", cell, *options]))
        for name, found in rows.items():
            ms = [r["ms"] for r in found]
            kernels = statistics.median(r["kernel_ms"] for r in found)
            print(
                f"{cell:10} {name:7} {statistics.median(ms):8.3f} ms ({min(ms):.3f} to "
                f"{max(ms):.3f}), kernels {kernels:.3f} ms, {found[0]['batches']:.0f} batches"
            )
        if args.against:
            ratios = [b["ms"] / n["ms"] for b, n in zip(rows["before"], rows["now"], strict=True)]
            print(f"{cell:10} ratio   {statistics.median(ratios):8.2f}")


if __name__ == "__main__":
    main()
