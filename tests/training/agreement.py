"""Compiled gradients of the workloads against those in float64:

    python -m tests.training.agreement --size small --batch 1 7 64

Every gradient of a weight has to be within 1e-4 of its size of the tape's, and, with `--torch`, of
PyTorch's autograd. Instances whose decisions rounding makes otherwise are left out, and counted.
Exit code: 1 if a gradient is off.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import acrobat as ab
import workloads
from acrobat.backward.compiled import compiled_vjp
from acrobat.lang.params import weights
from acrobat.training.cotangents import tensors_of
from acrobat.training.on_tape import TapeRun
from workloads.data.source import TreeSource

RELATIVE, ABSOLUTE = 1e-4, 1e-6


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of one mini-batch: the largest distance of a gradient from the judge's, relative to its size,
    and of which weight; how many instances rounding decides otherwise."""

    distance: float
    weight: str
    left_out: int

    @property
    def is_close(self) -> bool:
        return self.distance <= RELATIVE


def agreement(
    name: str, size: str, batch: int, by_torch: bool = False, **options: Any
) -> list[Agreement]:
    """Compare a workload with the tape, and with autograd."""
    source = TreeSource(None)
    workload = workloads.get(name)
    params = workload.make_params(size, 0, source)
    instances = workload.make_instances(size, batch, 0, source)
    vjp = compiled_vjp(ab.compile(workload.model, params, "cpu", ab.Options(**options)))
    everything = tuple(weights(params))
    tape = TapeRun(workload.model, params, everything, np.float64)
    tape.forward(instances)
    run = vjp.forward(instances)
    alike = [
        i for i in range(batch) if _same_shapes(tape.results[i], run.results[i])
    ]  # a decision that is made otherwise changes how many tensors there are, or how large
    left_out = batch - len(alike)
    if left_out:
        instances = [instances[i] for i in alike]
        run = vjp.forward(instances)
        tape = TapeRun(workload.model, params, everything, np.float64)
        tape.forward(instances)
    rng = np.random.default_rng(0)
    given = [
        [rng.standard_normal(t.shape).astype(np.float32) for t in tensors_of(r)]
        for r in tape.results
    ]
    got = {path: np.asarray(g) for path, g in run.pullback(given).items()}
    tape.backward(dict(enumerate(given)))
    judges = [{path: np.asarray(g) for path, g in tape.gradients().items()}]
    if by_torch:
        from tests.training.torch_gradients import torch_gradients

        judges.append(torch_gradients(workload, params, instances, given)[1])
    return [_compared(got, want, left_out) for want in judges]


def _same_shapes(a: Any, b: Any) -> bool:
    return [t.shape for t in tensors_of(a)] == [t.shape for t in tensors_of(b)]


def _compared(got: dict[str, np.ndarray], want: dict[str, np.ndarray], left_out: int) -> Agreement:
    worst = Agreement(0.0, "", left_out)
    for path, gradient in got.items():
        right = want.get(path, np.zeros_like(gradient))
        off = max(float(np.linalg.norm(gradient - right)) - ABSOLUTE, 0.0)
        size = float(np.linalg.norm(right))
        distance = off / size if size else (np.inf if off else 0.0)
        if not distance <= worst.distance:
            worst = Agreement(distance, path, left_out)
    return worst


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--workload", nargs="*", default=workloads.NAMES)
    parser.add_argument("--size", default="small")
    parser.add_argument("--batch", nargs="*", type=int, default=[1, 7, 64])
    parser.add_argument("--torch", action="store_true", help="PyTorch's autograd, too")
    given = parser.parse_args(arguments)
    wrong = 0
    for name in given.workload:
        for batch in given.batch:
            start = time.perf_counter()
            found = agreement(name, given.size, batch, given.torch)
            wrong += sum(not a.is_close for a in found)
            said = ", ".join(
                f"{judge} {a.distance:.1e} ({a.weight})"
                for judge, a in zip(("tape", "autograd"), found, strict=False)
            )
            print(
                f"{name} {given.size} batch {batch}: {said}; {found[0].left_out} left out; "
                f"{time.perf_counter() - start:.0f} s",
                flush=True,
            )
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
