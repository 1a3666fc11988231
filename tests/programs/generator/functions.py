"""Functions of a program: each writes one, and what it may be called with."""

from __future__ import annotations

from collections.abc import Callable

from .draw import HINTS, Draw, Function, Scope
from .expressions import expression
from .statements import block


def opened(d: Draw, function: Function, names: list[str]) -> Scope:
    """The first lines of a function; the scope of its body, in which parameters are assigned to."""
    listed = "".join(f", {n}: {HINTS[k]}" for n, k in zip(names, function.parameters, strict=True))
    d.put("", "")
    d.put("", "")
    d.put("", "@ab.model")
    d.put("", f"def {function.name}(p: P{listed}) -> {result_hint(function.results)}:")
    s = Scope({})
    for name, kind in zip(names, function.parameters, strict=True):
        s = s.plus(kind, name, own=kind in ("vector", "int", "big", "float", "bool"))
    return s


def result_hint(kinds: tuple[str, ...]) -> str:
    """The hint of a result of one kind, or of a tuple."""
    hints = [HINTS[k] for k in kinds]
    return hints[0] if len(hints) == 1 else f"tuple[{', '.join(hints)}]"


def bounded(d: Draw, s: Scope, kind: str) -> str:
    """An expression whose value may be carried on."""
    value = expression(d, s, kind)
    return f"ops.tanh({value})" if kind == "vector" else value


def leaving(d: Draw, results: tuple[str, ...]) -> Callable[[str, Scope], None]:
    """Writes an early return of these kinds."""

    def leave(pad: str, s: Scope) -> None:
        d.put(pad, f"return {', '.join(bounded(d, s, k) for k in results)}")

    return leave


def simple(d: Draw, results: tuple[str, ...] | None = None) -> None:
    """Without recursion: parameters of simple kinds, statements, early returns in nested loops."""
    kinds = ("vector", "vector", "int", "float", "big", "bool")
    parameters = tuple(d.one(kinds) for _ in range(d.choose.randrange(1, 5)))
    results = results or (d.one(kinds),)
    function = Function(next(d.names), ("vector", *parameters), results)
    names = [next(d.names) for _ in function.parameters]
    s = opened(d, function, names)
    if d.chance(0.7):
        s = Scope(s.names, s.own, leaving(d, results))
    block(d, s, "    ", d.choose.randrange(4))
    leaving(d, results)("    ", s)
    d.functions.append(function)


def countdown(d: Draw) -> None:
    """Two functions that call each other until a number is used up."""
    first, second = (Function(next(d.names), ("int", "vector"), ("vector",)) for _ in range(2))
    for function, other in ((first, second), (second, first)):
        n, h = next(d.names), next(d.names)
        s = opened(d, function, [n, h])
        d.put("    ", f"if {n} <= 0{d.one(('', ' or ' + expression(d, s, 'bool', 1)))}:")
        d.put("        ", f"return {bounded(d, s, 'vector')}")
        block(d, Scope(s.names, frozenset({h})), "    ", d.choose.randrange(2), 2)
        call = other.call([f"min({n}, 4) - {d.one((1, 2))}", bounded(d, s, "vector")])
        d.put("    ", f"return {d.one((call, f'ops.tanh({call} + {h})'))}")
    d.functions.append(first)


