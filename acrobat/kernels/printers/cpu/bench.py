"""Time one kernel over batch sizes and row tiles.

`python -m acrobat.kernels.printers.cpu.bench --help` lists the options.

Prints microseconds and GF/s (of the contractions alone; the gather and the point-wise part are in
the time but not in the count) next to the peak of the core's multiply-add units, measured by a loop
that does nothing else. Single thread. Rows are spread over an arena much larger than a cache.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ....cache import cached_file, content_hash, load_library
from ....ir.types import align
from ...specification.spec import Gate, Instr, KernelSpec, Operand, Store, Term
from .build import build_kernels
from .pack import aligned, pack_vectors, pack_weights
from .standalone import Standalone
from .target import host_target

_NODES = 4096  # rows in the arena

# Independent chains of multiply-adds in vector registers: 24 hide a latency of 4 at 2 per cycle.
_PEAK = r"""
typedef float V __attribute__((vector_size(LANES * 4)));
#define CHAINS (LANES == 16 ? 24 : 12)
float acrobat_peak(long times, float seed) {
  V sum[CHAINS], a = (V){} + seed, b = (V){} + 1e-9f;
  for (int i = 0; i < CHAINS; i++) sum[i] = (V){} + (float)i;
  for (long t = 0; t < times; t++) {
#pragma GCC unroll 24
    for (int i = 0; i < CHAINS; i++) sum[i] = sum[i] * a + b;
  }
  V all = (V){};
  for (int i = 0; i < CHAINS; i++) all += sum[i];
  return all[0];
}
"""


def peak_gflops() -> float:
    """The peak rate of multiply-adds of one core of this machine, in GF/s, measured now."""
    lanes = host_target().lanes
    command = ["gcc", "-O2", "-march=native", "-ffast-math", f"-DLANES={lanes}", "-shared", "-fPIC"]

    def make(path: Path) -> None:
        source = path.with_suffix(".c")
        source.write_text(_PEAK)
        subprocess.run([*command, str(source), "-o", str(path)], check=True, capture_output=True)

    key = content_hash([_PEAK, host_target().key, *command])
    path, _ = cached_file("standalone", key, ".so", make)
    run = load_library(path, ctypes.CDLL).acrobat_peak
    run.argtypes, run.restype = (ctypes.c_long, ctypes.c_float), ctypes.c_float
    times = 200_000
    seconds = _best(lambda: run(times, 0.999), 9)
    return 2.0 * lanes * (24 if lanes == 16 else 12) * times / seconds / 1e9


def _best(run: Callable[[], object], samples: int) -> float:
    """Seconds of the fastest of `samples` runs: on a shared machine the least disturbed."""
    found = []
    for _ in range(samples):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def tree_cell(hidden: int, children: int = 2) -> KernelSpec:
    """The N-ary TreeLSTM cell (Tai et al. 2015, section 3.2) without a word at inner nodes: gates
    i, o, u and one forget gate per child, each over all children's h; stores h and c."""
    gates = 3 + children
    code: list[Instr] = []

    def put(fn: str, *args: int) -> int:
        code.append(Instr(fn, args))
        return len(code) - 1

    def gate(g: int, fn: str) -> int:
        return put(fn, put("add", put("acc", g), put("load_shared", 0, g * hidden)))

    c = put("mul", gate(0, "sigmoid"), gate(2, "tanh"))
    for child in range(children):
        kept = put("mul", gate(3 + child, "sigmoid"), put("load", children + child, 0))
        c = put("add", c, kept)
    h = put("mul", gate(1, "sigmoid"), put("tanh", c))
    slot = align(hidden)
    return KernelSpec(
        name=f"tree_cell_{hidden}",
        width=hidden,
        record=2 * slot,
        operands=(Operand("gathered", hidden),) * (2 * children),
        weights=((children * hidden, gates * hidden),),
        vectors=(gates * hidden,),
        gates=tuple(
            Gate(tuple(Term(i, 0, hidden, 0, i * hidden, g * hidden) for i in range(children)))
            for g in range(gates)
        ),
        epilogue=tuple(code),
        stores=(Store(0, h), Store(slot, c)),
    )


def linear(k: int, width: int) -> KernelSpec:
    """tanh(x @ W + b)."""
    code = (
        Instr("acc", (0,)),
        Instr("load_shared", (0, 0)),
        Instr("add", (0, 1)),
        Instr("tanh", (2,)),
    )
    return KernelSpec(
        name=f"linear_{k}_{width}",
        width=width,
        record=align(width),
        operands=(Operand("gathered", k),),
        weights=((k, width),),
        vectors=(width,),
        gates=(Gate((Term(0, 0, k, 0, 0, 0),)),),
        epilogue=code,
        stores=(Store(0, 3),),
    )


