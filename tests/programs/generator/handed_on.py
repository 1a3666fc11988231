"""What one item of a comprehension, one test or one guard leaves to the next: names by `:=`, and
items taken off a list; bounds of slices that may be None."""

from __future__ import annotations

from .draw import Draw, Scope
from .expressions import expression
from .statements import assign, assigns, statement


@statement("simple")
@assigns("int")
def _running(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A number that the items of a comprehension change."""
    t, x, found = (next(d.names) for _ in range(3))
    target, items = d.one(s.assignable("int")), expression(d, s, "ints", 1)
    d.put(pad, f"{t} = {d.choose.randrange(4)}")
    step = f"{t} := ({t} * 2 + {x}) % 11"
    values = {
        f"[{step} for {x} in {items}]": f"sum({found})",
        f"[{x} for {x} in {items} if {x} != {t} and ({t} := {x}) >= 0]": f"len({found})",
        f"[{x} + ({t} if {x} > 1 else ({t} := {t} + {x})) for {x} in {items}]": f"sum({found})",
        f"{{{x}: ({step}) for {x} in {items} if {x} != 1}}": f"sum({found}.values())",
        f"sum({step} for {x} in {items})": found,
        f"sorted({step} for {x} in {items})": f"sum({found}[:2])",
        f"[[({step}) for {x} in {items}] for _ in range(2)]": f"sum(map(sum, {found}))",
    }
    value = d.one(list(values))
    after = f" + {t}" if d.chance(0.6) else ""
    d.put(pad, f"{found} = {value}")
    d.put(pad, f"{target} = ({target} + {values[value]}{after}) % 7")


@statement("simple")
@assigns("vector")
def _states(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """The states of a recurrence."""
    h, x, states = (next(d.names) for _ in range(3))
    target, items = d.one(s.assignable("vector")), expression(d, s, "ints", 1)
    d.put(pad, f"{h} = {expression(d, s, 'vector', 1)}")
    step = expression(d, s.plus("int", x).plus("vector", h), "vector", 1)
    test = f" if {expression(d, s.plus('int', x), 'bool', 1)}" if d.chance(0.3) else ""
    d.put(pad, f"{states} = [{h} := ops.tanh({h} * 0.5 + {step}) for {x} in {items}{test}]")
    last = f" + {h}" if d.chance(0.5) else ""
    d.put(pad, f"{target} = ops.tanh(sum({states}, {target}){last})")


@statement("simple")
@assigns("int")
def _taken(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """Items that a comprehension, or the test of a loop, takes off a list."""
    left, found, n = (next(d.names) for _ in range(3))
    target = d.one(s.assignable("int"))
    d.put(pad, f"{left} = [*{expression(d, s, 'ints', 1)}, 1, {d.choose.randrange(5)}]")
    some = f"for _ in range({d.one((1, 2, f'len({left}) // 2'))})"
    way = d.choose.randrange(4)
    if way == 0:
        d.put(pad, f"{found} = [{left}.pop() {some}]")
    elif way == 1:
        d.put(pad, f"{found} = [sum({left}.pop() {some}), len({left})]")
    elif way == 2:
        d.put(pad, f"{found} = []")
        d.put(pad, f"[{found}.append({left}.pop(0)) {some}]")
    else:
        d.put(pad, f"{found} = [len({left})]")
        d.put(pad, f"while ({n} := len({left})) > 1 and {n} % 4 != {d.one((0, 3))}:")
        d.put(pad + "    ", f"{found} += [{n}, {left}.pop()]")
        d.put(pad, f"{found}.append({n})")
    d.put(pad, f"{target} = ({target} + sum({found}) + len({left})) % 7")


@statement("simple")
def _guards(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """Guards that take items off a list, or bind a name. The cases after them are there twice, and
    an iterator in them would have two names."""
    left, t, k = (next(d.names) for _ in range(3))
    d.put(pad, f"{left} = [{d.choose.randrange(3)}, 0, 1, 2, 3]")
    d.put(pad, f"{t} = {d.choose.randrange(3)}")
    d.put(pad, f"match {expression(d, s, 'int', 1)} % 4:")
    cases = [
        f"{d.one(('0', '1 | 2', '_'))} if {left}.pop() {d.one(('>', '!='))} {d.one((2, 3))}",
        f"{k} if ({t} := {t} + {k}) % 2 == 0",
        f"{d.one((1, 3))} if {t} == {d.choose.randrange(3)}",
        f"{d.one((0, 2))} as {k} if {k} + {left}.pop() > 3",
    ]
    inner = s.plus("int", t)
    for case in d.choose.sample(cases, d.choose.randrange(1, 4)):
        bound = inner.plus("int", k) if case.startswith(k) or f" as {k}" in case else inner
        d.put(pad, f"    case {case}:")
        assign(d, bound, pad + " " * 8)
    if d.chance(0.7):
        d.put(pad, "    case _:")
        assign(d, inner, pad + " " * 8)
    if s.assignable("int"):
        target = d.one(s.assignable("int"))
        d.put(pad, f"{target} = ({target} + {t} + len({left})) % 7")


@statement("simple")
@assigns("int")
def _bounds(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A slice with a bound that may be None."""
    at, i, x, items = (next(d.names) for _ in range(4))
    target = d.one(s.assignable("int"))
    d.put(pad, f"{items} = [*{expression(d, s, 'ints', 1)}, 2]")
    d.put(pad, f"{at} = None")
    d.put(pad, f"for {i}, {x} in enumerate({items}):")
    d.put(pad + "    ", f"if {x} == {d.choose.randrange(4)}:")
    d.put(pad + " " * 8, f"{at} = {d.one((i, f'-{i}'))}")
    part = d.one((f"{at}:", f":{at}", f"{at}:3", f"1:{at}"))
    if d.chance(0.3):
        d.put(pad, f"{items}[{part}] = [{d.choose.randrange(4)}]")
        part = ":"
    d.put(pad, f"{target} = ({target} + 2 * sum({items}[{part}])) % 7")
