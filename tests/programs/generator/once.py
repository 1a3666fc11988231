"""Arguments that change something, iterators that are passed on, numbers that become tensors where
a loop is left, tuples of any length, tables of functions, named slices, hints that say float."""

from __future__ import annotations

from .draw import Draw, Scope
from .expressions import expression
from .statements import assign, assigns, statement

# Operations on two ints, two vectors, and on one of them, with a place for each argument.
_OF_INTS = (
    "max({}, {})", "min({}, 3, {})", "abs({})", "int({})", "int(float({}))", "divmod({}, 3)[1]",
    "[4, 5, 6, 7, 8][{} % 5]", "round(float({}), 1) // 1", "sum([{}, {}])", "len([{}, {}])",
    "({} if {} > 1 else 2)", "int({} in [1, 2, {}])", "len(f'{{{}:03d}}')", "{{2: 5}}.get({}, {})",
)  # fmt: skip
_OF_VECTORS = (
    "np.maximum({}, {})", "np.where({} > 0, {}, 0.0)", "np.concatenate([{}, {}])[:H]",
    "np.outer({}, {})[0]", "{} * float({}.max())", "{} * np.dot({}, {})", "ops.concat({}, {})[-H:]",
    "{} * max(0.0, {}.sum())", "{} + ops.softmax({})", "np.roll({}, 1) - {}", "{}[::1] @ p.w0",
    "{} * min({}.max(), 1.0)", "{} * math.tanh(float({}.mean()))", "np.stack([{}, {}]).sum(axis=0)",
)  # fmt: skip