class Timed:
    """One kernel with random weights and rows, ready to be timed."""

    def __init__(self, spec: KernelSpec, most: int) -> None:
        rng = np.random.default_rng(0)
        self.spec = spec
        built = build_kernels([spec])
        self.kernel, self.build_s = built.kernels[spec.name], built.build_s
        self.library = Standalone(built)
        scale = max(k for k, _ in spec.weights) ** -0.5 if spec.weights else 1.0

        def draw(*shape: int) -> np.ndarray:
            return rng.normal(0, scale, shape).astype(np.float32)

        self.weights = pack_weights(spec, [draw(*s) for s in spec.weights])
        self.vectors = pack_vectors(spec, [draw(n) for n in spec.vectors])
        stride = align(max(o.width for o in spec.operands))
        self.arena = aligned(_NODES * stride + 16)
        self.arena[:] = rng.uniform(-1, 1, self.arena.size)
        self.places = {
            i: (rng.integers(0, _NODES, most) * stride).astype(np.int32) for i in spec.indexed
        }
        self.out = aligned(most * spec.record + 16)[: most * spec.record].reshape(most, -1)

    def seconds(
        self, n: int, plan: Sequence[tuple[int, int]], samples: int, target: float = 2e-3
    ) -> float:
        """Seconds of one batch of `n` nodes: the best of `samples`, each of about `target`."""
        bases = dict.fromkeys(self.places, self.arena)
        offsets = {i: np.ascontiguousarray(o[:n]) for i, o in self.places.items()}

        def run(repeat: int) -> None:
            self.library.run(
                self.spec, self.out[:n], bases, offsets, self.weights, self.vectors, plan, repeat
            )

        run(1)
        repeat = max(1, round(target / _best(lambda: run(1), 3)))
        return _best(lambda: run(repeat), samples) / repeat


def partitions(n: int, tiles: Sequence[int]) -> list[list[tuple[int, int]]]:
    """All ways to divide n rows into at most one tile more than necessary, largest first."""
    found: list[list[tuple[int, int]]] = []

    def extend(left: int, largest: int, chosen: list[int]) -> None:
        if left == 0:
            found.append([(r, chosen.count(r)) for r in sorted(set(chosen), reverse=True)])
        elif len(chosen) < -(-n // tiles[-1]) + 1:
            for r in tiles:
                if r <= min(left, largest):
                    extend(left - r, r, [*chosen, r])

    extend(n, tiles[-1], [])
    return found


def _shown(plan: Sequence[tuple[int, int]]) -> str:
    return "+".join(f"{count}x{r}" if count > 1 else str(r) for r, count in plan)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--kernel", choices=("tree", "linear"), default="tree")
    parser.add_argument("--hidden", type=int, nargs="+", default=[256])
    parser.add_argument("--n", type=int, nargs="+", default=[1, 2, 4, 8, 16, 64, 256])
    parser.add_argument("--tiles", action="store_true", help="one tile of every height")
    parser.add_argument("--plans", action="store_true", help="the best ways to cut n into tiles")
    parser.add_argument("--samples", type=int, default=15)
    args = parser.parse_args(arguments)
    peak = peak_gflops()
    print(f"{host_target().model}: multiply-add peak {peak:.0f} GF/s")
    for hidden in args.hidden:
        spec = tree_cell(hidden) if args.kernel == "tree" else linear(hidden, hidden)
        most = max(*args.n, 8)
        timed = Timed(spec, most)
        print(f"{spec.name}: {timed.kernel.weight_floats * 4 / 2**20:.2f} MiB of weights")

        def show(n: int, plan: Sequence[tuple[int, int]], timed: Timed = timed) -> None:
            s = timed.seconds(n, plan, args.samples)
            rate = n * timed.spec.flops / s / 1e9
            print(
                f"  n={n:<5} {_shown(plan):<12} {s * 1e6:9.1f} us {rate:7.1f} GF/s "
                f"{rate / peak:5.0%}"
            )

        if args.tiles:
            for r in timed.kernel.tiles:
                show(r, [(r, 1)])
        for n in args.n:
            if args.plans:
                plans = partitions(n, timed.kernel.tiles)
                plans.sort(key=lambda p: timed.seconds(n, p, 5))
                for plan in plans[:3]:
                    show(n, plan)
                print("  rule:", end="")
            show(n, timed.kernel.plan(n))


if __name__ == "__main__":
    main()
