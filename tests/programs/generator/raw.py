"""Strings, numbers, lists and tuples in unions, and types that refer to themselves: read by a
`match` or by tests, and made by the model."""

from __future__ import annotations

from .draw import HINTS, Draw, Function, Scope
from .expressions import V, expression
from .functions import bounded, opened
from .instances import Instances

HINTS["raw"] = "Raw"

TYPES = """

Raw = Union[int, str, None, list["Raw"], tuple["Raw", "Raw"], tuple[float, int, "Raw"]]

"""
_TEXTS = ("a", "NP", "")


def literal(instances: Instances, depth: int) -> str:
    """A value of the type Raw."""
    d = instances.d
    kind = d.choose.randrange(6) if depth else d.choose.randrange(3)
    inner = [literal(instances, depth - 1) for _ in range(d.choose.randrange(4))] if depth else []
    match kind:
        case 0:
            return str(d.choose.randrange(-2, V))
        case 1:
            return repr(d.one((*_TEXTS, "other")))
        case 2:
            return "None"
        case 3:
            return f"[{', '.join(inner)}]"
        case 4:
            return f"({literal(instances, depth - 1)}, {literal(instances, depth - 1)})"
    number = d.choose.randrange(-3, 4) / 2
    return f"({number}, {d.choose.randrange(5)}, {literal(instances, depth - 1)})"


def walk(d: Draw) -> Function:
    """Recursion over such a value."""
    function = Function(next(d.names), ("raw", "vector"), ("vector", "int"))
    r, up = next(d.names), next(d.names)
    s = Scope(opened(d, function, [r, up]).names).without("raw", r)
    if d.chance(0.5):
        _by_match(d, s, function, r, up)
    else:
        _by_tests(d, s, function, r, up)
    return function


def _returns(d: Draw, s: Scope, pad: str) -> None:
    d.put(pad, f"return {bounded(d, s, 'vector')}, {expression(d, s, 'int', 1)}")


def _by_match(d: Draw, s: Scope, function: Function, r: str, up: str) -> None:
    a, b, h, g, m, n = (next(d.names) for _ in range(6))
    d.put("    ", f"match {r}:")
    d.put("        ", "case None:")
    _returns(d, s, "            ")
    if d.chance(0.5):
        d.put("        ", f"case {d.one(('0', '-1', '0 | 3'))}:")
        _returns(d, s, "            ")
    d.put("        ", f"case int({a}):")
    _returns(d, s.plus("int", a), "            ")
    if d.chance(0.5):
        d.put("        ", f"case {d.one((repr('a'), repr('NP') + ' | ' + repr('')))}:")
        _returns(d, s, "            ")
    d.put("        ", f"case str() as {a}:")
    _returns(d, s.plus("text", a), "            ")
    if d.chance(0.4):
        d.put("        ", f"case {d.one(('[]', '[_]', '[None, *_]'))}:")
        _returns(d, s, "            ")
    d.put("        ", f"case list({a}):")
    _over(d, s, function, a, up, "            ")
    if d.chance(0.4):
        first = d.one(("1", "[]", repr("")))
        d.put("        ", f"case ({first}, {b}):")
        d.put("            ", f"return {function.call([b, up])}")
    d.put("        ", f"case ({a}, {b}):")
    _both(d, s, function, (a, b), up, "            ")
    d.put("        ", f"case ({a}, {n}, {b}):")
    inner = s.plus("float", a).plus("int", n, m).plus("vector", h, g)
    d.put("            ", f"{h}, {m} = {function.call([b, up])}")
    d.put("            ", f"{g} = {h} * {a}")
    _returns(d, inner, "            ")


