"""Lists: what changes them, what is made of them, and generators in their place."""

from __future__ import annotations

from .draw import Draw, Scope
from .expressions import expression, production
from .statements import assign, statement

MOST = 9  # items of a list that is made of itself


@production("ints", 3)
def _made(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "int", depth) for _ in range(2))
    x, y = next(d.names), next(d.names)
    inner, both = s.plus("int", x), s.plus("int", x, y)
    if not s.of("ints"):
        return d.one(
            (
                f"[{a}, {b}]",
                f"[{a}] * ({b} % 3)",
                f"list(range({a} % 4))",
                f"[{expression(d, inner, 'int', depth)} for {x} in range({b} % 4)]",
            )
        )
    xs = d.one(s.of("ints"))
    keep = f" if {expression(d, inner, 'bool', depth)}" if d.chance(0.5) else ""
    return d.one(
        (
            f"[*{xs}, {a}][:{MOST}]",
            f"({xs} + [{a}, {b}])[-{MOST}:]",
            f"{xs}[::-1]",
            f"{xs}[{d.choose.randrange(3)}:{d.one(('', '-1', '3'))}]",
            f"sorted({xs}{d.one(('', ', reverse=True'))})",
            f"list(reversed({xs}))",
            f"[{expression(d, inner, 'int', depth)} for {x} in {xs}{keep}]",
            f"[({x} + {y}) % 7 for {x} in {xs} for {y} in range({x} % 3)][:{MOST}]",
            f"[{expression(d, both, 'int', 1)} for {x}, {y} in zip({xs}, {xs}[1:])]",
            f"list(map(lambda {x}: {expression(d, inner, 'int', depth)}, {xs}))",
            f"list(filter(lambda {x}: {expression(d, inner, 'bool', depth)}, {xs}))",
            f"sorted({expression(d, inner, 'int', 1)} for {x} in {xs})",
        )
    )


@production("vectors", 3)
def _made_of_tensors(d: Draw, s: Scope, depth: int) -> str:
    a, x, i = expression(d, s, "vector", depth), next(d.names), next(d.names)
    inner = s.plus("vector", x)
    numbered = inner.plus("int", i)
    if not s.of("vectors"):
        return d.one(
            (
                f"[{a}, p.b]",
                f"[{a}] * {d.choose.randrange(1, 4)}",
                f"[r for r in {expression(d, s, 'matrix', depth)}]",
                f"[ops.tanh({x} * 0.5) for {x} in [{a}, p.g]]",
            )
        )
    xs = d.one(s.of("vectors"))
    value = f"ops.tanh({expression(d, inner, 'vector', depth)})"
    return d.one(
        (
            f"[*{xs}, ops.tanh({a})][:{MOST}]",
            f"{xs}[::-1]",
            f"({xs} + [ops.tanh({a})])[-{MOST}:]",
            f"[{value} for {x} in {xs}]",
            f"[{value} for {x} in {xs} if {expression(d, inner, 'bool', 1)}]",
            f"[ops.tanh({expression(d, numbered, 'vector', 1)}) for {i}, {x} in enumerate({xs})]",
            f"list(map(lambda {x}: {value}, {xs}))",
            f"ab.parallel([{value} for {x} in {xs}])",
        )
    )


@production("int", 2)
def _of_ints(d: Draw, s: Scope, depth: int) -> str:
    xs, x = expression(d, s, "ints", max(depth, 1)), next(d.names)
    inner = s.plus("int", x)
    a, value = expression(d, s, "int", depth), expression(d, inner, "int", depth)
    return d.one(
        (
            f"sum({xs}) % 7",
            f"max({xs}, default={a})",
            f"min([*{xs}, {a}])",
            f"max({value} for {x} in [{a}, *{xs}])",
            f"sum({value} for {x} in {xs}) % 5",
            f"sum({expression(d, inner, 'bool', depth)} for {x} in {xs})",
            f"({xs}).count({a})",
            f"[*{xs}, 3].index(3)",
            f"len({xs})",
            f"functools.reduce(lambda {x}, y: ({x} * 2 + y) % 7, {xs}, {a})",
            f"ops.argmax([*{xs}, {a}])",
            f"(0 if not {xs} else 1)",
        )
    )


@production("float")
def _of_floats(d: Draw, s: Scope, depth: int) -> str:
    xs, x = expression(d, s, "ints", max(depth, 1)), next(d.names)
    return d.one(
        (
            f"sum([{x} * 0.5 for {x} in {xs}], 0.0)",
            f"max([{x} / 4 for {x} in {xs}], default={expression(d, s, 'float', depth)})",
            f"sorted({x} * 0.25 for {x} in [*{xs}, 1])[0]",
        )
    )


@production("bool")
def _of_a_list(d: Draw, s: Scope, depth: int) -> str:
    xs, x = expression(d, s, "ints", max(depth, 1)), next(d.names)
    test = expression(d, s.plus("int", x), "bool", depth)
    a = expression(d, s, "int", depth)
    return d.one(
        (
            f"{d.one(('any', 'all'))}({test} for {x} in {xs})",
            f"{d.one(('any', 'all'))}([{test} for {x} in {xs}])",
            f"({a} {d.one(('in', 'not in'))} {xs})",
            f"({xs} {d.one(('==', '!='))} [{a}, 1])",
            f"(not {xs})",
            f"bool({xs})",
        )
    )


