"""Python's standard library and numpy in a model, objects that change in lists, and what a model
uses although it may be None or unassigned."""

from __future__ import annotations

from .draw import Draw, Scope
from .expressions import expression, production
from .productions import least
from .statements import assign, statement

TYPES = """

@dataclasses.dataclass
class Slot:
    key: Tensor["H"]
    age: int = 0
    weight: float = 0.5


TABLE = {0: lambda a: a * 2, 1: lambda a: a - 1, 2: operator.neg}

"""


@production("int")
def _iterated(d: Draw, s: Scope, depth: int) -> str:
    if not s.of("ints"):
        return least(d, s, "int")
    xs, n = d.one(s.of("ints")), expression(d, s, "int", depth)
    return d.one(
        (
            f"(sum(a * b for a, b in itertools.pairwise({xs})) % 7)",
            f"(list(itertools.accumulate({xs}, lambda a, b: (a * 3 + b) % 7, initial={n}))[-1])",
            f"(sum(itertools.accumulate({xs})) % 7)",
            f"(sum((k + 2) * len(list(g)) for k, g in itertools.groupby({xs}, "
            "key=lambda x: x % 3)) % 7)",
            f"(sum(a * b % 5 for a, b in itertools.combinations({xs}, 2)) % 7)",
            f"(sum(a - b for a, b in itertools.product({xs}, range(2))) % 7)",
            f"sum(itertools.islice({xs}, {d.choose.randrange(4)}))",
            f"(sum(itertools.chain({xs}, [{n}], range(3))) % 7)",
            f"len(list(itertools.{d.one(('takewhile', 'dropwhile'))}(lambda x: x < 3, {xs})))",
            f"(sum(i * x for i, x in zip(itertools.count({d.choose.randrange(3)}), {xs})) % 7)",
            f"TABLE[({n}) % 3]({n})",
            f"operator.{d.one(('add', 'mul', 'sub'))}({n}, {least(d, s, 'int')})",
        )
    )


@production("vector")
def _of_numpy(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "vector", depth) for _ in range(2))
    n = least(d, s, "int")
    return d.one(
        (
            f"np.mean(np.stack([{a}, {b}]), axis=0)",
            f"np.max(np.stack([{a}, {b}]), axis=0)",
            f"np.clip({a}, -0.5, 0.75)",
            f"np.where(({a}) > 0.1, {a}, {b})",
            f"(({a}) * np.linalg.norm({b}))",
            f"(({a}) + np.dot({a}, {b}))",
            f"(({a}) + np.sum([0.5, float({n})]))",
        )
    )