@statement("simple")
def _taken(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """Each argument takes an item from a list."""
    kind = d.one(("int", "vector"))
    if not s.assignable(kind):
        assign(d, s, pad)
        return
    items, target = next(d.names), d.one(s.assignable(kind))
    form = d.one(_OF_INTS if kind == "int" else _OF_VECTORS).replace("H", str(d.hidden))
    count = form.replace("{{", "").replace("}}", "").count("{}")
    parts = [f"({expression(d, s, kind, 1)}){' % 4' * (kind == 'int')}" for _ in range(count + 1)]
    d.put(pad, f"{items} = [{', '.join(parts)}]")
    taken = form.format(*(f"{items}.pop()" for _ in range(count)))
    if kind == "int":
        d.put(pad, f"{target} = int({taken}) % 7 + len({items})")
    else:
        d.put(pad, f"{target} = ops.tanh({taken} + len({items}) * {items}[0])")


@statement("simple")
@assigns("vector")
def _leaving(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A number that becomes a tensor on a path that leaves the iteration, or the loop."""
    x, i, total, target = (*(next(d.names) for _ in range(3)), d.one(s.assignable("vector")))
    inner = s.plus("vector", x).plus("int", i)
    d.put(pad, f"{total} = {d.one(('0.0', '1.5'))}")
    d.put(pad, f"for {i}, {x} in enumerate({expression(d, s, 'vectors', 1)}):")
    tensor = f"ops.tanh(ops.mean({expression(d, inner, 'vector', 1)}))"
    changes = d.choose.sample(
        (
            (f"{total} = {tensor}", "break"),
            (f"{total} = {total} + {tensor}", "continue"),
            (f"{total} = 2.0", "continue"),
            (f"{total} = max(0.5, {tensor})", "break"),
        ),
        d.choose.randrange(1, 4),
    )
    for change, leave in changes:
        d.put(pad, f"    if {expression(d, inner, 'bool', 1)}:")
        d.put(pad, f"        {change}")
        d.put(pad, f"        {leave}")
    if d.chance(0.5):
        d.put(pad, f"    {total} = {total} {d.one('+-')} 0.25")
    d.put(pad, f"{target} = ops.tanh({target} - {total})")


@statement("simple")
@assigns("vector")
def _becoming_vector(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A number that becomes a vector in a loop or a branch, and is an operand alone."""
    x, i, total, target = (*(next(d.names) for _ in range(3)), d.one(s.assignable("vector")))
    inner = s.plus("vector", x).plus("int", i)

    def change(pad: str) -> None:
        vector = expression(d, inner, "vector", 1)
        forms = ("ops.tanh({0} + {1})", "0.5 * {0} - {1}", "-{0} * ops.tanh({1})", "{1} + {0} / 2")
        d.put(pad, f"{total} = {d.one(forms).format(total, vector)}")

    d.put(pad, f"{total} = {d.one(('0.0', '1.5', '2'))}")
    d.put(pad, f"for {i}, {x} in enumerate({expression(d, s, 'vectors', 1)}):")
    if d.chance(0.4):
        d.put(pad, f"    if {expression(d, inner, 'bool', 1)}:")
        d.put(pad, f"        {d.one(('continue', 'break'))}")
    if d.chance(0.5):
        d.put(pad, f"    if {expression(d, inner, 'bool', 1)}:")
        change(pad + "        ")
        if d.chance(0.5):
            d.put(pad, "    else:")
            change(pad + "        ")
    change(pad + "    ")
    if d.chance(0.5):
        d.put(pad, f"{total} = {d.one(('2 * {}', '{} - 1', '{} / 3')).format(total)}")
    d.put(pad, f"{target} = ops.tanh({target} {d.one('+-')} {total})")


@statement("simple")
@assigns("vector")
def _passed(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """An iterator as an argument, for a function that calls its scores floats."""
    f, xs, h, x, best, target = (*(next(d.names) for _ in range(5)), d.one(s.assignable("vector")))
    d.put(pad, f"def {f}({xs}, {best}: float = -2.0) -> float:")
    d.put(pad, f"    for {h} in {xs}:")
    score = d.one((f"ops.tanh({h} @ p.b)", f"ops.mean({h})", f"np.tanh({h}.max())"))
    d.put(pad, f"        if {score} > {best}:")
    d.put(pad, f"            {best} = {score}")
    d.put(pad, f"    return {best}")
    vectors = expression(d, s, "vectors", 1)
    value = expression(d, s.plus("vector", x), "vector", 1)
    given = d.one(
        (
            f"reversed({vectors})",
            f"({value} for {x} in {vectors})",
            f"map(lambda {x}: {x} * 0.5, {vectors})",
            f"{vectors}",
        )
    )
    d.put(pad, f"{target} = ops.tanh({target} + {f}({given}))")


@statement("simple")
@assigns("int")
def _path(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A tuple that grows, a counter, and a slice with a name."""
    path, ids, part, x = (next(d.names) for _ in range(4))
    target = d.one(s.assignable("int"))
    d.put(pad, f"{path} = ()")
    d.put(pad, f"{ids} = itertools.count({d.one(('', '1', '3, 2'))})")
    d.put(pad, f"for {x} in {expression(d, s, 'ints', 1)}:")
    if d.chance(0.5):
        d.put(pad, f"    if {expression(d, s.plus('int', x), 'bool', 1)}:")
        d.put(pad, f"        {path} = ({x}, *{path})")
    grown = (f"{path} + ({x},)", f"(*{path}, next({ids}))", f"{path} + ({x} % 3, next({ids}))")
    d.put(pad, f"    {path} = {d.one(grown)}")
    bounds = d.one(("1, 3", "2", "None, None, -1", f"len({path}) // 2, None"))
    d.put(pad, f"{part} = slice({bounds})")
    d.put(pad, f"{target} = (sum({path}[{part}]) + len({path}) + next({ids})) % 7")


@statement("simple")
def _table(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """The functions of a table, one after the other."""
    kind = d.one(("int", "vector"))
    if not s.assignable(kind):
        assign(d, s, pad)
        return
    name, f, target = next(d.names), next(d.names), d.one(s.assignable(kind))
    if kind == "int":
        d.put(pad, f"for {name}, {f} in {d.one(('TURNS.items()', 'sorted(TURNS.items())'))}:")
        d.put(pad, f"    if {name} {d.one(('!=', '=='))} {d.one(sorted(('inc', 'twice')))!r}:")
        d.put(pad, f"        {target} = {f}({target} + len({name})) % 7")
    else:
        xs = expression(d, s, "vectors", 1)
        over = d.one((f"zip({xs}, SHAPES)", "enumerate(SHAPES)", f"zip({xs}, reversed(SHAPES))"))
        d.put(pad, f"for {name}, {f} in {over}:")
        d.put(pad, f"    {target} = {f}({target} @ p.w0 + {name})")
