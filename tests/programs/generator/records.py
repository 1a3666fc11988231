"""Named tuples, data with methods and defaults, enumerations, names that may be None, walrus,
assertions."""

from __future__ import annotations

from .draw import HINTS, Draw, Function, Scope
from .expressions import V, expression, production
from .statements import assign, assigns, block, statement

HINTS["phrase"] = "Word | Phrase"

TYPES = """

class Kind(enum.IntEnum):
    NOUN = 1
    VERB = 4


@ab.data
class Word:
    kind: Kind
    tag: int
    scale: float = 2

    def size(self) -> int:
        return 1

    @property
    def height(self) -> int:
        return 0

    def encode(self, p: P, h: Tensor["H"], by: float = 0.5) -> Tensor["H"]:
        return ops.tanh(h * by + p.emb[self.tag % V] * self.scale + p.emb[self.kind])


@ab.data
class Phrase:
    kind: Kind
    tag: int
    first: "Word | Phrase"
    rest: "list[Word | Phrase]" = dataclasses.field(default_factory=list)

    def size(self) -> int:
        return self.first.size() + sum(r.size() for r in self.rest)

    @property
    def height(self) -> int:
        return 1 + max([r.height for r in self.rest], default=self.first.height)

    def encode(self, p: P, h: Tensor["H"], by: float = 0.5) -> Tensor["H"]:
        h = self.first.encode(p, h)
        for r in self.rest:
            h = r.encode(p, h, by=by)
        return h + p.emb[self.kind]


class State(NamedTuple):
    h: Tensor["H"]
    n: int
    k: float = 0.5

"""


@production("vector")
def _method(d: Draw, s: Scope, depth: int) -> str:
    v = expression(d, s, "vector", depth)
    if not s.of("phrase") or d.chance(0.5):
        return f"p.embed({v}, {expression(d, s, 'int', 1)})"
    w = d.one(s.of("phrase"))
    return d.one((f"{w}.encode(p, {v})", f"{w}.encode(p, {v}, by=0.25)", f"p.emb[{w}.kind]"))


@production("int")
def _counted(d: Draw, s: Scope, depth: int) -> str:
    if not s.of("phrase"):
        return expression(d, s, "int", depth)
    w = d.one(s.of("phrase"))
    return d.one((f"{w}.size()", f"{w}.height", f"{w}.tag", f"({w}.kind % 3)"))


@production("bool")
def _kind(d: Draw, s: Scope, depth: int) -> str:
    if not s.of("phrase"):
        return expression(d, s, "bool", depth)
    w = d.one(s.of("phrase"))
    return d.one((f"{w}.kind == Kind.VERB", f"isinstance({w}, Word)", f"{w}.tag > {w}.size()"))


