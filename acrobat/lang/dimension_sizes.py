"""The size that each dimension name stands for, derived from the shapes of the weights.

A name means the same size everywhere in a model, with one exception: objects of one `@ab.params`
class (the layers of a stack), or the items of one list of weights, may differ in it. The name is
then local to each object.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ParamsError
from .tensor import TensorHint


@dataclass(frozen=True, slots=True)
class Sizes:
    """`shared` are the names that mean one size everywhere; `own` those of single objects, by the
    object's path."""

    shared: Mapping[str, int]
    own: Mapping[str, Mapping[str, int]]

    def at(self, scope: str) -> dict[str, int]:
        """All names that the object at this path knows."""
        return {**self.shared, **self.own.get(scope, {})}


@dataclass(frozen=True, slots=True)
class Shaped:
    """A weight: its path, the path `scope` of the object that holds it, and the `label` that errors
    use for its field. Scopes of one `kind` may differ in the sizes of their names."""

    path: str
    scope: str
    kind: object
    label: str
    hint: TensorHint
    array: np.ndarray


def solve(shaped: Sequence[Shaped]) -> Sizes:
    """The sizes of all names; ParamsError if two weights disagree about one."""
    varying = _varying(shaped)
    own: dict[str, dict[str, int]] = {}
    if varying:
        for scope, members in _by_scope(shaped).items():
            names = varying.get(members[0].kind, set())
            found = _alone(members)
            own[scope] = {n: s for n, s in found.items() if n in names}
    bound: dict[str, tuple[int, str]] = {}
    waiting = list(shaped)
    while waiting:
        rest = [s for s in waiting if not _bind(s, bound, own.get(s.scope, {}))]
        if len(rest) == len(waiting):
            raise ParamsError(
                f"{rest[0].label.partition('.')[0]}: the dimensions of "
                f"{', '.join(s.label.partition('.')[2] for s in rest)} cannot be told from the "
                f"arrays; declare a weight whose shape gives each name alone"
            )
        waiting = rest
    return Sizes({n: size for n, (size, _) in bound.items()}, own)


def _by_scope(shaped: Sequence[Shaped]) -> dict[str, list[Shaped]]:
    scopes: defaultdict[str, list[Shaped]] = defaultdict(list)
    for s in shaped:
        scopes[s.scope].append(s)
    return scopes


def _varying(shaped: Sequence[Shaped]) -> dict[object, set[str]]:
    """For each kind, the names whose sizes differ between its scopes."""
    seen: defaultdict[tuple[object, str], set[int]] = defaultdict(set)
    for members in _by_scope(shaped).values():
        for name, size in _alone(members).items():
            seen[members[0].kind, name].add(size)
    found: defaultdict[object, set[str]] = defaultdict(set)
    for (kind, name), values in seen.items():
        if len(values) > 1:
            found[kind].add(name)
    return found


def _alone(members: Sequence[Shaped]) -> dict[str, int]:
    """The sizes that the weights of one object determine by themselves; if two weights disagree
    about a name, it keeps the size found first."""
    bound: dict[str, tuple[int, str]] = {}
    known = -1
    while known < len(bound):
        known = len(bound)
        for s in members:
            try:
                _bind(s, bound, {})
            except ParamsError:
                continue
    return {n: size for n, (size, _) in bound.items()}


def _bind(s: Shaped, bound: dict[str, tuple[int, str]], own: Mapping[str, int]) -> bool:
    """Bind or check every dimension of a weight; False if some dimension has several unknown
    names."""
    complete = True
    for dim, size in zip(s.hint.dims, s.array.shape, strict=True):
        left = dim.bind({**{n: k for n, (k, _) in bound.items()}, **own})
        if left.known is None and (len(left.terms) > 1 or "*" in left.terms[0][0]):
            complete = False
            continue
        if left.known is None:
            ((symbol, coeff),) = left.terms
            value, remainder = divmod(size - left.const, coeff)
            if remainder or value <= 0:
                raise ParamsError(
                    f"{s.label}: declared {s.hint}, got shape {s.array.shape}: {size} is not {dim} "
                    f"for any {symbol}"
                )
            bound[symbol] = (value, s.path)
        elif left.known != size:
            where = ", ".join(
                f"{n} = {bound[n][0]} from {bound[n][1]}" for n in dim.symbols if n in bound
            )
            because = f" ({where})" if where else ""
            raise ParamsError(
                f"{s.label}: declared {s.hint}, got shape {s.array.shape}: {dim} is "
                f"{left.known}{because}, not {size}"
            )
    return complete


def check_rank(label: str, hint: TensorHint, shape: Any) -> None:
    """ParamsError if a weight and its hint have different numbers of dimensions."""
    if len(shape) != len(hint.dims):
        raise ParamsError(
            f"{label}: declared {hint}, got an array of shape {shape} "
            f"({len(shape)} dimensions instead of {len(hint.dims)})"
        )
