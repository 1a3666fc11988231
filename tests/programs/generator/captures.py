"""Local functions that change variables of the function around them, called anywhere in an
expression."""

from __future__ import annotations

from dataclasses import dataclass

from .draw import Draw, Scope
from .expressions import expression
from .statements import assign, statement


@dataclass
class _State:
    """The names of what the functions change, and of the functions that may be called."""

    count: str
    items: str
    table: str
    seen: str
    vector: str
    functions: list[str]


def _value(d: Draw, st: _State, deep: int, k: str = "1") -> str:
    """An int, in which functions are called."""
    if deep <= 0 or not st.functions or d.chance(0.2):
        return d.one(
            (k, st.count, f"len({st.items})", f"{st.items}[-1]", f"{st.table}.get({k} % 3, 1)",
             f"len({st.seen})", str(d.choose.randrange(4)))
        )  # fmt: skip
    a, b, c = (_value(d, st, deep - 1, k) for _ in range(3))
    f, g = d.one(st.functions), d.one(st.functions)
    i = next(d.names)
    inner = _value(d, st, deep - 1, i)
    return d.one(
        (
            f"{f}({a})",
            f"({a} + {f}({b}) * {c}) % 7",
            f"({f}({a}) - {g}({b}) + {c})",
            f"({f}({a}) if {b} % 2 else {c})",
            f"max({a}, {f}({b}))",
            f"sum({f}({i} + {a}) for {i} in range(2))",
            f"sum([{inner} for {i} in range({d.choose.randrange(3)})])",
            f"[{a}, {f}({b}), {c}][{d.choose.randrange(3)}]",
            f"({f}({a}) or {g}({b}))",
            f"({a} and {f}({b}))",
            f"int(any({f}({i}) % 3 == 1 for {i} in range(3)))",
            f"int(all({inner} > 0 for {i} in range(2)))",
            f"int({a} > 1 and {f}({b}) > 2 or {g}({c}) == 1)",
            f"len({{{i}: {f}({i}) for {i} in range(2)}})",
            f"{st.table}.get({f}({a}) % 3, {b})",
            f"divmod({f}({a}), {b} % 3 + 1)[0]",
        )
    )


def _body(d: Draw, st: _State, pad: str, k: str) -> None:
    """Statements of a function with the parameter `k`, which changes something."""
    value = _value(d, st, 1, k)
    kind = d.choose.randrange(7)
    if kind == 0:
        d.put(pad, f"{st.count} {d.one(('+=', '-=', '='))} ({value}) % 5")
    elif kind == 1:
        d.put(pad, f"{st.items}.append(({value}) % 7)")
    elif kind == 2:
        d.put(pad, f"{st.table}[({value}) % 3] = {st.table}.get({k} % 3, 2) + 1")
    elif kind == 3:
        d.put(pad, f"{st.vector} = ops.tanh({st.vector} + p.b * float({value} % 3))")
    elif kind == 4:
        d.put(pad, f"{st.seen}.add(({value}) % 5)")
    elif kind == 5:
        d.put(pad, f"if ({value}) % 4 in {st.seen}:")
        d.put(pad, f"    return ({_value(d, st, 1, k)}) % 7")
        d.put(pad, f"{st.seen}.add({k} % 4)")
    else:
        d.put(pad, f"if len({st.items}) > 2:")
        d.put(pad, f"    {st.items}.pop()")
        d.put(pad, "else:")
        d.put(pad, f"    {st.items}.insert(0, ({value}) % 6)")


@statement("simple")
def _local_functions(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """Two or three functions that change what they share, and calls of them."""
    if not s.assignable("int") or not s.assignable("vector"):
        assign(d, s, pad)
        return
    names = [next(d.names) for _ in range(5)]
    st = _State(names[0], names[1], names[2], names[3], names[4], [])
    target, vector = d.one(s.assignable("int")), d.one(s.assignable("vector"))
    start = expression(d, s, "int", 1)
    d.put(pad, f"{st.count}, {st.items} = 1, [({start}) % 5]")
    made = d.one(("collections.defaultdict(int)", "{0: 2}", "{}"))
    d.put(pad, f"{st.table} = {made}")
    d.put(pad, f"{st.seen} = set()")
    d.put(pad, f"{st.vector} = {expression(d, s, 'vector', 1)}")
    for _ in range(d.choose.randrange(2, 4)):
        f, k = next(d.names), next(d.names)
        d.put(pad, f"def {f}({k}):")
        inner = pad + "    "
        d.put(inner, f"nonlocal {st.count}, {st.vector}")
        if d.chance(0.3):  # recursive
            d.put(inner, f"if {k} > 0 and len({st.items}) < 6:")
            d.put(inner, f"    {st.items}.append({f}({k} // 2 - 1) % 7)")
        for _ in range(d.choose.randrange(1, 4)):
            _body(d, st, inner, k)
        d.put(inner, f"return ({_value(d, st, 2, k)}) % 7")
        st.functions.append(f)
    x = next(d.names)
    if s.of("ints") and d.chance(0.6):
        d.put(pad, f"for {x} in {d.one(s.of('ints'))}:")
        d.put(pad, f"    {target} = ({target} + {_value(d, st, 2, x)}) % 7")
        if d.chance(0.4):
            d.put(pad, f"    if {_value(d, st, 2, x)} > 3:")
            d.put(pad, f"        {d.one(('break', 'continue', f'{st.count} += 1'))}")
    if d.chance(0.4):
        rounds = next(d.names)
        d.put(pad, f"{rounds} = 0")
        d.put(pad, f"while {_value(d, st, 1)} < 9 and {rounds} < 3:")
        d.put(pad, f"    {rounds} += 1")
        d.put(pad, f"    {st.count} += {d.choose.randrange(1, 4)}")
    place = d.one((target, f"{st.table}[1]", f"{st.items}[0]", st.count))
    d.put(pad, f"{st.table}[1] = 3")
    d.put(pad, f"{place} {d.one(('=', '+='))} {_value(d, st, 2)}")
    if d.chance(0.3):
        d.put(pad, f"{st.items} += [{_value(d, st, 2)}]")
    total = f"sum({st.items}) + {st.count} + len({st.seen}) + sum({st.table}.values())"
    d.put(pad, f"{target} = ({target} + {total}) % 7")
    d.put(pad, f"{vector} = {vector} * 0.5 + {st.vector}")