def tree_walk(d: Draw) -> Function:
    """Recursion over the tree, with several results and a value that goes down."""
    function = Function(next(d.names), ("tree", "int", "vector"), ("vector", "vector", "int"))
    walk, names = function.name, [next(d.names) for _ in range(3)]
    t, n, up = names
    s = Scope(opened(d, function, names).names).without("tree", t)
    above, h, g, m = (next(d.names) for _ in range(4))
    d.put("    ", f"{above} = ops.tanh({expression(d, s, 'vector')})")
    s = s.plus("vector", above)
    down = [up, up, above, "ops.zeros(p.b.shape[0])", "p.b"]
    if d.chance(0.3):
        d.put("    ", f"if {expression(d, s, 'bool')}:")
        leaving(d, function.results)("        ", s)
    d.put("    ", f"match {t}:")

    def arm(inner: Scope, called: bool = False) -> None:
        value = expression(d, inner, "vector")
        d.put("            ", f"{h} = ops.tanh({value})")
        d.put("            ", f"{g} = ops.tanh({expression(d, inner, 'vector')})")
        d.put("            ", f"{m} = {expression(d, inner, 'int')}")

    word, x = next(d.names), next(d.names)
    d.put("        ", f"case Leaf({word}, {x}):")
    inner = s.plus("int", f"{word}").plus("vector", x)
    arm(inner)
    left, right, k, flag = (next(d.names) for _ in range(4))
    d.put("        ", f"case Node({left}, {right}, {k}, {flag}):")
    a, b, c, e, i, j = (next(d.names) for _ in range(6))
    calls = f"{walk}(p, {left}, {n} + 1, {d.one(down)}), {walk}(p, {right}, {k}, {d.one(down)})"
    together = f"ab.parallel({calls})" if d.chance(0.5) else calls
    inner = s.plus("int", i, j, k).plus("vector", a, b, c, e).plus("bool", flag)
    shape = d.choose.randrange(4)
    if shape == 0:
        d.put("            ", f"{a}, {b}, {i} = {walk}(p, {left}, {n}, {d.one(down)})")
        carried = d.one((b, f"ops.tanh({b} + {a})", above))
        d.put("            ", f"{c}, {e}, {j} = {walk}(p, {right}, {i}, {carried})")
    elif shape == 1:
        pair = next(d.names)
        d.put("            ", f"{pair} = {together}")
        d.put("            ", f"{a}, {b}, {i} = {pair}[0]")
        d.put("            ", f"{c}, {e}, {j} = {pair}[1]")
    else:
        d.put("            ", f"({a}, {b}, {i}), ({c}, {e}, {j}) = {together}")
    arm(inner)
    children, scale, parts, item = (next(d.names) for _ in range(4))
    d.put("        ", f"case Many({children}, {scale}):")
    keep = f" if {expression(d, s.plus('int', i), 'bool', 1)}" if d.chance(0.4) else ""
    child = f"{walk}(p, {item}, {i}, {d.one(down)})"
    d.put("            ", f"{parts} = [{child} for {i}, {item} in enumerate({children}){keep}]")
    d.put("            ", f"{h} = p.b * {scale}")
    d.put("            ", f"{g} = {above}")
    d.put("            ", f"{m} = len({parts})")
    inner = s.plus("vector", a, c).plus("vector", h, g, own=True).plus("int", m, own=True)
    d.put("            ", f"for {a}, {c}, {j} in {parts}:")
    block(d, Scope(inner.names, inner.own, None, True), "                ", d.choose.randrange(2))
    after = s.plus("vector", h, g, own=True).plus("int", m, own=True).plus("tree", t)
    block(d, after, "    ", d.choose.randrange(3))
    d.put("    ", f"return {h}, {g}, {m}")
    return function


def along_chain(d: Draw) -> Function:
    """Along an Optional chain, by recursion or by a loop."""
    function = Function(next(d.names), ("chain", "vector"), ("vector", "int"))
    c, h = next(d.names), next(d.names)
    s = opened(d, function, [c, h])
    recursive = d.chance(0.5)
    if recursive:
        d.put("    ", f"if {c} is None:")
        d.put("        ", f"return {h}, {expression(d, Scope({'vector': (h,)}), 'int')}")
        inner = Scope({"vector": (h,), "int": (f"{c}.n",), "float": (f"{c}.weight",)})
        inner = Scope(inner.names, frozenset({h}), leaving(d, function.results))
        block(d, inner, "    ", d.choose.randrange(2), 2)
        if d.chance(0.5):
            d.put("    ", f"if {c}.next is not None and {c}.next.n > {d.choose.randrange(3)}:")
            d.put("        ", f"{h} = {h} * 0.5 + {c}.x")
        g, n = next(d.names), next(d.names)
        d.put("    ", f"{g}, {n} = {function.name}(p, {c}.next, {bounded(d, inner, 'vector')})")
        inner = inner.plus("vector", g, f"{c}.x").plus("int", n)
        d.put("    ", f"return {', '.join(bounded(d, inner, k) for k in function.results)}")
        return function
    now, n = next(d.names), next(d.names)
    d.put("    ", f'{now}: Optional["Chain"] = {c}')
    d.put("    ", f"{n} = 0")
    decided = f" and {expression(d, s, 'bool', 1)}" if d.chance(0.4) else ""
    d.put("    ", f"while {now} is not None{decided}:")
    inner = Scope({"vector": (h, f"{now}.x"), "int": (n, f"{now}.n"), "bool": (f"{now}.flag",)})
    inner = Scope(inner.names, frozenset({h, n}), leaving(d, function.results), False)
    block(d, inner, "        ", d.choose.randrange(2), 2)
    d.put("        ", f"{now} = {now}.next")
    d.put("    ", f"if {now} is None:")
    d.put("        ", f"{n} += 1")
    d.put("    ", f"return {h}, {n}")
    return function


