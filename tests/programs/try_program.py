"""A program with its cases (`generator/program.py`): the same results, and errors, as plain Python.

python -m tests.programs.try_program FILE     try the program in FILE; 1 if it fails
"""

from __future__ import annotations

import itertools
import sys
import traceback
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import acrobat as ab
from tests.few_tiles import few_tiles
from tests.loading import load_file
from workloads.results import flatten

from .generator.plain import Plain, instrumented
from .reference_kernels import reference_kernels

# What takes the place of results that cannot be computed, where nothing depends on them.
FILLS = (1, 6)
# An element near the largest float. Sums of products with it may overflow in one order of additions
# and not in another, which the smaller one shows.
LARGE, SMALLER = ", 3e38)", ", 3e34)"
WRONG_INSTANCES = 3  # of a case are tried, at most
TIMES = 16  # that instances are in the mini-batches that are placed while they are recorded

_numbers = itertools.count()
_PLAIN_ERRORS = (ArithmeticError, ValueError, IndexError)


@dataclass(frozen=True, slots=True)
class Rounding:
    """By how much results may be off, relatively and absolutely; and the `nudge` of arrays that
    tells what is decided by rounding: what it changes by more than `change` times as much."""

    rtol: float
    atol: float
    nudge: float
    change: float

    def close(self, a: np.ndarray, b: np.ndarray, times: float = 1.0) -> bool:
        """Whether b is off from a by no more, times `times`."""
        return np.allclose(b, a, self.rtol * times, self.atol * times, equal_nan=True)


# By `Options.precision`: numbers are rounded by some 1e-7, factors to bfloat16 by up to 4e-3.
ROUNDING = {"fp32": Rounding(1e-3, 1e-4, 1e-5, 3.0), "bf16": Rounding(5e-2, 5e-2, 1e-2, 0.5)}


