"""A table of productions for each kind of expression, of which one is drawn."""

from __future__ import annotations

from collections.abc import Callable

from .draw import Draw, Function, Production, Scope

_TABLES: dict[str, list[tuple[int, Production]]] = {}
V = 11  # rows of the table of embeddings

ENDS = (
    "9223372036854775807",
    "-9223372036854775807",
    "4611686018427387904",
    "3037000500",
    "9007199254740993",
    "-1",
    "0",
    "7",
)


def production(kind: str, weight: int = 1) -> Callable[[Production], Production]:
    """Registers a way to write an expression of `kind`, drawn `weight` times as often."""

    def register(write: Production) -> Production:
        _TABLES.setdefault(kind, []).append((weight, write))
        return write

    return register


def expression(d: Draw, s: Scope, kind: str, depth: int = 2) -> str:
    """An expression of `kind`."""
    if depth <= 0 or kind not in _TABLES or d.chance(0.2):
        return least(d, s, kind)
    table = _TABLES[kind]
    (chosen,) = d.choose.choices([w for _, w in table], [n for n, _ in table])
    return chosen(d, s, depth - 1)


def least(d: Draw, s: Scope, kind: str) -> str:
    """A name, or a constant."""
    constants: dict[str, tuple[str, ...]] = {
        "vector": ("p.b", "p.g"),
        "int": ("3", "0"),
        "big": ENDS,
        "float": ("0.5", "-1.5", "2.0"),
        "bool": (),
        "mask": ("(p.b > 0.1)", "(p.g < 0.2)"),
        "matrix": ("p.m",),
        "ints": ("[1, 2]", "[0]"),
        "vectors": ("[p.b]", "[p.b, p.g]"),
        "act": ("Act.PUSH", "Act.POP", "Act.KEEP"),
        "text": ('"a"', '"NP"', '"b 7"'),
    }
    names = s.of(kind)
    if kind == "big":
        names += s.of("int")
    if kind == "bool" and not names:
        return f"{least(d, s, 'int')} > {d.choose.randrange(4)}"
    if names and (kind not in constants or d.chance(0.7) or not constants[kind]):
        return d.one(names)
    return d.one(constants[kind])


def calls(d: Draw, kind: str) -> list[Function]:
    """The functions that give one value of `kind` and take what any scope has."""
    simple = {"vector", "int", "big", "float", "bool"}
    return [f for f in d.functions if f.results == (kind,) and simple.issuperset(f.parameters)]


def called(d: Draw, s: Scope, kind: str, depth: int) -> str:
    """A call, if there is a function for it."""
    known = calls(d, kind)
    if not known or not d.chance(0.6):
        return expression(d, s, kind, depth)
    function = d.one(known)
    return function.call([expression(d, s, k, min(depth, 1)) for k in function.parameters])