@statement("simple")
@assigns("vector")
def _state(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A named tuple, carried through a loop."""
    state, target = next(d.names), d.one(s.assignable("vector"))
    v, n = expression(d, s, "vector", 1), expression(d, s, "int", 1)
    made = (f"State({v}, {n})", f"State(h={v}, n={n}, k=0.25)", f"State({v}, n={n}, k=1.5)")
    d.put(pad, f"{state} = {d.one(made)}")
    inner = s.plus("vector", f"{state}.h").plus("int", f"{state}.n").plus("float", f"{state}.k")
    i = next(d.names)
    d.put(pad, f"for {i} in range({d.one(('2', '3', n + ' % 3'))}):")
    h, m = (expression(d, inner.plus("int", i), k, 1) for k in ("vector", "int"))
    changes = (
        f"{state}._replace(h=ops.tanh({h}), n=({m}) % 7)",
        f"State(ops.tanh({h}), {i}, {state}.k)",
    )
    d.put(pad, f"    {state} = {d.one(changes)}")
    if d.chance(0.5):
        a, b, c = (next(d.names) for _ in range(3))
        d.put(pad, f"{a}, {b}, {c} = {state}")
        inner = s.plus("vector", a).plus("int", b).plus("float", c)
    else:
        inner = inner.plus("vector", f"{state}[0]")
    d.put(pad, f"{target} = ops.tanh({expression(d, inner, 'vector', 1)})")


@statement("simple")
@assigns("vector")
def _replaced(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """New data of old."""
    w, target = next(d.names), d.one(s.assignable("vector"))
    n, m = (expression(d, s, "int", 1) for _ in range(2))
    made = (f"Word(Kind.NOUN, {n})", f"Word(Kind.VERB, {n}, 0.5)", f"Word(tag={n}, kind=Kind.NOUN)")
    d.put(pad, f"{w} = {d.one(made)}")
    if d.chance(0.6):
        d.put(pad, f"{w} = dataclasses.replace({w}, tag={m})")
    if d.chance(0.4):
        phrase = next(d.names)
        rest = d.one(("", f", [{w}, {w}]", f", rest=[{w}]"))
        d.put(pad, f"{phrase} = Phrase(Kind.VERB, {m}, {w}{rest})")
        w = phrase
    d.put(pad, f"{target} = {w}.encode(p, {expression(d, s, 'vector', 1)})")


@statement("simple", 2)
def _not_yet(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A name that is None until something is found."""
    kind = d.one(("vector", "int", "float"))
    if not s.assignable(kind):
        assign(d, s, pad)
        return
    found, x, target = next(d.names), next(d.names), d.one(s.assignable(kind))
    d.put(pad, f"{found} = None")
    lists = s.of("ints") or ("[2, 1, 3]",)
    d.put(pad, f"for {x} in {d.one(lists)}:")
    inner = s.plus("int", x)
    value, more = (expression(d, inner, kind, 1) for _ in range(2))
    value, more = (f"ops.tanh({v})" if kind == "vector" else v for v in (value, more))
    test = expression(d, inner, "bool", 1)
    if d.chance(0.5):
        d.put(pad, f"    if {found} is None{d.one((f' or {test}', ''))}:")
        d.put(pad, f"        {found} = {value}")
        if d.chance(0.5):
            d.put(pad, "    else:")
            plus = {
                "vector": f"ops.tanh({found} @ p.w0 + {more})",
                "int": f"({found} + {more}) % 7",
                "float": f"{found} * 0.5 + {more}",
            }
            d.put(pad, f"        {found} = {plus[kind]}")
    else:
        d.put(pad, f"    if {test}:")
        d.put(pad, f"        {found} = {value}")
        d.put(pad, f"        {d.one(('break', 'continue', 'pass'))}")
    if d.chance(0.5):
        d.put(pad, f"if {found} is not None:")
        d.put(pad, f"    {target} = {found}")
    else:
        d.put(pad, f"{target} = {expression(d, s, kind, 1)} if {found} is None else {found}")


@statement("simple", 2)
def _optional_result(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A function that may find nothing."""
    if not s.of("tree") or not s.assignable("vector"):
        assign(d, s, pad)
        return
    found, target = next(d.names), d.one(s.assignable("vector"))
    hint = d.one(("", ": Optional[Tensor['H']]"))
    d.put(pad, f"{found}{hint} = find(p, {d.one(s.of('tree'))}, {expression(d, s, 'int', 1)})")
    used = f"ops.tanh({found} + {expression(d, s, 'vector', 1)})"
    d.put(pad, f"{target} = {used} if {found} is not None else {expression(d, s, 'vector', 1)}")


FIND = """

@ab.model
def find(p: P, t: Tree, n: int) -> Optional[Tensor["H"]]:
    match t:
        case Leaf(word, x) if word > n:
            return x
        case Leaf():
            return None
        case Node(left, right):
            found = find(p, left, n)
            if found is None:
                return find(p, right, n + 1)
            return ops.tanh(found @ p.w0)
        case Many(children):
            for c in children:
                found = find(p, c, n)
                if found is not None:
                    return found
            return None
"""


@statement("nested")
def _walrus(d: Draw, s: Scope, pad: str, depth: int) -> None:
    n = next(d.names)
    value, bound = expression(d, s, "int", 1), d.choose.randrange(3)
    d.put(pad, f"if ({n} := {value}) > {bound}:")
    block(d, s.plus("int", n), pad + "    ", depth - 1, 2)
    if d.chance(0.4):
        d.put(pad, "else:")
        block(d, s.plus("int", n), pad + "    ", depth - 1, 1)
    assign(d, s.plus("int", n), pad)


@statement("simple")
def _asserted(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """What most instances fulfil."""
    n = expression(d, s, "int", 1)
    form = d.choose.randrange(3)
    if form == 0:
        d.put(pad, f"assert {n} < {d.one((40, 90))}")
    elif form == 1:
        text = f'f"{{{n}}} is too small"' if '"' not in n else f'str({n}) + " is too small"'
        d.put(pad, f"assert {n} > -50 or {expression(d, s, 'bool', 1)}, {text}")
    else:
        d.put(pad, f"if {n} > {d.one((5, 12, 60))}:")
        d.put(pad, f'    raise ValueError("more than " + str({d.choose.randrange(9)}))')


@statement("simple")
@assigns("vector")
def _in_place(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A tensor of this function's own, changed in place."""
    z, target = next(d.names), d.one(s.assignable("vector"))
    d.put(pad, f"{z} = ops.tanh({expression(d, s, 'vector', 1)})")
    for _ in range(d.choose.randrange(1, 3)):
        d.put(pad, f"{z} {d.one('+-*')}= {expression(d, s, 'vector', 1)}")
    d.put(pad, f"{target} = ops.tanh({z})")


def over_phrase(d: Draw) -> Function:
    """Recursion over data whose members have fields in common, by `isinstance`."""
    function = Function(next(d.names), ("phrase", "vector"), ("vector",))
    w, h = next(d.names), next(d.names)
    d.put("", "")
    d.put("", "")
    d.put("", "@ab.model")
    d.put("", f"def {function.name}(p: P, {w}: Word | Phrase, {h}: {HINTS['vector']}) "
          f"-> {HINTS['vector']}:")  # fmt: skip
    s = Scope({"phrase": (w,), "vector": (h,), "int": (f"{w}.tag",)}, frozenset({h}))
    block(d, s, "    ", d.choose.randrange(2), 2)
    word = s.plus("float", f"{w}.scale")
    call = f"{function.name}(p, {w}.first, ops.tanh({expression(d, s, 'vector', 1)}))"
    if d.chance(0.5):
        d.put("    ", f"if isinstance({w}, Word):")
        d.put("    ", f"    return ops.tanh({expression(d, word, 'vector')})")
    else:
        d.put("    ", f"if not isinstance({w}, Phrase):")
        d.put(
            "    ", f"    return ops.tanh({expression(d, word, 'vector')} + p.emb[{w}.tag % {V}])"
        )
    g, r = next(d.names), next(d.names)
    d.put("    ", f"{g} = {call}")
    d.put("    ", f"for {r} in {w}.rest:")
    below = f"{function.name}(p, {r}, {d.one((g, h))})"
    d.put("    ", f"    {g} = ops.tanh({g} @ p.w0 + {below})")
    d.put("    ", f"return ops.tanh({expression(d, s.plus('vector', g), 'vector', 1)})")
    return function
