"""Gradients of random programs against the tape, in float64:

    python -m tests.training.random_gradients --programs 2000 --seed 0

Programs are those of `tests/programs/generator`, under options of their own, interpreted with
kernels as they are specified. The gradients of results of drawn weights ("cotangents") have to be
those of the tape, and finite where these are. Instances are left out that plain Python fails on or
decides by rounding, and those of which rounding decides the gradient: on one side of a kink, or
where infinities cancel. Exit code: 1 if a program failed.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import acrobat as ab
from acrobat.lang.mapped_params import mapped_params
from acrobat.lang.params import weights
from acrobat.training.differentiable import Differentiable
from acrobat.training.on_tape import TapeRun
from tests.loading import load_file
from tests.programs.generator.program import write_program
from tests.programs.reference_kernels import reference_kernels
from tests.programs.try_program import Reference, kind_of

Gradients = dict[str, np.ndarray]
# Relative to the norm of a gradient; and what rounding, or a change of the weights by NUDGE, may
# change by before it is said to decide.
CLOSE, SURE, NUDGE = 2e-3, 1e-3, 1e-6


class WrongGradientError(AssertionError):
    """A gradient is not the tape's."""


@dataclass(slots=True)
class Count:
    """Of instances: those whose gradients were compared, and those that rounding decides."""

    compared: int = 0
    unsure: int = 0


def try_gradients(source: str, folder: Path, **given: Any) -> Count:
    """Compare the gradients of every case of a program's text: WrongGradientError, or what the
    compiler raises. `given` are options on top of the program's."""
    path = folder / f"gradients_{time.monotonic_ns()}.py"
    path.write_text(source)
    total = Count()
    with np.errstate(all="ignore"), reference_kernels():
        plain, module = Reference(source, str(path)), load_file(path, path.stem)
        try:
            for i, (model, params, instances, options) in enumerate(module.CASES):
                outcomes = [plain.outcome(i, j) for j in range(len(instances))]
                good = [j for j, o in enumerate(outcomes) if o.error is None and o.sure]
                sure = [j for j in good if _is_sure(model, params, instances[j])]
                total.unsure += len(good) - len(sure)
                options = ab.Options(**{**options, "executor": "vm", **given})
                _check(model, params, [instances[j] for j in sure], options)
                total.compared += len(sure)
        finally:
            del sys.modules[path.stem]
    return total


def taped(model: Any, params: Any, instances: Sequence[Any], dtype: Any = np.float64) -> Gradients:
    """The gradients of the weights by the tape."""
    run = TapeRun(model, params, tuple(weights(params)), dtype)
    run.forward(instances)
    run.backward(dict(enumerate(drawn(run.tensors))))
    return {path: np.asarray(g, np.float64) for path, g in run.gradients().items()}


def drawn(results: Sequence[Sequence[Any]]) -> list[list[np.ndarray | None]]:
    """Gradients for the tensors of results, some of them none: the same for an instance wherever it
    stands."""
    found: list[list[np.ndarray | None]] = []
    for tensors in results:
        rng = np.random.default_rng(len(tensors))
        of = [rng.normal(size=t.shape).astype(np.float32) for t in tensors]
        found.append([None if n % 5 == 3 else d for n, d in enumerate(of)])
    return found


def _is_sure(model: Any, params: Any, instance: Any) -> bool:
    """Whether the tape has gradients by one instance, they are finite, and neither rounding nor a
    small change of the weights changes them by much."""
    rng = np.random.default_rng(0)

    def nudged(path: str, w: np.ndarray) -> np.ndarray:
        return w.astype(np.float64) * (1 + NUDGE * rng.choice([-1.0, 1.0], w.shape))

    try:
        want = taped(model, params, [instance])
    except TypeError as error:
        if "x.dot(w)" not in str(error):
            raise
        return False
    if not all(np.isfinite(g).all() for g in want.values()):
        return False
    others = taped(model, params, [instance], np.float32)
    near = taped(model, mapped_params(params, nudged), [instance])
    size = _norm(want)
    return all(_distance(want, other) <= SURE * size + 1e-6 for other in (others, near))


def _norm(gradients: Gradients) -> float:
    return float(np.sqrt(sum((g**2).sum() for g in gradients.values())))


def _distance(a: Gradients, b: Gradients) -> float:
    return _norm({path: np.asarray(g - b[path]) for path, g in a.items()})


def _check(model: Any, params: Any, instances: Sequence[Any], options: ab.Options) -> None:
    if not instances:
        return
    want = taped(model, params, instances)
    runs = Differentiable(model, params, tuple(weights(params)), options)
    run = runs.forward(list(instances))
    tape = TapeRun(model, params, ())
    tape.forward(instances)
    if any(type(t) is np.float64 for of_result in tape.tensors for t in of_result):
        # A quotient of numpy's ints is a number of numpy's, which a tape takes for a tensor.
        return
    got = run.pull_back(drawn(tape.tensors))
    size = _norm(want)
    for path, right in want.items():
        gradient = np.asarray(got[path])
        off = np.linalg.norm(gradient - right)
        if not off <= CLOSE * size + 1e-4:
            raise WrongGradientError(
                f"{path}: {gradient}\nthe tape: {right}\noff by {off} of {size}"
            )


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="of the first")
    parser.add_argument("--out", type=Path, default=Path("failing_programs"), help="a folder")
    given = parser.parse_args()
    total, failed = Count(), 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(given.seed, given.seed + given.programs):
            source = write_program(random.Random(seed), "vm")
            try:
                found = try_gradients(source, Path(folder))
                total.compared += found.compared
                total.unsure += found.unsure
            except Exception as error:
                failed += 1
                given.out.mkdir(parents=True, exist_ok=True)
                (given.out / f"gradients_{seed}.py").write_text(source)
                kind = str(error) if isinstance(error, WrongGradientError) else kind_of(error)
                print(f"program {seed}: {kind}", flush=True)
                if not isinstance(error, WrongGradientError):
                    traceback.print_exc()
    print(f"{given.programs} programs, {failed} failed; the gradients of {total.compared} instances"
          f" agree, those of {total.unsure} are decided by rounding")  # fmt: skip
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
