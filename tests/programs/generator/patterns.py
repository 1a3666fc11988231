"""`match` of numbers, tuples, lists and data with nested patterns and guards; `isinstance`."""

from __future__ import annotations

from .draw import Draw, Scope
from .expressions import expression
from .statements import block, statement


@statement("nested")
def _of_a_number(d: Draw, s: Scope, pad: str, depth: int) -> None:
    k = next(d.names)
    d.put(pad, f"match {expression(d, s, 'int', 1)} % 5{d.one(('', ' - 2'))}:")
    values = d.choose.sample(["0", "1", "2", "-1", "Kind.VERB"], d.choose.randrange(1, 4))
    for value in values:
        pattern = f"{value} | -2" if value == values[0] and d.chance(0.3) else value
        named = f" as {k}" if d.chance(0.3) else ""
        guard = f" if {expression(d, s, 'bool', 1)}" if d.chance(0.3) else ""
        pattern = f"({pattern})" if named and "|" in pattern else pattern
        d.put(pad, f"    case {pattern}{named}{guard}:")
        block(d, s.plus("int", k) if named else s, pad + " " * 8, depth - 1, 2)
    if d.chance(0.3):
        d.put(pad, f"    case {k} if {expression(d, s.plus('int', k), 'bool', 1)}:")
        block(d, s.plus("int", k), pad + " " * 8, depth - 1, 1)
    last = d.one(("_", k))
    d.put(pad, f"    case {last}:")
    block(d, s if last == "_" else s.plus("int", k), pad + " " * 8, depth - 1, 2)


@statement("nested")
def _of_a_tuple(d: Draw, s: Scope, pad: str, depth: int) -> None:
    a, b = expression(d, s, "int", 1), expression(d, s, "bool", 1)
    x, y = next(d.names), next(d.names)
    d.put(pad, f"match {d.one((f'{a}, {b}', f'({a}, {b})'))}:")
    cases = [
        ("(0, True)", s),
        (f"({x}, False) if {expression(d, s.plus('int', x), 'bool', 1)}", s.plus("int", x)),
        ("(1 | 2, _)", s),
        (f"(3 as {x}, {y})", s.plus("int", x).plus("bool", y)),
    ]
    for pattern, inner in d.choose.sample(cases, d.choose.randrange(1, 4)):
        d.put(pad, f"    case {pattern}:")
        block(d, inner, pad + " " * 8, depth - 1, 1)
    if d.chance(0.5):
        d.put(pad, f"    case ({x}, {y}):")
        block(d, s.plus("int", x).plus("bool", y), pad + " " * 8, depth - 1, 1)
    else:
        d.put(pad, "    case _:")
        block(d, s, pad + " " * 8, depth - 1, 1)


