"""Models with loops over dicts and lists of functions, beside something else."""

# Models as they are written in a hurry.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, type-var, arg-type"
# ruff: noqa: B905

from __future__ import annotations

from typing import Any

import acrobat as ab
from acrobat import ops
from tests.programs.listed_object_models import P

MOVES = {"double": lambda n: 2 * n, "inc": lambda n: n + 1, "half": lambda n: n // 2}
BY_NUMBER = {3: lambda n: n - 3, 1: abs}
ACTS = [ops.tanh, ops.sigmoid, ops.relu]


class Rules:
    TABLE = {"neg": lambda n: -n, "same": lambda n: n}  # noqa: RUF012


@ab.model
def over_keys(p: P, xs: list[int]) -> Any:
    out = []
    for name in MOVES:
        for x in xs:
            out.append((name, MOVES[name](x)))
    return out


@ab.model
def over_items(p: P, xs: list[int]) -> Any:
    out = []
    for name, move in MOVES.items():
        for x in xs:
            if move(x) in xs:
                continue
            out.append((name, move(x)))
    return out


@ab.model
def with_break(p: P, xs: list[int]) -> Any:
    found = "none"
    for name, move in reversed(MOVES.items()):
        if move(xs[0]) > 3:
            found = name
            break
    return found


@ab.model
def enumerated(p: P, xs: list[int]) -> Any:
    h = p.b
    for i, act in enumerate(ACTS):
        h = act(p.w @ h) * (i + 1)
    return h


@ab.model
def beside_a_list(p: P, xs: list[int]) -> Any:
    h = p.b
    for x, act in zip(xs, ACTS):
        h = act(p.w @ h + p.emb[x])
    return h


@ab.model
def comprehensions(p: P, xs: list[int]) -> Any:
    return (
        {name: move(xs[0]) for name, move in MOVES.items()},
        [f(x) for x in xs for f in MOVES.values()],
        [(i, f(xs[0])) for i, f in enumerate(MOVES.values())],
        sum(k * f(xs[-1]) for k, f in BY_NUMBER.items()),
    )


@ab.model
def keys_alone(p: P, xs: list[int]) -> Any:
    return (
        max(MOVES, key=lambda k: MOVES[k](xs[0])),
        list(MOVES),
        sorted(MOVES.keys()),
        len(MOVES),
        "inc" in MOVES,
        "dec" not in MOVES,
        2 in BY_NUMBER,
    )


@ab.model
def in_order(p: P, xs: list[int]) -> Any:
    best, name = -1, ""
    for k, f in sorted(MOVES.items()):
        if f(xs[0]) > best:
            best, name = f(xs[0]), k
    return best, name


@ab.model
def of_a_class(p: P, xs: list[int]) -> Any:
    return [(k, f(x)) for k, f in Rules.TABLE.items() for x in xs]


@ab.model
def nested(p: P, xs: list[int]) -> Any:
    out = []
    for a, f in MOVES.items():
        for b, g in MOVES.items():
            if a != b:
                out.append(f(g(xs[0])))
    return out


MODELS = [
    over_keys,
    over_items,
    with_break,
    enumerated,
    beside_a_list,
    comprehensions,
    keys_alone,
    in_order,
    of_a_class,
    nested,
]
