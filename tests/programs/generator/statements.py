"""Statements: they change names that are there, and end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from .draw import Draw, Scope
from .expressions import expression

# Writes a statement, whose blocks have `depth` levels of others in them.
Writer = Callable[[Draw, Scope, str, int], None]
_W = TypeVar("_W", bound=Writer)
_TABLES: dict[str, list[Writer]] = {"simple": [], "nested": []}


def statement(table: str, weight: int = 1) -> Callable[[_W], _W]:
    """Registers a way to write a statement, drawn `weight` times as often: "simple", or "nested"
    for those with blocks in them."""

    def register(write: _W) -> _W:
        _TABLES[table] += [write] * weight
        return write

    return register


def assigns(kind: str) -> Callable[[Writer], Writer]:
    """Of a statement that changes a name of this kind: an assignment where there is none."""

    def guard(write: Writer) -> Writer:
        def guarded(d: Draw, s: Scope, pad: str, depth: int) -> None:
            (write if s.assignable(kind) else assign)(d, s, pad, depth)

        return guarded

    return guard


def block(d: Draw, s: Scope, pad: str, depth: int, most: int = 3) -> None:
    """One to `most` statements, with `depth` more levels of blocks in them."""
    for _ in range(d.choose.randrange(1, most + 1)):
        table = [*_TABLES["simple"], *(_TABLES["nested"] if depth > 0 else [])]
        d.one(table)(d, s, pad, depth)


@statement("simple", 3)
def assign(d: Draw, s: Scope, pad: str, depth: int = 0) -> None:
    """A new value for a name."""
    kinds = [k for k in ("vector", "vector", "int", "big", "float", "bool") if s.assignable(k)]
    if not kinds:
        d.put(pad, "pass")
        return
    kind = d.one(kinds)
    target, value = d.one(s.assignable(kind)), expression(d, s, kind)
    if kind == "vector":
        value = f"ops.tanh({value})"
    elif kind == "int":
        value = f"({value}) % {d.one((4, 7))}"
    if kind in ("int", "float", "big") and d.chance(0.2):
        if kind == "int":
            d.put(pad, f"{target} += {d.one((1, 2))}")
            d.put(pad, f"{target} %= 7")
        else:
            d.put(pad, f"{target} {d.one('+-')}= {value}")
        return
    others = [n for n in s.assignable(kind) if n != target]
    if others and kind != "big" and d.chance(0.1):
        d.put(pad, f"{target}, {others[0]} = {others[0]}, {value}")
    else:
        d.put(pad, f"{target} = {value}")


@statement("simple", 2)
@assigns("vector")
def _temporary(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A name that is used at once."""
    name = next(d.names)
    d.put(pad, f"{name} = {expression(d, s, 'vector')}")
    target = d.one(s.assignable("vector"))
    d.put(pad, f"{target} = ops.tanh({expression(d, s.plus('vector', name), 'vector')})")


@statement("simple", 2)
def _append(d: Draw, s: Scope, pad: str, depth: int) -> None:
    kinds = [k for k in ("vectors", "ints") if s.assignable(k)]
    if not kinds:
        assign(d, s, pad)
        return
    kind = d.one(kinds)
    target = d.one(s.assignable(kind))
    value = expression(d, s, kind[:-1])
    value = f"ops.tanh({value})" if kind == "vectors" else value
    d.put(pad, d.one((f"{target}.append({value})", f"{target} += [{value}]")))


@statement("simple", 2)
def _leave(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """`break`, `continue` or an early return, under a condition."""
    ways = [*(["break", "continue"] if s.loop else []), *(["return"] if s.leave else [])]
    if not ways:
        assign(d, s, pad)
        return
    d.put(pad, f"if {expression(d, s, 'bool')}:")
    way = d.one(ways)
    if way == "return":
        assert s.leave is not None
        s.leave(pad + "    ", s)
    else:
        if d.chance(0.3):
            assign(d, s, pad + "    ")
        d.put(pad + "    ", way)


@statement("nested", 4)
def _if(d: Draw, s: Scope, pad: str, depth: int) -> None:
    d.put(pad, f"if {expression(d, s, 'bool')}:")
    block(d, s, pad + "    ", depth - 1)
    for _ in range(d.one((0, 0, 0, 1, 3))):
        d.put(pad, f"elif {expression(d, s, 'bool', 1)}:")
        block(d, s, pad + "    ", depth - 1, 1)
    if d.chance(0.6):
        d.put(pad, "else:")
        block(d, s, pad + "    ", depth - 1)


@statement("nested", 2)
def _counted_loop(d: Draw, s: Scope, pad: str, depth: int) -> None:
    i = next(d.names)
    n = d.one(("1", "2", "3", "{} % 4", "{} % 3")).format(d.one((*s.of("int"), "2")))
    ranges = (n, f"1, {n}", f"{n}, -1, -1", f"0, {n} + 2, 2", f"{n}, -2, -2")
    source = d.one(ranges)
    if d.chance(0.2):
        d.put(pad, f"for {i} in reversed(range({source})):")
    else:
        d.put(pad, f"for {i} in range({source}):")
    _loop_body(d, s.plus("int", i), pad, depth)


@statement("nested", 2)
def _loop_over_list(d: Draw, s: Scope, pad: str, depth: int) -> None:
    lists = [(k, n) for k in ("ints", "vectors") for n in s.of(k) if n not in s.own]
    if not lists:
        _counted_loop(d, s, pad, depth)
        return
    kind, xs = d.one(lists)
    item, i = next(d.names), next(d.names)
    inside = s.plus(kind[:-1], item)
    test = expression(d, s, "bool", 1)
    chosen = f"(reversed({xs}) if {test} else {d.one((xs, '()', f'{xs}[1:]'))})"
    part = d.one((xs, xs, f"reversed({xs})", chosen, f"{xs}[1:]", f"{xs}[::-1]", f"{xs}[-2:9]"))
    way = d.choose.randrange(4)
    if way == 0:
        d.put(pad, f"for {i}, {item} in enumerate({part}, {d.choose.randrange(3)}):")
        inside = inside.plus("int", i)
    elif way == 1:
        d.put(pad, f"for {i}, {item} in zip(range({d.choose.randrange(4)}), {part}):")
        inside = inside.plus("int", i)
    else:
        d.put(pad, f"for {item} in {part}:")
    _loop_body(d, inside, pad, depth)


def _loop_body(d: Draw, s: Scope, pad: str, depth: int) -> None:
    inside = replace(s, loop=True)
    block(d, inside, pad + "    ", depth - 1)
    if d.chance(0.4):
        _leave(d, inside, pad + "    ", 0)
        assign(d, inside, pad + "    ")


@statement("nested", 2)
def _while(d: Draw, s: Scope, pad: str, depth: int) -> None:
    count = next(d.names)
    d.put(pad, f"{count} = {d.one(('0', '0', '1'))}")
    condition = expression(d, s, "bool")
    bound = f"{count} < {d.choose.randrange(1, 4)}"
    if d.chance(0.3):
        d.put(pad, "while True:")
        d.put(pad, f"    if not ({bound} and {condition}):")
        d.put(pad, "        break")
    else:
        both = (f"{bound} and {condition}", f"{condition} and {bound}")
        d.put(pad, f"while {d.one(both)}:")
    d.put(pad, f"    {count} += 1")
    _loop_body(d, s.plus("int", count), pad, depth)