@production("vector")
def _of_vectors(d: Draw, s: Scope, depth: int) -> str:
    x = next(d.names)
    a, inner = expression(d, s, "vector", depth), s.plus("vector", x)
    value = expression(d, inner, "vector", 1)
    xs = expression(d, s, "vectors", max(depth, 1))
    step = f"lambda h, {x}: ops.tanh(h @ p.w0 + {x})"
    return d.one(
        (
            f"sum({xs}, {a})",
            f"sum(({value} for {x} in {xs}), {a})",
            f"functools.reduce({step}, {xs}, {a})",
            f"functools.reduce(lambda {x}, y: {x} + y, [{a}, *{xs}])",
            f"functools.reduce(ops.maximum, {xs}, {a})",
            f"[{a}, *{xs}][-1]",
        )
    )


@statement("simple", 2)
def _change(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A list of this function changes."""
    kinds = [k for k in ("vectors", "ints") if s.assignable(k)]
    if not kinds:
        assign(d, s, pad)
        return
    kind = d.one(kinds)
    xs = d.one(s.assignable(kind))

    def value() -> str:
        made = expression(d, s, kind[:-1])
        return f"ops.tanh({made})" if kind == "vectors" else f"({made}) % 7"

    at = f"{expression(d, s, 'int', 1)} % len({xs})"
    guarded = (
        f"{xs}[{at}] = {value()}",
        f"{xs}[0], {xs}[-1] = {xs}[-1], {xs}[0]",
        f"{xs}.pop()",
        f"{xs}.pop(0)",
        f"{xs}.pop({at})",
        f"del {xs}[{d.one(('0', '-1', at))}]",
        *([f"{xs}[{at}] += {d.one((1, -2))}"] if kind == "ints" else []),
    )
    free = [
        f"{xs}.insert({d.one(('0', '-1', '99', expression(d, s, 'int', 1)))}, {value()})",
        f"{xs}.reverse()",
        f"{xs}.extend([{value()}, {value()}])",
        f"{xs}.append({value()})",
        f"{xs} = [{value()}] * {d.choose.randrange(4)}",
        f"{xs} = {_made_of_tensors(d, s, 1) if kind == 'vectors' else _made(d, s, 1)}",
        *([f"{xs}.sort()", f"{xs}.clear()", f"{xs} *= 0"] if kind == "ints" else []),
    ]
    if d.chance(0.5):
        d.put(pad, d.one(free))
        return
    test = d.one((f"{xs}", f"len({xs}) > {d.choose.randrange(3)}"))
    d.put(pad, f"if {test}:")
    d.put(pad, f"    {d.one(guarded)}")


@statement("simple")
def _taken(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """An item that is taken out of a list, and used."""
    if not s.assignable("ints") or not s.assignable("int"):
        assign(d, s, pad)
        return
    xs, n = d.one(s.assignable("ints")), d.one(s.assignable("int"))
    taken = d.one((f"{xs}.pop()", f"{xs}.pop(0)"))
    d.put(pad, f"{n} = {taken} % 7 if {xs} else {expression(d, s, 'int', 1)} % 7")


@statement("simple")
def _grown(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """Lists in a list that grow, and what is in them."""
    rows, x = next(d.names), next(d.names)
    kind = d.one(("ints", "vectors"))
    targets = s.assignable(kind[:-1])
    if not targets:
        assign(d, s, pad)
        return
    value = expression(d, s, kind[:-1], 1)
    value = f"ops.tanh({value})" if kind == "vectors" else f"({value}) % 7"
    d.put(pad, f"{rows} = [[{d.one(('', value))}] for {x} in range(3)]")
    d.put(pad, f"for {x} in range({d.one(('2', '3', expression(d, s, 'int', 1) + ' % 4'))}):")
    inner = s.plus("int", x)
    more = expression(d, inner, kind[:-1], 1)
    more = f"ops.tanh({more})" if kind == "vectors" else f"({more}) % 7"
    at = f"{expression(d, inner, 'int', 1)} % 3"
    change = d.one((f"{rows}[{at}].append({more})", f"{rows}[{x} % 3].append({more})",
                    f"{rows}[{at}] += [{more}]"))  # fmt: skip
    d.put(pad, f"    {change}")
    row = next(d.names)
    if kind == "ints":
        result = f"sum(len({row}) + sum({row}) for {row} in {rows}) % 7"
    else:
        result = f"ops.tanh(sum([sum({row}, p.b) for {row} in {rows}], {d.one(targets)}))"
    d.put(pad, f"{d.one(targets)} = {result}")


@statement("nested")
def _until_empty(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A work list."""
    if not s.of("ints"):
        assign(d, s, pad)
        return
    left, x = next(d.names), next(d.names)
    d.put(pad, f"{left} = [*{d.one(s.of('ints'))}][:5]")
    d.put(pad, f"while {left}:")
    d.put(pad, f"    {x} = {left}.pop({d.one(('', '0'))})")
    if d.chance(0.5):
        d.put(pad, f"    if {x} > 2:")
        d.put(pad, f"        {left}.append({x} // 2 - 1)")
    assign(d, s.plus("int", x), pad + "    ")