@statement("simple")
def _cursor(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """Codes that are followed by their operands."""
    if not s.of("ints") or not s.assignable("int"):
        assign(d, s, pad)
        return
    it, n, x, y = (next(d.names) for _ in range(4))
    xs, target = d.one(s.of("ints")), d.one(s.assignable("int"))
    d.put(pad, f"{it} = iter({d.one((xs, f'{xs}[::-1]', f'{xs} + [1, 2]'))})")
    d.put(pad, f"{n} = {d.choose.randrange(3)}")
    d.put(pad, f"for {x} in {it}:")
    d.put(pad, f"    if {x} % 3 == {d.choose.randrange(3)}:")
    d.put(pad, f"        {n} += next({it}, {expression(d, s, 'int', 1)}) % 5")
    d.put(pad, f"    elif {x} % 3 == {d.choose.randrange(3)}:")
    d.put(pad, f"        {y} = next({it}, None)")
    d.put(pad, f"        if {y} is None:")
    d.put(pad, f"            {d.one(('break', f'{n} += 4'))}")
    d.put(pad, "        else:")
    d.put(pad, f"            {n} += {y} % 4")
    d.put(pad, f"{target} = {n} % 7")


@statement("simple")
def _read_after(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """The last values of a loop, in which there is at least one iteration."""
    if not s.of("ints") or not s.assignable("int") or not s.assignable("vector"):
        assign(d, s, pad)
        return
    i, x, h, best = (next(d.names) for _ in range(4))
    xs, target = d.one(s.of("ints")), d.one(s.assignable("int"))
    vector = d.one(s.assignable("vector"))
    d.put(pad, f"{best} = None")
    if d.chance(0.5):
        d.put(pad, f"for {i}, {x} in enumerate({xs} + [{expression(d, s, 'int', 1)}]):")
    else:
        d.put(pad, f"for {i} in range({d.choose.randrange(1, 4)}):")
        d.put(pad, f"    {x} = ({expression(d, s.plus('int', i), 'int', 1)}) % 5")
    d.put(pad, f"    {h} = ops.tanh({expression(d, s.plus('int', x), 'vector', 1)})")
    d.put(pad, f"    if {best} is None or {x} {d.one('<>')} {best}:")
    d.put(pad, f"        {best} = {x}")
    if d.chance(0.5):
        d.put(pad, f"    if {x} % 4 == 1:")
        d.put(pad, "        break")
    d.put(pad, f"{target} = ({i} + {x} * 2 + {best} * 3) % 7")
    d.put(pad, f"{vector} = {vector} * 0.5 + {h}")


@statement("simple")
def _filled(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """Arrays that are filled item by item."""
    if not s.of("ints") or not s.assignable("int") or not s.assignable("vector"):
        assign(d, s, pad)
        return
    table, rows, seen, i, x, k = (next(d.names) for _ in range(6))
    xs, target = d.one(s.of("ints")), d.one(s.assignable("int"))
    vector, size = d.one(s.assignable("vector")), d.choose.randrange(2, 4)
    inner = s.plus("int", x)
    d.put(pad, f"{table} = {d.one(('np.zeros', 'np.ones'))}((len({xs}) + 1, {size}))")
    d.put(pad, f"{rows} = np.zeros((len({xs}) + 1, len(p.b)))")
    d.put(pad, f"{seen} = np.full({size}, {d.choose.randrange(3)})")
    d.put(pad, f"for {i}, {x} in enumerate({xs}):")
    d.put(pad, f"    {seen}[{x} % {size}] {d.one(('=', '+='))} {x}")
    d.put(pad, f"    {rows}[{i} + 1] = ops.tanh({rows}[{i}] + {expression(d, inner, 'vector', 1)})")
    if d.chance(0.5):
        d.put(pad, f"    {rows}[{i}] *= 0.5")
    d.put(pad, f"    for {k} in range({size}):")
    d.put(pad, f"        {table}[{i} + 1, {k}] = {table}[{i}, {k} - 1] * 0.5 + ({x} + {k}) % 5")
    d.put(pad, f"{target} = int({table}[-1, 1] * 4 + {seen}.max() + sum({seen})) % 7")
    d.put(pad, f"{vector} = ops.tanh({vector} * 0.5 + np.mean({rows}, axis=0))")


@statement("simple")
def _counting(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """What is most common, and what was used last."""
    if not s.of("ints") or not s.assignable("int"):
        assign(d, s, pad)
        return
    counts, recent, pairs, x, n = (next(d.names) for _ in range(5))
    xs, target = d.one(s.of("ints")), d.one(s.assignable("int"))
    d.put(pad, f"{counts} = collections.Counter({x} % 4 for {x} in {xs})")
    d.put(pad, f"{recent} = collections.OrderedDict()")
    d.put(pad, f"{pairs} = collections.defaultdict(lambda: (0, {d.choose.randrange(3)}))")
    d.put(pad, f"for {x} in {xs}:")
    d.put(pad, f"    if {x} % 5 in {recent}:")
    d.put(pad, f"        {recent}.move_to_end({x} % 5)")
    d.put(pad, f"    {recent}[{x} % 5] = {x}")
    d.put(pad, f"    if len({recent}) > 2:")
    d.put(pad, f"        {recent}.popitem({d.one(('', 'last=False'))})")
    d.put(pad, f"    {pairs}[{x} % 3] = ({pairs}[{x} % 3][0] + 1, {x})")
    d.put(pad, f"{n} = sum((i + 1) * k * c for i, (k, c) in enumerate({counts}.most_common(2)))")
    d.put(pad, f"for {x} in {recent}:")
    d.put(pad, f"    {n} = ({n} * 2 + {x}) % 11")
    d.put(pad, f"{target} = ({n} + {pairs}[1][0] + {counts}.total()) % 7")


@statement("simple")
def _slots(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """Objects in a list, whose fields change."""
    if not s.of("ints") or not s.assignable("int") or not s.assignable("vector"):
        assign(d, s, pad)
        return
    slots, x, slot, best = (next(d.names) for _ in range(4))
    xs, target = d.one(s.of("ints")), d.one(s.assignable("int"))
    vector = d.one(s.assignable("vector"))
    inner = s.plus("int", x)
    d.put(pad, f"{slots} = [Slot({expression(d, s, 'vector', 1)})]")
    d.put(pad, f"for {x} in {xs}:")
    d.put(pad, f"    for {slot} in {slots}:")
    d.put(pad, f"        {slot}.age += {d.one(('1', f'{x} % 3'))}")
    changes = [
        [f"{slots}[-1].key = ops.tanh({slots}[0].key + {expression(d, inner, 'vector', 1)})"],
        [f"{slots}[{x} % len({slots})].weight *= 0.5"],
        [
            f"{best} = max({slots}, key=lambda slot: (slot.age, slot.weight))",
            f"{best}.age = {x} % 5",
            f"{best}.weight = {best}.weight + 0.25",
        ],
        [f"{slots}.append(Slot({expression(d, inner, 'vector', 1)}, {x} % 4))"],
        [f"{slots}.sort(key=lambda slot: -slot.age)"],
        [f"{slots} = sorted({slots}, key=lambda slot: slot.weight)[:3]"],
        [f"{slots} = [{slot} for {slot} in {slots} if {slot}.age < 6] or [Slot(p.b)]"],
        [f"if len({slots}) > 2:", f"    {slots}.pop({d.one(('', '0'))})"],
    ]
    for change in d.choose.sample(changes, d.choose.randrange(1, 5)):
        for line in change:
            d.put(pad, f"    {line}")
    d.put(pad, f"{target} = sum((i + 1) * c.age for i, c in enumerate({slots})) % 7")
    d.put(pad, f"{vector} = ops.tanh(sum(c.key * c.weight for c in {slots}))")
