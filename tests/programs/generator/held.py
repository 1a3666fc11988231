"""What instances may hold beside numbers, tensors and data: strings, tuples, dicts, and what may be
None; and the dicts that a model makes."""

from __future__ import annotations

import re

from .draw import HINTS, Draw, Scope
from .expressions import V, expression, production
from .statements import assign, assigns, block, statement

HINTS["note"] = "Note"
LABELS = ("det", "nsubj", "", "NP", "a b")

TYPES = """

class Relation(str, enum.Enum):
    SUBJECT = "nsubj"


WEIGHT = {"det": 0.5, "NP": -1.5}


@ab.data
class Note:
    label: str
    count: Optional[int]
    vector: Optional[Tensor["H"]]
    pair: tuple[int, tuple[float, bool]]
    edges: list[tuple[int, str]]
    scores: dict[str, float]
    below: Optional["Note"] = None
    words: list[int] | None = None
    act: Act = Act.KEEP
    acts: list[Act] = dataclasses.field(default_factory=list)
    undo: Act | None = None

"""


def _note(d: Draw, s: Scope) -> str | None:
    return d.one(s.of("note")) if s.of("note") else None


@production("vector")
def _vector(d: Draw, s: Scope, depth: int) -> str:
    note, other = _note(d, s), expression(d, s, "vector", depth)
    if note is None:
        return other
    return d.one(
        (
            f"({note}.vector if {note}.vector is not None else {other})",
            f"({other} if {note}.vector is None else ops.tanh({note}.vector + {other}))",
            f"ops.tanh({other} * WEIGHT.get({note}.label, {expression(d, s, 'float', 1)}))",
        )
    )


@production("int")
def _int(d: Draw, s: Scope, depth: int) -> str:
    note, n = _note(d, s), expression(d, s, "int", depth)
    if note is None:
        return n
    return d.one(
        (
            f"({note}.count if {note}.count is not None else {n})",
            f"({note}.count or {n})",
            f"(({note}.count and {n}) or 2)",
            f"{note}.pair[0]",
            f"len({note}.words or [{n}])",
            f"(sum(n for n, _ in {note}.edges) % 7)",
            f"sorted({note}.edges, key=lambda e: {d.one(('-e[0]', 'e[0] % 2'))})[0][0]",
            f"({note}.below.pair[0] if {note}.below else {n})",
            f"(len({note}.scores) + {n} % 3)",
        )
    )


@production("float")
def _float(d: Draw, s: Scope, depth: int) -> str:
    note, k = _note(d, s), expression(d, s, "float", depth)
    if note is None:
        return k
    label = d.one(LABELS)
    return d.one(
        (
            f"{note}.pair[1][0]",
            f'{note}.scores.get("{label}", {k})',
            f'({note}.scores["{label}"] if "{label}" in {note}.scores else {k})',
            f"(sum({note}.scores.values()) + 0.0)",
        )
    )


@production("bool")
def _bool(d: Draw, s: Scope, depth: int) -> str:
    note = _note(d, s)
    if note is None:
        return expression(d, s, "bool", depth)
    label = d.one(LABELS)
    return d.one(
        (
            f'{note}.label == "{label}"',
            f"({note}.label != Relation.SUBJECT)",
            f'({note}.label in ("{label}", "det"))',
            f'("{label}" in {note}.scores)',
            f"({note}.below is None)",
            f"bool({note}.words)",
            f'(({expression(d, s, "int", 1)}, "{label}") in {note}.edges)',
            f"{note}.pair[1][1]",
        )
    )


@statement("simple")
@assigns("vector")
def _dict(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A dict that a loop fills, and what is in it."""
    made, i, target = next(d.names), next(d.names), d.one(s.assignable("vector"))
    inner = s.plus("int", i)
    key = d.one((i, f"({i} % 2, {expression(d, s, 'bool', 1)})", f"(str_of({i}), {i} % 3)"))
    over = d.one((*s.of("ints"), "range(3)", "[2, 0, 2]"))
    value = f"ops.tanh({expression(d, inner, 'vector', 1)})"
    if d.chance(0.4):
        d.put(pad, f"{made} = {{{key}: {value} for {i} in {over}}}")
    else:
        d.put(pad, f"{made} = {{}}")
        d.put(pad, f"for {i} in {over}:")
        d.put(pad, f"    {made}[{key}] = {value}")
        if d.chance(0.3):
            d.put(pad, f"    if {expression(d, inner, 'bool', 1)}:")
            d.put(pad, f"        del {made}[{key}]")
    if d.chance(0.3):
        one = re.sub(rf"\b{i}\b", "1", key)
        d.put(pad, f"{made} = {{**{made}, {one}: {expression(d, s, 'vector', 1)}}}")
    end = d.choose.randrange(3)
    k, v = next(d.names), next(d.names)
    if end == 0:
        d.put(pad, f"for {k}, {v} in {made}.items():")
        d.put(pad, f"    {target} = ops.tanh({target} @ p.w0 + {v})")
    elif end == 1:
        other = expression(d, s, "vector", 1)
        d.put(pad, f"{target} = ops.tanh(sum({made}.values())) if {made} else {other}")
    else:
        looked = re.sub(rf"\b{i}\b", "0", key)
        d.put(pad, f"{target} = {made}.get({looked}, {expression(d, s, 'vector', 1)})")


@statement("nested")
def _by_label(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """Cases for strings, or for what may be None."""
    note = _note(d, s)
    if note is None:
        assign(d, s, pad)
        return
    if d.chance(0.5):
        d.put(pad, f"match {note}.label:")
        for case in (f'"{d.one(LABELS[:2])}"', f'"{LABELS[2]}" | "{LABELS[3]}"', "_"):
            d.put(pad, f"    case {case}:")
            block(d, s, pad + "        ", depth - 1, 1)
        return
    n = next(d.names)
    d.put(pad, f"match {note}.count:")
    for case, inner in (("None", s), ("0 | 1", s), (n, s.plus("int", n))):
        d.put(pad, f"    case {case}:")
        block(d, inner, pad + "        ", depth - 1, 1)


@statement("simple")
def _over_edges(d: Draw, s: Scope, pad: str, depth: int) -> None:
    note = _note(d, s)
    if note is None or not s.assignable("vector"):
        assign(d, s, pad)
        return
    n, text, target = next(d.names), next(d.names), d.one(s.assignable("vector"))
    inner = s.plus("int", n)
    d.put(pad, f"for {n}, {text} in {note}.edges{d.one(('', '[::2]', '[::-1]'))}:")
    value = f"{expression(d, inner, 'vector', 1)} @ p.w0"
    test = f'{text} == "{d.one(LABELS)}" or {expression(d, inner, "bool", 1)}'
    d.put(pad, f"    {target} = ops.tanh({value} if {test} else {target} + p.emb[{n} % {V}])")


HELPERS = """

@ab.model
def str_of(n: int) -> str:
    return "det" if n % 2 == 0 else "NP"
"""
