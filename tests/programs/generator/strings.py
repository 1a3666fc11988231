"""Strings taken apart and put together, and lookups in large tables of the module."""

from __future__ import annotations

from .draw import HINTS, Draw, Scope
from .expressions import expression, production
from .productions import least
from .statements import assigns, statement

HINTS["text"] = "str"
LITERALS = ('""', '"a"', '"NP"', '"det nsubj"', '"-12"', '"aBa,b"', '"é ß"')

TYPES = """

LONG = {f"{i % 7}{'ab'[i % 2]}{i}": i % 11 for i in range(280)} | {"NP": 3, "a": 5, "": 1}
COSTS = {f"w{i}": i / 8 for i in range(300)} | {"det": -0.5, "a b": 1.25}
RARE = frozenset(LONG) | {"det"}
STEPS = [(7 * i) % 13 for i in range(290)]

"""


@production("text", 2)
def _least(d: Draw, s: Scope, depth: int) -> str:
    if not s.of("note") or d.chance(0.3):
        return d.one(LITERALS)
    note = d.one(s.of("note"))
    return d.one((f"{note}.label", f'({note}.edges[0][1] if {note}.edges else "x y")'))


@production("text", 3)
def _made(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "text", depth) for _ in range(2))
    n = expression(d, s, "int", depth)
    # Python 3.11 has no quotes within quotes.
    i, named = least(d, s, "int"), d.one((*s.of("text"), "Relation.SUBJECT.value"))
    return d.one(
        (
            f"({a}).{d.one(('lower', 'upper', 'title', 'swapcase', 'strip'))}()",
            f"({a})[{d.one((':2', '1:', '::-1', '-2:', '::2', f'{n} % 2:', f':{n}'))}]",
            f"(({a}) + ({b}))",
            f"(({a}) * (({n}) % 3))",
            f'f"{{{i}}}_{{{named}}}"',
            f'f"{{{i}:>{d.one(("3", "3d", "x"))}}}"',
            f'f"{{{least(d, s, "float")}:.2f}}|{{{named}!r}}"',
            f"str({n})",
            f'({a}).replace("a", {b})',
            f"{d.one(LITERALS)}.join([c + c for c in {a}])",
            f'({a}).partition("b")[{d.one("012")}]',
            f"{d.one(LITERALS)}.join(({a}).split({d.one(('', repr(' '), repr('b'), 'None, 1'))}))",
            f"(({a}) if {expression(d, s, 'bool', depth)} else ({b}))",
            f"chr(97 + ({n}) % 26)",
            f"{d.one(LITERALS)}.join(sorted({a}{d.one(('', ', reverse=True'))}))",
            f"{d.one(('max', 'min'))}(({a}).split() or [{b}])",
            f"{d.one(('max', 'min'))}([{a}, {b}], key=lambda w: (len(w), w))",
            f'" ".join(sorted(({a}).split(), key=lambda w: (w[-1], -len(w))))',
        )
    )


@production("int")
def _counted(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "text", depth) for _ in range(2))
    n = expression(d, s, "int", depth)
    return d.one(
        (
            f"(len({a}) % 7)",
            f"({a}).find({b})",
            f'({a}).count("a")',
            f"LONG.get({a}, {n})",
            f"STEPS[len({a}) % 5]",
            f"(ord(({a} + 'q')[0]) % 5)",
            f"(int({a}) % 9 if ({a}).isdigit() and ({a}).isascii() else {n})",
            f"len(({a}).split())",
            f"sum(1 for c in {a} if c in {b})",
        )
    )


@production("float")
def _looked_up(d: Draw, s: Scope, depth: int) -> str:
    a, k = expression(d, s, "text", depth), expression(d, s, "float", depth)
    return d.one((f"COSTS.get({a}, {k})", f'float(str(len({a})) + ".5")'))


@production("bool")
def _tested(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "text", depth) for _ in range(2))
    return d.one(
        (
            f"(({a}) {d.one(('<', '<=', '>', '>=', '==', '!=', 'in', 'not in'))} ({b}))",
            f"({a}).{d.one(('isalpha', 'isdigit', 'isupper', 'islower', 'isspace'))}()",
            f"({a}).{d.one(('startswith', 'endswith'))}({d.one((b, repr(('a', 'N'))))})",
            f"(({a}) in RARE)",
            f"(({a}) in LONG)",
            f"bool({a})",
        )
    )


@statement("simple")
@assigns("vector")
def _over_characters(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A loop over a string that builds another one."""
    c, i, made, target = (*(next(d.names) for _ in range(3)), d.one(s.assignable("vector")))
    d.put(pad, f"{made} = {d.one(LITERALS)}")
    loop = d.one(
        (
            f"for {i}, {c} in enumerate({expression(d, s, 'text', 1)}):",
            f"for {i}, {c} in enumerate(({expression(d, s, 'text', 1)}).split()):",
        )
    )
    d.put(pad, loop)
    inner = s.plus("text", c).plus("int", i)
    d.put(pad, f"    {made} += {expression(d, inner, 'text', 1)}")
    d.put(pad, f"    {target} = ops.tanh({target} + p.emb[LONG.get({c}, {i} % 11)])")
    d.put(pad, f"{target} = {target} * (len({made}) % 4)")