class Difference(AssertionError):
    """The compiled model does not do what plain Python does: `kind` says how in a word or two."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(f"{kind}: {text}")
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Outcome:
    """What plain Python makes of an instance: a result, flat, or an error (`sure`: not by
    rounding)."""

    structure: str
    arrays: list[np.ndarray]
    error: Exception | None
    sure: bool = True


def try_program(source: str, folder: Path, target: str = "cpu", **given: Any) -> tuple[int, int]:
    """Compile and run every case of a program's text, which gets a file in `folder`: Difference,
    or what the compiler raises, if something is wrong. `given` are options on top of the program's.
    Returns how many instances were compared, and how many plain Python decides by rounding."""
    path = folder / f"program_{next(_numbers)}.py"
    path.write_text(source)
    compared = unsure = 0
    with np.errstate(all="ignore"):
        name = path.stem
        module = load_file(path, name)
        (precision,) = {options.get("precision", "fp32") for *_, options in module.CASES}
        plain = Reference(source, str(path), ROUNDING[precision])
        try:
            for i, (model, weights, instances, options) in enumerate(module.CASES):
                outcomes = [plain.outcome(i, j) for j in range(len(instances))]
                options = ab.Options(**{**options, **given})
                specified = target == "cpu" and module.KERNELS == "specified"
                with reference_kernels() if specified else few_tiles():
                    fast = ab.compile(model, weights, target, options)
                try_case(fast, instances, outcomes, partial(plain.outcome, i))
                unsure += sum(not o.sure for o in outcomes)
                compared += sum(o.sure for o in outcomes)
        finally:
            del sys.modules[name]
    return compared, unsure


class Reference:
    """The program as plain Python, as often as it takes to know what is decided by rounding."""

    def __init__(self, source: str, path: str, rounding: Rounding = ROUNDING["fp32"]) -> None:
        self._rounding = rounding
        self._code = instrumented(source, path)
        near = source.replace(LARGE, SMALLER)
        self._near = self._code if near == source else instrumented(near, path)
        self._loaded: dict[tuple[int | None, float], tuple[Plain, ModuleType]] = {}

    def _run(self, case: int, number: int, fill: int | None, nudge: float) -> Outcome:
        if (fill, nudge) not in self._loaded:
            made = Plain(fill, nudge)
            self._loaded[fill, nudge] = made, made.load(self._near if nudge else self._code)
        plain, module = self._loaded[fill, nudge]
        plain.closest = np.inf
        model, weights, instances, _ = module.CASES[case]
        try:
            structure, arrays = flatten(model(weights, *instances[number]))
        except _PLAIN_ERRORS as error:
            return Outcome("", [], error, plain.closest > self._rounding.nudge)
        return Outcome(structure, arrays, None, plain.closest > self._rounding.nudge)

    def outcome(self, case: int, number: int, fill: int | None = None) -> Outcome:
        """Of an instance; with `fill`, what cannot be computed is that number."""
        found = self._run(case, number, fill, 0.0)
        if fill is not None:
            return found
        near = self._run(case, number, None, self._rounding.nudge)
        alike = type(near.error) is type(found.error) and (
            _differs(found, near, self._rounding, self._rounding.change) is None
        )
        sure = found.sure and near.sure and alike
        return Outcome(found.structure, found.arrays, found.error, sure)


def try_case(
    fast: ab.CompiledModel[Any, Any],
    instances: Sequence[Any],
    outcomes: Sequence[Outcome],
    filled: Callable[[int, int], Outcome],
) -> None:
    """The compiled model on what plain Python computes, in one batch, and again, the other way
    round, and many times over; then on what plain Python fails on. `filled` runs instance j in
    plain Python with `fill` in the place of what fails."""
    rounding = ROUNDING[fast.options.precision]
    good = [j for j, o in enumerate(outcomes) if o.error is None and o.sure]
    orders = [good, good[::-1]]
    if fast.options.executor == "aot":
        # Like mini-batches of at least eight nodes per batch are placed from the third one on.
        orders += [good * TIMES] * 3 + [good[::-1] * (TIMES - 1)]
    for order in orders:
        if order:
            # What several instances share is computed once.
            copied = len(order) > len(good)
            try:
                results = fast([deepcopy(instances[j]) if copied else instances[j] for j in order])
            except ab.InstanceError as error:
                raise Difference("an error plain Python does not have", str(error)) from error
            for j, result in zip(order, results, strict=True):
                _check(outcomes[j], result, rounding, f"instance {j}")
    wrong = [j for j, o in enumerate(outcomes) if o.error is not None and o.sure]
    for j in wrong[:WRONG_INSTANCES]:
        together = [*good[:1], j]
        try:
            results = fast([instances[k] for k in together])
        except ab.InstanceError:
            continue
        # Nothing may depend on what failed, such as a result that is not used.
        for fill in FILLS:
            outcome = filled(j, fill)
            if outcome.error is not None:
                raise Difference("no error", f"plain Python: {outcomes[j].error!r}")
            try:
                _check(outcome, results[-1], rounding, f"instance {j}")
            except Difference as error:
                told = f"plain Python: {outcomes[j].error!r}; {error}"
                raise Difference("no error", told) from error


def _check(outcome: Outcome, result: Any, rounding: Rounding, which: str) -> None:
    got = Outcome(*flatten(result), None)
    different = _differs(outcome, got, rounding)
    if different:
        raise Difference(different[0], f"{which}: {different[1]}")


def _differs(
    want: Outcome, got: Outcome, rounding: Rounding, times: float = 1.0
) -> tuple[str, str] | None:
    """How two results differ: None if they do not."""
    if want.structure != got.structure:
        return "another structure", f"{got.structure}\nplain Python: {want.structure}"
    for a, b in zip(want.arrays, got.arrays, strict=True):
        if not rounding.close(a, b, times):
            return "other numbers", f"{b}\nplain Python: {a}"
    return None


def kind_of(error: BaseException) -> str:
    """What went wrong, in words that a smaller program with the same fault shares."""
    if isinstance(error, Difference):
        return error.kind
    name = type(error).__name__
    if isinstance(error, ab.ModelError):
        return " ".join([name, *sorted({e.code for e in error.errors})])
    root: BaseException = error
    while root.__cause__ is not None:
        root = root.__cause__
    frames = traceback.extract_tb(root.__traceback__)
    ours = [f for f in frames if "/acrobat/" in f.filename] or list(frames[-1:])
    where = f"{Path(ours[-1].filename).name} {ours[-1].name}" if ours else ""
    return f"{name} {type(root).__name__} {where}"


def main() -> int:
    """The command."""
    import tempfile

    source = Path(sys.argv[1]).read_text()
    with tempfile.TemporaryDirectory() as folder:
        try:
            compared, unsure = try_program(source, Path(folder))
        except Exception as error:
            traceback.print_exc()
            print(f"FAILED: {kind_of(error)}")
            return 1
    print(f"{compared} instances agree, {unsure} are decided by rounding")
    return 0


if __name__ == "__main__":
    sys.exit(main())
