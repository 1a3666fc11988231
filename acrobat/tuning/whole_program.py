"""A program with its new schedules against the rule's: the same results, and no slower."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..compiled_model import CompiledModel
from ..errors import CompilerBug
from .paired import Paired

# The most pairs of runs in the comparison, if there is time for them, and the least.
_MOST, _LEAST = 31, 7


def check_results(
    by_rule: CompiledModel[Any, Any],
    tuned: CompiledModel[Any, Any],
    mini_batches: Sequence[Sequence[Any]],
) -> None:
    """Raise CompilerBug if the results differ in any bit."""
    for instances in mini_batches:
        want, got = by_rule(list(instances)), tuned(list(instances))
        if _bits(want) != _bits(got):
            raise CompilerBug(
                f"tuned schedules change the results of {tuned.model.function.__qualname__}; "
                f"nothing was saved. Please report it"
            )


def compare_programs(
    by_rule: CompiledModel[Any, Any],
    tuned: CompiledModel[Any, Any],
    mini_batches: Sequence[Sequence[Any]],
    seconds: float,
    clock: Callable[[], float] = time.perf_counter,
) -> Paired:
    """Time every mini-batch, in milliseconds, with both programs in alternation, for about
    `seconds`."""
    programs = by_rule, tuned
    inputs = [[p.prepare(list(b)) for b in mini_batches] for p in programs]
    rounds: list[list[list[float]]] = []
    until = clock() + seconds
    while len(rounds) < _LEAST or (len(rounds) < _MOST and clock() < until):
        times: list[list[float]] = [[], []]
        for which in (0, 1) if len(rounds) % 2 else (1, 0):
            for prepared in inputs[which]:
                begin = clock()
                programs[which].run(prepared)
                times[which].append((clock() - begin) * 1e3)
        rounds.append(times)
    both = np.asarray(rounds)
    return Paired(both[:, 0], both[:, 1], (1.0,) * len(mini_batches))


def _bits(results: Sequence[Any]) -> list[object]:
    """The exact contents of results, including arrays and objects, as a flat list; not recursive,
    because trees may be deep."""
    found: list[object] = []
    work: list[Any] = list(results)
    while work:
        value = work.pop()
        if isinstance(value, np.ndarray):
            found += [value.shape, value.tobytes()]
        elif isinstance(value, (float, np.floating)):
            found.append(np.float64(value).tobytes())
        elif isinstance(value, (tuple, list)):
            found += [type(value).__name__, len(value)]
            work += value
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            found.append(type(value).__name__)
            work += (getattr(value, f.name) for f in dataclasses.fields(value))
        else:
            found.append(value)
    return found