@statement("nested", 2)
def _of_a_list(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """Patterns of exact lengths, of what begins and ends so, and with trees in them."""
    kind = d.one([k for k in ("ints", "vectors", "trees") if s.of(k)] or [""])
    if not kind:
        block(d, s, pad, 0, 1)
        return
    xs, item = d.one(s.of(kind)), kind[:-1]
    a, b, rest = (next(d.names) for _ in range(3))
    few, more = s.plus(item, a), s.plus(item, a, b)
    cases = [
        (f"[{a}]", few),
        (f"[{a}, {b}]", more),
        (f"[{a}, *_]", few),
        (f"[*_, {a}]", few),
        (f"[{a}, *{rest}, {b}]", more.plus(kind, rest, own=kind != "trees")),
        (f"[{a}, _, *{rest}]", few.plus(kind, rest)),
        (f"[_, {a}, _] | [{a}, _]", few),
    ]
    if kind == "ints":
        cases += [(f"[0, *_, {a}] | [{a}, 1 | 2]", few), (f"[(3 | 4) as {a}, *_]", few)]
    if kind == "trees":
        cases += [
            (f"[Leaf(word={a}), *{rest}]", s.plus("int", a).plus(kind, rest)),
            (f"[*_, Node(Leaf({a}), {b}), _]", s.plus("int", a).plus("tree", b)),
        ]
    d.put(pad, f"match {xs}:")
    for text, inner in d.choose.sample(cases, d.choose.randrange(1, 4)):
        d.put(pad, f"    case {text} if {expression(d, inner, 'bool', 1)}:")
        block(d, inner, pad + " " * 8, depth - 1, 1)
    last = d.one(
        (
            [("_", s)],
            [("[]", s), (f"[{a}, *{rest}]", few.plus(kind, rest))],
            [(f"[*{rest}, {a}]", few.plus(kind, rest)), ("[]", s)],
            [("[] | [_]", s), (f"[{a}, *_, {b}]", more)],
        )
    )
    for text, inner in last:
        d.put(pad, f"    case {text}:")
        block(d, inner, pad + " " * 8, depth - 1, 1)


def pattern(d: Draw, s: Scope, depth: int) -> tuple[str, Scope]:
    """A pattern of a tree, and the scope behind it."""
    kind = d.choose.randrange(6) if depth else d.one((0, 0, 5))
    if kind <= 1:
        word, x = next(d.names), next(d.names)
        form = d.choose.randrange(4)
        if form == 0:
            return f"Leaf({word}, {x})", s.plus("int", word).plus("vector", x)
        if form == 1:
            return f"Leaf(word={word})", s.plus("int", word)
        if form == 2:
            text = f"Leaf({d.choose.randrange(5)} | {d.choose.randrange(5, 11)} as {word})"
            return text, s.plus("int", word)
        return f"Leaf() as {x}", s.plus("int", f"{x}.word").plus("vector", f"{x}.x")
    if kind <= 3:
        left, inner = pattern(d, s, depth - 1)
        if d.chance(0.3):
            return f"Node(left={left}, k={d.choose.randrange(3)})", inner
        right, inner = pattern(d, inner, depth - 1)
        return f"Node({left}, {right})", inner
    if kind == 4:
        scale = next(d.names)
        return f"Many(scale={scale})", s.plus("float", scale)
    name = next(d.names)
    return (name, s.plus("tree", name)) if d.chance(0.5) else ("_", s)


@statement("nested", 2)
def _of_a_tree(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """Every case but the last ones has a guard, so that none is out of reach."""
    trees = s.of("tree")
    if not trees:
        block(d, s, pad, 0, 1)
        return
    tree = d.one(trees)
    d.put(pad, f"match {tree}:")
    s = s.without("tree", tree)  # its type is another one in every case
    for _ in range(d.choose.randrange(3)):
        text, inner = pattern(d, s, 2)
        d.put(pad, f"    case {text} if {expression(d, inner, 'bool', 1)}:")
        block(d, inner, pad + " " * 8, depth - 1, 1)
    a, b = next(d.names), next(d.names)
    ends = d.one(
        (
            (("_", s),),
            (
                (f"Leaf({a})", s.plus("int", a)),
                (f"Node(k={a}, flag={b})", s.plus("int", a).plus("bool", b)),
                (f"Many(scale={a})", s.plus("float", a)),
            ),
            ((f"Leaf() | Many() as {a}", s), ("Node()", s)),
            ((f"Node(Leaf(word={a}), _) | Node(_, Leaf(word={a}))", s.plus("int", a)), ("_", s)),
        )
    )
    for text, inner in d.choose.sample(ends, len(ends)) if ends[-1][0] != "_" else ends:
        d.put(pad, f"    case {text}:")
        block(d, inner, pad + " " * 8, depth - 1, 1)


@statement("nested")
def _tested(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """`isinstance`, and what is known after it."""
    trees = [t for t in s.of("tree") if "." not in t]
    if not trees:
        block(d, s, pad, 0, 1)
        return
    t = d.one(trees)
    s = s.without("tree", t)
    leaf = s.plus("int", f"{t}.word").plus("vector", f"{t}.x")
    node = s.plus("int", f"{t}.k").plus("bool", f"{t}.flag")
    many = s.plus("float", f"{t}.scale").plus("trees", f"{t}.children")
    word, x = next(d.names), next(d.names)
    tests = [
        (f"isinstance({t}, Leaf)", leaf),
        (f"isinstance({t}, Node)", node),
        (f"isinstance({t}, Many)", many),
        (f"isinstance({t}, Leaf) and {t}.word > {d.choose.randrange(9)}", leaf),
        (f"not isinstance({t}, (Leaf, Many))", node),
        (f"isinstance({t}, Many) and {t}.children", many),
        (
            f"isinstance({t}, Node) and isinstance({t}.left, Leaf)",
            node.plus("int", word).plus("vector", x),
        ),
    ]
    test, inner = d.one(tests)
    d.put(pad, f"if {test}:")
    if word in inner.of("int"):  # local functions do not know what a field is found to be
        d.put(pad, f"    {word}, {x} = {t}.left.word, {t}.left.x")
    block(d, inner, pad + "    ", depth - 1, 2)
    if d.chance(0.4):
        d.put(pad, f"elif isinstance({t}, Many | Leaf):")
        block(d, s, pad + "    ", depth - 1, 1)
    if d.chance(0.5):
        d.put(pad, "else:")
        block(d, s, pad + "    ", depth - 1, 1)