def over_table(d: Draw, walk: Function) -> Function:
    """Nested loops or comprehensions over a list of lists of trees."""
    function = Function(next(d.names), ("table", "vector"), ("vectors", "int"))
    table, h = next(d.names), next(d.names)
    s = opened(d, function, [table, h])
    rows, row, t, i, j = (next(d.names) for _ in range(5))
    call = walk.call([t, d.one((i, j, "2")), d.one((h, "p.b"))])
    if d.chance(0.5):
        few = s.plus("int", i, j)
        inner = f"{call}[{d.choose.randrange(2)}] for {j}, {t} in enumerate({row})"
        keep = f" if {expression(d, few, 'bool', 1)}" if d.chance(0.4) else ""
        outer = f"for {i}, {row} in enumerate({d.one((table, table, f'{table}[::-1]'))})"
        d.put("    ", f"{rows} = [[{inner}{keep}] {outer}]")
        d.put("    ", f"{t} = [{h}]")
        d.put("    ", f"for {row} in {rows}:")
        d.put("    ", f"    for {j} in {row}:")
        d.put("    ", f"        {t}.append(ops.tanh({j} + {h}))")
        inside = s.plus("vectors", t, own=True).plus("vector", j)
        inside = Scope(inside.names, inside.own, leaving(d, function.results), True)
        block(d, inside, "            ", d.choose.randrange(2), 2)
        d.put("    ", f"return {t}, len({rows})")
        return function
    n = next(d.names)
    d.put("    ", f"{rows} = [{h}]")
    d.put("    ", f"{n} = 0")
    d.put("    ", f"for {i}, {row} in enumerate({table}):")
    d.put("    ", f"    for {j}, {t} in enumerate({row}):")
    a, b, c = (next(d.names) for _ in range(3))
    d.put("            ", f"{a}, {b}, {c} = {call}")
    inside = s.plus("vectors", rows, own=True).plus("vector", a, b).plus("int", c, i, j)
    inside = inside.plus("int", n, own=True)
    inside = Scope(inside.names, inside.own, leaving(d, function.results), True)
    block(d, inside, "            ", d.choose.randrange(2))
    d.put("            ", f"{rows}.append(ops.tanh({a}))")
    d.put("            ", f"{n} += 1")
    d.put("    ", f"return {rows}, {n}")
    return function


