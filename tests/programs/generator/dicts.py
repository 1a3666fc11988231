"""Dicts: lists in them that grow, missing keys that have a value, and what is counted by key."""

from __future__ import annotations

from .draw import Draw, Scope
from .expressions import expression
from .statements import assign, statement


@statement("simple")
def _grouped(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """Lists in a dict that grow, and what is in them."""
    kind = d.one([k for k in ("ints", "vectors") if s.of(k) and s.assignable(k[:-1])] or [""])
    if not kind:
        assign(d, s, pad)
        return
    groups, i, x, row = (next(d.names) for _ in range(4))
    inner = s.plus("int", i).plus(kind[:-1], x)

    def value() -> str:
        made = expression(d, inner, kind[:-1], 1)
        return f"ops.tanh({made})" if kind == "vectors" else f"({made}) % 7"

    key = d.one((f"{i} % 3", f"({expression(d, inner, 'int', 1)}) % 3", f"{i} > 1"))
    made = d.one(
        (*["{}"] * 2, "collections.defaultdict(list)", "collections.defaultdict(lambda: [])")
    )
    d.put(pad, f"{groups} = {made}")
    d.put(pad, f"for {i}, {x} in enumerate({d.one(s.of(kind))}):")
    bools = key.endswith("> 1")
    if not bools:  # what it is made of may change in this iteration
        name = next(d.names)
        d.put(pad, f"    {name} = {key}")
        key = name
    if made != "{}":
        d.put(pad, f"    {groups}[{key}].append({value()})")
    elif d.chance(0.5):
        d.put(pad, f"    {groups}.setdefault({key}, []).append({value()})")
    else:
        d.put(pad, f"    if ({key}) not in {groups}:")
        d.put(pad, f"        {groups}[{key}] = [{d.one(('', value()))}]")
        d.put(pad, f"    {groups}[{key}].append({value()})")
    _look(d, s, pad + "    ", groups, key, made)
    for change in d.choose.sample(
        (
            f"{groups}[{key}] += [{value()}]",
            f"{groups}[{key}][0] = {value()}",
            f"{groups}[{key}].insert(0, {value()})",
            f"{groups}[{key}].reverse()",
            *([f"{groups}[{key}] = {groups}[{key}][-3:]"] if made == "{}" else []),
        ),
        d.choose.randrange(3),
    ):
        d.put(pad, f"    {change}")
    known = d.one(("True", "False") if bools else ("0", "1", "8"))
    _look(d, s, pad, groups, known, made)
    if made != "{}" and d.chance(0.5):
        d.put(pad, f"{groups}[{known}] += {d.one(s.of(kind))}[:2]")
    target, rows = d.one(s.assignable(kind[:-1])), f"{row} in {groups}.values()"
    if kind == "ints":
        d.put(pad, f"{target} = sum(len({row}) + sum({row}) for {rows}) % 7")
    else:
        d.put(pad, f"{target} = ops.tanh(sum([sum({row}, p.b) for {rows}], {target}))")


def _look(d: Draw, s: Scope, pad: str, groups: str, key: str, made: str) -> None:
    """Look at lists that grow afterwards."""
    if not s.assignable("int") or d.chance(0.5):
        return
    n, k, row, x = d.one(s.assignable("int")), *(next(d.names) for _ in range(3))
    item = f"{groups}[{key}]" if made != "{}" and d.chance(0.5) else f"{groups}.get({key}, [])"
    looks: tuple[tuple[str, ...], ...] = (
        (f"{n} = ({n} + len({item})) % 7",),
        (f"if {item}:", f"    {n} = ({n} + 3) % 7"),
        (f"for {x} in {item}:", f"    {n} = ({n} * 2 + 1) % 7"),
        (f"for {k}, {row} in {groups}.items():", f"    {n} = ({n} * 2 + len({row}) + {k}) % 7"),
        (f"{n} = sum(len({row}) for {row} in {groups}.values()) % 7",),
    )
    for line in d.one(looks):
        d.put(pad, line)


@statement("simple")
def _counted(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """How often there is a number, and sums by key."""
    if not s.of("ints") or not s.assignable("int"):
        assign(d, s, pad)
        return
    counts, x = next(d.names), next(d.names)
    inner = s.plus("int", x)
    xs, key = d.one(s.of("ints")), f"{expression(d, inner, 'int', 1)} % 3"
    if d.chance(0.5):
        d.put(pad, f"{counts} = collections.Counter({d.one((xs, f'{x} % 4 for {x} in {xs}'))})")
    else:
        d.put(pad, f"{counts} = collections.defaultdict(int)")
        d.put(pad, f"for {x} in {xs}:")
        d.put(pad, f"    {counts}[{key}] += {expression(d, inner, 'int', 1)} % 5")
    read = f"{counts}[{expression(d, s, 'int', depth)} % 4]"
    if d.chance(0.3):
        read = f"(dict({counts}) | {{{expression(d, s, 'int', 1)}: 3}}).get({read}, 1)"
    if d.chance(0.3):
        i = next(d.names)
        d.put(pad, f"for {i} in {d.one(s.of('ints'))}:")
        d.put(pad, f"    {counts}[{i} % 3] += len({counts}) + {counts}[{i} % 5]")
    more = d.one((f"len({counts})", f"sum({counts}.values())", f"{counts}[1]"))
    d.put(pad, f"{d.one(s.assignable('int'))} = ({read} + {more}) % 7")
