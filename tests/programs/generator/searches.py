"""`any` and `all`: over lists and over tuples, whose items have types of their own, and around
`:=`, which keeps the last item that was looked at."""

from __future__ import annotations

from .draw import Draw, Scope
from .expressions import expression, production
from .statements import assigns, statement


@production("bool")
def _search(d: Draw, s: Scope, depth: int) -> str:
    x, few = next(d.names), min(depth, 1)
    a, b = (expression(d, s, "int", few) for _ in range(2))
    items = d.one(
        (expression(d, s, "ints", few), f"({a}, {b})", f"({a}, 2.5, True)", f"[{a}, {b}, {a}]")
    )
    test = f"{x} {d.one(('<', '>=', '=='))} {expression(d, s, 'int', few)}"
    return f"{d.one(('any', 'all'))}({test} for {x} in {items})"


@statement("simple")
@assigns("int")
def _kept(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """The item at which a search has ended."""
    last, x, found = (next(d.names) for _ in range(3))
    target, items = d.one(s.assignable("int")), expression(d, s, "ints", 1)
    d.put(pad, f"{last} = {d.choose.randrange(4)}")
    test = f"({last} := {x}) {d.one(('>', '!=', '<'))} {d.choose.randrange(4)}"
    d.put(pad, f"{found} = {d.one(('any', 'all', 'not any'))}({test} for {x} in {items})")
    d.put(pad, f"{target} = ({target} + {last} * 2 + int({found})) % 7")
