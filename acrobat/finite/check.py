"""Detects results that are not finite, traces them to their origin, and reports them."""

from __future__ import annotations

import contextlib
import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..driver.observed import run_observed
from ..eager import EagerProgram
from ..errors import NotFiniteError
from ..lang.diagnostics import drawn
from ..lang.model import Model
from ..runtime.device_array import DeviceArray
from .instances import watched_instance, watched_weights
from .origin import Given, Made, Origin, first_bad
from .watched import Watch, operand


def check_results(
    results: Sequence[Any],
    instances: Sequence[Any],
    model: Model[..., Any],
    params: Any,
    stack_bytes: int,
) -> None:
    """Raise NotFiniteError for the first instance whose result has a NaN or an infinity."""
    bad = [(i, found) for i, r in enumerate(results) if (found := next(_bad(r), None)) is not None]
    if not bad:
        return
    (number, (path, value)), *more = bad
    where = f"result{path}" if path else "the result"
    others = f" ({len(more)} more of the {len(results)} are not finite)" if more else ""
    begun = _traced(instances[number], number, path, model, params, stack_bytes)
    raise NotFiniteError(f"instances[{number}]: {where} is {first_bad(value)}{others}. {begun}")


def check_decisions(
    numbers: Iterable[int],
    instances: Sequence[Any],
    model: Model[..., Any],
    params: Any,
    stack_bytes: int,
) -> None:
    """Raise NotFiniteError for the first of the instances `numbers` in which a decision depends on
    a number that is not finite, even if the result does not show it."""
    name = model.function.__code__.co_varnames[0]
    program = EagerProgram(model, watched_weights(params, name))
    for number in numbers:
        watch = Watch()
        copy = watched_instance(instances[number], number)
        with contextlib.suppress(Exception):  # after a NaN, plain Python may fail in other ways
            run_observed(watch, partial(program.call, copy), stack_bytes)
        if watch.decision is None:
            continue
        place, origin = watch.decision
        where = "\n".join(["", *drawn(place)]) if place is not None else ""
        raise NotFiniteError(
            f"instances[{number}]: a decision depends on a number that is not finite:{where}\n"
            f"{_told(origin)}"
        )


def at_fault(error: Exception, n: int) -> Sequence[int]:
    """Return the instance that an error names; all `n` instances if it names none."""
    named = re.match(r"instances\[(\d+)\]", str(error))
    return (int(named[1]),) if named else range(n)


def _bad(result: Any) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a result that are not finite, each with the path to it."""
    seen: set[int] = set()
    work: list[tuple[str, Any]] = [("", result)]
    while work:
        path, value = work.pop()
        if isinstance(value, (float, np.ndarray, DeviceArray)):
            if not np.isfinite(operand(np.asarray(value)).value).all():
                yield path, value
            continue
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, (list, tuple)):
            work += [(f"{path}[{i}]", v) for i, v in reversed(list(enumerate(value)))]
        elif isinstance(value, dict):
            work += [(f"{path}[{k!r}]", v) for k, v in reversed(value.items())]
        elif dataclasses.is_dataclass(value):
            names = [f.name for f in dataclasses.fields(value)]
            work += [(f"{path}.{n}", getattr(value, n)) for n in reversed(names)]


def _traced(
    instance: Any, number: int, path: str, model: Model[..., Any], params: Any, stack_bytes: int
) -> str:
    """Describe where the non-finite value at `path` of the instance's result began."""
    name = model.function.__code__.co_varnames[0]
    program = EagerProgram(model, watched_weights(params, name))
    copy = watched_instance(instance, number)
    try:
        result = run_observed(Watch(), lambda: program.call(copy), stack_bytes)
    except Exception as error:  # plain Python may fail in any way
        return f"Plain Python, which would tell where it began, fails: {type(error).__name__}"
    found = dict(_bad(result))
    if not found:
        return (
            "Plain Python gives finite numbers: only as the compiled program rounds does a sum or "
            "a product leave float32"
        )
    return _told(operand(found.get(path, next(iter(found.values())))).origin)


def _told(origin: Origin | None) -> str:
    match origin:
        case None:
            return "Where it began is not known: a number of Python's was made a float anew"
        case Given():
            return _given(origin)
        case Made(cause=None):
            return f"It began here, out of finite operands:\n{_operation(origin)}"
        case Made(cause=Given() as cause):
            return f"It became nan here:\n{_operation(origin)}\n{_given(cause)}"
    first: Origin = origin
    while isinstance(first, Made) and isinstance(first.cause, Made):
        first = first.cause
    return f"{_told(first)}\nIt became nan here:\n{_operation(origin)}"


def _given(origin: Given) -> str:
    return f"It came in: {origin.name} is {first_bad(origin.array)}"


def _operation(made: Made) -> str:
    lines = drawn(made.place) if made.place is not None else []
    lines.append(f"  {made.operation} of {', '.join(made.operands)}: {made.result}")
    return "\n".join(lines)