def main_function(d: Draw, walk: Function, others: list[Function]) -> Function:
    """The entry: calls what there is, loops over the words, and returns what it found."""
    parameters = ("item", "ints", "big")
    extra = d.one(("int", "big", "float", "bool", "tree", "chain", "ints"))
    results: list[str] = ["vector", "vectors", "int", extra]
    function = Function(next(d.names), parameters, tuple(results))
    it, words, big = (next(d.names) for _ in range(3))
    s = opened(d, function, [it, words, big])
    known = s.plus("float", f"{it}.weight").plus("vector", f"{it}.x").plus("bool", f"{it}.flag")
    s = known.plus("int", f"{it}.n").plus("trees", f"{it}.trees").plus("table", f"{it}.table")
    s = s.plus("phrase", f"{it}.phrase").plus("matrix", f"{it}.m").plus("note", f"{it}.note")
    if d.given:
        n, w, x = (next(d.names) for _ in range(3))  # no quotes: these may stand in an f-string
        d.put("    ", f'{n}, {w}, {x} = {it}.row["n"], {it}.row["w"], {it}.row["x"]')
        s = s.plus("given", f"{it}.rows").plus("int", n).plus("float", w).plus("vector", x)
    h, other, n, xs, seen, tree, chain, raw = (next(d.names) for _ in range(8))
    start = d.one(("ops.zeros(p.b.shape[0])", "p.b", f"p.emb[len({words})]", f"{it}.x"))
    d.put("    ", f"{h}, {other}, {n} = {walk.call([f'{it}.tree', f'len({words})', start])}")
    d.put("    ", f"{xs}: list[Tensor['H']] = [{d.one(('', h, f'{h}, {other}'))}]")
    d.put("    ", f"{seen}: list[int] = []")
    d.put("    ", f"{tree} = {it}.tree")
    d.put("    ", f"{raw} = {it}.raw")
    d.put("    ", f'{chain}: Optional["Chain"] = {it}.chain')
    s = s.plus("vector", h, other, own=True).plus("int", n, own=True)
    s = s.plus("vectors", xs, own=True).plus("ints", seen, own=True).plus("tree", tree)
    for f in others:
        match f.results:
            case ("vector", "int") if f.parameters[0] == "raw":
                d.put("    ", f"{other}, {n} = {f.call([d.one((raw, f'{it}.raw')), h])}")
            case ("raw",):
                d.put("    ", f"{raw} = {f.call([f'{it}.raw', n])}")
            case ("vector", "int"):
                source = d.one((f"{it}.chain", chain))
                d.put("    ", f"{other}, {n} = {f.call([source, d.one((h, other))])}")
            case ("vector",):
                d.put("    ", f"{h} = {f.call([f'{it}.phrase', d.one((h, other))])}")
            case ("vectors", "int"):
                more, m = next(d.names), next(d.names)
                d.put("    ", f"{more}, {m} = {f.call([f'{it}.table', h])}")
                s = s.plus("vectors", more).plus("int", m)
            case ("tree",):
                d.put("    ", f"{tree} = {f.call([tree, n])}")
                d.put("    ", f"{h}, {other}, {n} = {walk.call([tree, '0', h])}")
    final = {"tree": tree, "chain": chain, "ints": seen, "big": None}

    def leave(pad: str, inner: Scope) -> None:
        last = final.get(extra) or bounded(d, inner, extra)
        number = expression(d, inner, "int")
        d.put(pad, f"return {bounded(d, inner, 'vector')}, {xs}, {number}, {last}")

    s = Scope(s.names, s.own, leave if d.chance(0.6) else None)
    if d.chance(0.3):
        d.put("    ", "ab.phase()")
    block(d, s, "    ", d.choose.randrange(2, 4))
    if d.chance(0.5):
        word = next(d.names)
        part = d.one((words, f"reversed({words})", f"{words}[1:]", f"{words}[-3:-1]"))
        d.put("    ", f"for {word} in {part}:")
        inner = Scope(s.plus("int", word).names, s.own, s.leave, True)
        block(d, inner, "        ", 2)
        if d.chance(0.7):
            d.put("        ", f"{h} = ops.tanh({h} + p.emb[{word}])")
            d.put("        ", f"{xs}.append({h})")
    if d.chance(0.3):
        d.put("    ", "ab.phase()")
    if d.chance(0.5):
        i, x = next(d.names), next(d.names)
        inner = s.plus("int", i).plus("vector", x)
        keep = f" if {expression(d, inner, 'bool', 1)}" if d.chance(0.4) else ""
        d.put("    ", f"{xs} = [{bounded(d, inner, 'vector')} for {i}, {x} in "
              f"enumerate({xs}){keep}]")  # fmt: skip
        s = Scope(s.names, s.own - {xs}, s.leave)
    leave("    ", s)
    return function