def _by_tests(d: Draw, s: Scope, function: Function, r: str, up: str) -> None:
    a, b, h, m, n = (next(d.names) for _ in range(5))
    d.put(
        "    ", f"if {r} is None{d.one(('', f' or {r} == 3', f' or {r} in (1, {_TEXTS[0]!r})'))}:"
    )
    _returns(d, s, "        ")
    d.put("    ", f"if {d.one((f'isinstance({r}, int)', f'type({r}) is int'))}:")
    _returns(d, s.plus("int", r), "        ")
    d.put("    ", f"if isinstance({r}, str):")
    _returns(d, s.plus("text", r), "        ")
    if d.chance(0.5):
        d.put("    ", f"if {d.one((f'isinstance({r}, list)', f'not isinstance({r}, tuple)'))}:")
        _over(d, s, function, r, up, "        ")
        d.put("    ", f"if len({r}) == 2:")
        d.put("        ", f"{a}, {b} = {r}")
        _both(d, s, function, (a, b), up, "        ")
        d.put("    ", f"{a}, {n}, {b} = {r}")
        d.put("    ", f"{h}, {m} = {function.call([b, up])}")
        _returns(d, s.plus("float", a).plus("int", n, m).plus("vector", h), "    ")
        return
    d.put("    ", f"if isinstance({r}, tuple):")
    d.put("        ", f"if len({r}) != 3:")
    _both(d, s, function, (f"{r}[0]", f"{r}[1]"), up, "            ")
    d.put("        ", f"{h}, {m} = {function.call([f'{r}[2]', up])}")
    inner = s.plus("float", f"{r}[0]").plus("int", f"{r}[1]", m).plus("vector", h)
    _returns(d, inner, "        ")
    _over(d, s, function, r, up, "    ")


def _over(d: Draw, s: Scope, function: Function, xs: str, up: str, pad: str) -> None:
    """Over the items of a list."""
    h, m, x, g, n = (next(d.names) for _ in range(5))
    d.put(pad, f"{h}, {m} = {up}, len({xs})")
    d.put(pad, f"for {x} in {xs}:")
    d.put(pad, f"    {g}, {n} = {function.call([x, d.one((h, up, 'p.b'))])}")
    d.put(pad, f"    {h} = ops.tanh({h} + {g})")
    if d.chance(0.5):
        d.put(pad, f"    {m} = ({m} + {n}) % 7")
    _returns(d, s.plus("vector", h).plus("int", m), pad)


def _both(d: Draw, s: Scope, function: Function, parts: tuple[str, str], up: str, pad: str) -> None:
    h, g, m, n = (next(d.names) for _ in range(4))
    d.put(pad, f"{h}, {m} = {function.call([parts[0], up])}")
    d.put(pad, f"{g}, {n} = {function.call([parts[1], d.one((h, up))])}")
    _returns(d, s.plus("vector", h, g).plus("int", m, n), pad)


def rebuilt(d: Draw) -> Function:
    """Another such value, made of one."""
    function = Function(next(d.names), ("raw", "int"), ("raw",))
    r, n = next(d.names), next(d.names)
    s = Scope(opened(d, function, [r, n]).names).without("raw", r)
    a, b, c = (next(d.names) for _ in range(3))
    again = [function.call([x, d.one((f"{n} + 1", n))]) for x in (a, b)]
    d.put("    ", f"match {r}:")
    d.put("        ", "case int() | str() | None:")
    number = expression(d, s, "int", 1)
    d.put(
        "            ", f"return {d.one((r, number, repr('NP'), f'({r}, {r})', 'None', f'[{r}]'))}"
    )
    d.put("        ", f"case {d.one((f'list({a})', f'list() as {a}'))}:")
    made = f"[{function.call([b, n])} for {b} in {a}]"
    d.put("            ", f"return {d.one((made, f'({r}, {r})', f'(0.5, {n}, {r})', r))}")
    d.put("        ", f"case ({a}, {b}):")
    d.put(
        "            ",
        f"return {d.one((f'({again[1]}, {again[0]})', again[0], f'(2.0, {n}, {again[1]})'))}",
    )
    d.put("        ", f"case ({c}, _, {b}):")
    d.put("            ", f"return {d.one((f'({c}, {n}, {again[1]})', f'({again[1]}, None)', b))}")
    return function
