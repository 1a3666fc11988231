"""How accurate the point-wise operations are, as the table of docs/measurements.md:

    python -m tests.accuracy                # CPU kernels, a million operands per operation
    python -m tests.accuracy --count 4096   # fewer

Each operation's kernel is compared with the same function of numpy in float64, rounded once. The
numbers are spread evenly over the bit patterns of float32, so that all magnitudes and both signs
occur; of operations with several operands, every operand is a shuffle of them.
"""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "kernels"))

from acrobat.ir.ops import POINTWISE
from acrobat.ir.ops.definition import Pointwise
from acrobat.kernels.printers.cpu.build import build_kernels
from acrobat.kernels.printers.cpu.pack import aligned
from acrobat.kernels.printers.cpu.standalone import Standalone
from tests.kernels.kernel_specs import slot
from tests.kernels.pointwise_operands import single_operation

WIDTH = 4096
_NORMAL = float(np.finfo(np.float32).tiny)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Of one operation: the largest error of normal results in units in the last place and as a
    part of the result, the operands there; the largest absolute error of results below 1, and of
    subnormal ones."""

    operation: str
    ulps: float
    relative: float
    at: tuple[float, ...]
    absolute: float
    subnormal: float


def sample(op: Pointwise, count: int) -> list[np.ndarray]:
    """`count` operands each, finite and within the domain."""
    patterns = np.linspace(0, 2**32 - 1, 4 * count).astype(np.uint32).view(np.float32)
    low, high = op.domain
    xs = patterns[np.isfinite(patterns) & (patterns >= low) & (patterns <= high)]
    xs = xs[np.linspace(0, len(xs) - 1, count).astype(np.int64)]
    rng = np.random.default_rng(0)
    return [xs if i == 0 else rng.permutation(xs) for i in range(op.arity)]


_erfc = np.frompyfunc(math.erfc, 1, 1)


def _exact(op: Pointwise, xs: list[np.ndarray]) -> np.ndarray:
    """The results in float64."""
    if op.name == "gelu":  # 1 + erf(x) cancels even there
        return np.asarray(xs[0] * 0.5 * _erfc(-xs[0] / math.sqrt(2.0)), np.float64)
    return np.asarray(op.exact(*xs), np.float64)


def measure(op: Pointwise, kernels: Standalone, count: int) -> Accuracy:
    """The errors of an operation's kernel."""
    spec = single_operation(op, WIDTH)
    xs = sample(op, count)
    got = np.empty(count, np.float32)
    arena = aligned(op.arity * slot(WIDTH) + 16)
    offsets = {i: np.array([i * slot(WIDTH)], np.int32) for i in range(op.arity)}
    out = aligned(slot(WIDTH) + 16)[: slot(WIDTH)].reshape(1, -1)
    for start in range(0, count, WIDTH):
        for i, x in enumerate(xs):
            arena[i * slot(WIDTH) : i * slot(WIDTH) + WIDTH] = x[start : start + WIDTH]
        kernels.run(spec, out, dict.fromkeys(offsets, arena), offsets, aligned(16), aligned(16))
        got[start : start + WIDTH] = out[0, :WIDTH]
    with np.errstate(all="ignore"):
        exact = _exact(op, [x.astype(np.float64) for x in xs])
        rounded = exact.astype(np.float32)
    if not np.array_equal(np.isfinite(got), np.isfinite(rounded)):
        wrong = int(np.argmax(np.isfinite(got) != np.isfinite(rounded)))
        raise AssertionError(f"{op.name} of {[x[wrong] for x in xs]}: {got[wrong]}")
    finite = np.isfinite(got)
    error = np.where(finite, abs(np.where(finite, got, 0) - np.where(finite, exact, 0)), 0.0)
    normal = finite & (abs(rounded) >= _NORMAL)
    ulps = np.where(normal, error / np.spacing(abs(np.where(normal, rounded, 1))), 0.0)
    relative = np.where(normal, error / abs(np.where(normal, exact, 1)), 0.0)
    worst = int(np.argmax(ulps))
    return Accuracy(
        op.name,
        float(ulps[worst]),
        float(relative.max()),
        tuple(float(x[worst]) for x in xs),
        float(np.where(abs(rounded) < 1, error, 0.0).max()),
        float(np.where(normal, 0.0, error).max()),
    )


def measure_all(count: int) -> list[Accuracy]:
    """Of every operation that a model can write; `count` is rounded up to whole kernels."""
    ops = [op for op in POINTWISE.values() if op.written]
    kernels = Standalone(build_kernels([single_operation(op, WIDTH) for op in ops]))
    return [measure(op, kernels, -(-count // WIDTH) * WIDTH) for op in ops]


def table(found: list[Accuracy]) -> str:
    """Markdown."""
    rows = [
        "| operation | ulp | relative | at | absolute, results below 1 | subnormal results |",
        "|---|---|---|---|---|---|",
    ]
    for a in found:
        at = ", ".join(f"{x:.6g}" for x in a.at) if a.ulps > 0.501 else ""
        rows.append(
            f"| `{POINTWISE[a.operation].written}` | {a.ulps:.2f} | {a.relative:.1e} | {at} | "
            f"{a.absolute:.1e} | {a.subnormal:.1e} |"
        )
    return "\n".join(rows)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="The accuracy of the point-wise operations")
    parser.add_argument("--count", type=int, default=1 << 20, help="operands per operation")
    print(table(measure_all(parser.parse_args().count)))


if __name__ == "__main__":
    main()
