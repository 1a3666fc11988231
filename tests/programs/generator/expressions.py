"""Expressions by kind: a table of productions for each, of which one is drawn."""

from __future__ import annotations

from collections.abc import Callable

from .draw import Draw, Function, Production, Scope

_TABLES: dict[str, list[tuple[int, Production]]] = {}
V = 11  # rows of the table of embeddings

UNARY = ("tanh", "sigmoid", "relu", "gelu", "abs", "neg")
ENDS = (
    "9223372036854775807",
    "-9223372036854775807",
    "4611686018427387904",
    "3037000500",
    "9007199254740993",
    "-1",
    "0",
    "7",
)


def production(kind: str, weight: int = 1) -> Callable[[Production], Production]:
    """Registers a way to write an expression of `kind`, drawn `weight` times as often."""

    def register(write: Production) -> Production:
        _TABLES.setdefault(kind, []).append((weight, write))
        return write

    return register


def expression(d: Draw, s: Scope, kind: str, depth: int = 2) -> str:
    """An expression of `kind`."""
    if depth <= 0 or kind not in _TABLES or d.chance(0.2):
        return _least(d, s, kind)
    table = _TABLES[kind]
    (chosen,) = d.choose.choices([w for _, w in table], [n for n, _ in table])
    return chosen(d, s, depth - 1)


def _least(d: Draw, s: Scope, kind: str) -> str:
    """A name, or a constant."""
    constants: dict[str, tuple[str, ...]] = {
        "vector": ("p.b", "p.g"),
        "int": ("3", "0"),
        "big": ENDS,
        "float": ("0.5", "-1.5", "2.0"),
        "bool": (),
        "mask": ("(p.b > 0.1)", "(p.g < 0.2)"),
        "matrix": ("p.m",),
        "ints": ("[1, 2]", "[0]"),
        "vectors": ("[p.b]", "[p.b, p.g]"),
    }
    names = s.of(kind)
    if kind == "big":
        names += s.of("int")
    if kind == "bool" and not names:
        return f"{_least(d, s, 'int')} > {d.choose.randrange(4)}"
    if names and (kind not in constants or d.chance(0.7) or not constants[kind]):
        return d.one(names)
    return d.one(constants[kind])


def calls(d: Draw, kind: str) -> list[Function]:
    """The functions that give one value of `kind` and take what any scope has."""
    simple = {"vector", "int", "big", "float", "bool"}
    return [f for f in d.functions if f.results == (kind,) and simple.issuperset(f.parameters)]


def called(d: Draw, s: Scope, kind: str, depth: int) -> str:
    """A call, if there is a function for it."""
    known = calls(d, kind)
    if not known or not d.chance(0.6):
        return expression(d, s, kind, depth)
    function = d.one(known)
    return function.call([expression(d, s, k, min(depth, 1)) for k in function.parameters])


# -- vectors ---------------------------------------------------------------------------------------


@production("vector", 3)
def _unary(d: Draw, s: Scope, depth: int) -> str:
    return f"ops.{d.one(UNARY)}({expression(d, s, 'vector', depth)})"


@production("vector", 3)
def _binary(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "vector", depth) for _ in range(2))
    if d.chance(0.2):
        return f"ops.{d.one(('maximum', 'minimum'))}({a}, {b})"
    return f"({a} {d.one('+-*')} {b})"


@production("vector", 2)
def _with_number(d: Draw, s: Scope, depth: int) -> str:
    a = expression(d, s, "vector", depth)
    return f"({a} * {expression(d, s, d.one(('int', 'float')), depth - 1)})"


@production("vector", 2)
def _product(d: Draw, s: Scope, depth: int) -> str:
    return f"({expression(d, s, 'vector', depth)} @ p.w0)"


@production("vector", 2)
def _linear(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "vector", depth) for _ in range(2))
    return f"ops.linear(ops.concat({a}, {b}), p.w1, p.b)"


@production("vector")
def _normalised(d: Draw, s: Scope, depth: int) -> str:
    a = expression(d, s, "vector", depth)
    return f"ops.softmax({a})" if d.chance(0.5) else f"ops.layer_norm({a}, p.g, p.b)"


@production("vector")
def _where(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "vector", depth) for _ in range(2))
    return f"ops.where(ops.{d.one(('greater', 'less'))}({a}, 0.1), {b}, p.g)"


@production("vector")
def _without_mean(d: Draw, s: Scope, depth: int) -> str:
    a = expression(d, s, "vector", depth)
    return f"({a} - ops.{d.one(('mean', 'max', 'sum'))}({a}))"


@production("vector")
def _row(d: Draw, s: Scope, depth: int) -> str:
    return f"p.emb[{expression(d, s, 'int', depth)} % {V}]"


@production("vector")
def _half(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "vector", depth) for _ in range(2))
    both = f"ops.concat({a}, {b})"
    cut, h = d.choose.randrange(d.hidden + 1), "p.b.shape[0]"
    return d.one(
        (
            f"ops.split({both}, 2)[{d.choose.randrange(2)}]",
            f"{both}[{cut}:{cut} + {h}]",
            f"ops.stack({a}, {b})[{d.choose.randrange(2)}]",
        )
    )


@production("vector", 2)
def _call(d: Draw, s: Scope, depth: int) -> str:
    return called(d, s, "vector", depth)


@production("vector")
def _choice(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "vector", depth) for _ in range(2))
    return f"({a} if {expression(d, s, 'bool', depth)} else {b})"


@production("vector")
def _of_list(d: Draw, s: Scope, depth: int) -> str:
    if not s.of("vectors"):
        return expression(d, s, "vector", depth)
    xs = d.one(s.of("vectors"))
    at = d.one(("0", "-1", f"{expression(d, s, 'int', 1)} % len({xs})"))
    return f"({xs}[{at}] if len({xs}) > 0 else {expression(d, s, 'vector', depth)})"


# -- small ints ------------------------------------------------------------------------------------


@production("int", 3)
def _affine(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "int", depth) for _ in range(2))
    return f"(({a} * {d.choose.randrange(1, 4)} {d.one('+-')} {b}) % {d.one((3, 5, 7, -4))})"


@production("int")
def _extremum(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "int", depth) for _ in range(2))
    return f"{d.one(('min', 'max'))}({a}, {b}{d.one(('', ', 2'))})"


@production("int")
def _decided(d: Draw, s: Scope, depth: int) -> str:
    x = _least(d, s, "vector")
    return d.one((f"ops.argmax({x})", f"ops.argmax({x} * {_least(d, s, 'float')}) % 3"))


@production("int")
def _length(d: Draw, s: Scope, depth: int) -> str:
    lists = [n for k in ("ints", "vectors", "trees", "table") for n in s.of(k)]
    return f"len({d.one(lists)})" if lists else expression(d, s, "int", depth)


@production("int", 2)
def _item(d: Draw, s: Scope, depth: int) -> str:
    if not s.of("ints"):
        return expression(d, s, "int", depth)
    xs = d.one(s.of("ints"))
    at = expression(d, s, "int", depth)
    if d.chance(0.1):
        return f"{xs}[{at}] % 5"
    return f"({xs}[{at} % len({xs})] if len({xs}) > 0 else {at}) % 6"


@production("int")
def _counted(d: Draw, s: Scope, depth: int) -> str:
    return called(d, s, "int", depth)


@production("int")
def _rest(d: Draw, s: Scope, depth: int) -> str:
    if d.chance(0.7) or not s.of("big"):
        return f"abs({expression(d, s, 'int', depth)})"
    return f"{expression(d, s, 'big', depth)} % {d.one((3, 7, 10))}"


# -- ints near the ends ----------------------------------------------------------------------------


@production("big", 4)
def _arithmetic(d: Draw, s: Scope, depth: int) -> str:
    a, b = expression(d, s, "big", depth), expression(d, s, d.one(("big", "int")), depth)
    return f"({a} {d.one(('+', '-', '*', '//', '%', '+', '-'))} {b})"


@production("big")
def _negated(d: Draw, s: Scope, depth: int) -> str:
    a = expression(d, s, "big", depth)
    return d.one((f"(-{a})", f"abs({a})"))


@production("big")
def _bounded(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "big", depth) for _ in range(2))
    return f"{d.one(('min', 'max'))}({a}, {b})"


@production("big")
def _truncated(d: Draw, s: Scope, depth: int) -> str:
    return f"int({expression(d, s, 'float', depth)})"


# -- floats ----------------------------------------------------------------------------------------


@production("float", 2)
def _float_arithmetic(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "float", depth) for _ in range(2))
    operator = d.one(("+", "-", "*", "/", "//", "%"))
    if operator in "+-*":
        return f"({a} {operator} {b})"
    return f"({a} {operator} {d.one((b, '0.25', '-1.5'))})"


@production("float")
def _of_int(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "int", depth) for _ in range(2))
    return d.one((f"float({a})", f"({a} / {d.one((b, '4'))})", f"({a} * 0.3)"))


@production("float")
def _float_extremum(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "float", depth) for _ in range(2))
    return f"{d.one(('min', 'max'))}({a}, {b})"


@production("float")
def _read(d: Draw, s: Scope, depth: int) -> str:
    x = expression(d, s, "vector", min(depth, 1))
    return f"ops.item({d.one(('ops.sum', 'ops.max', 'ops.mean'))}({x}))"


@production("float")
def _float_call(d: Draw, s: Scope, depth: int) -> str:
    return called(d, s, "float", depth)


# -- truth values ----------------------------------------------------------------------------------


@production("bool", 5)
def _comparison(d: Draw, s: Scope, depth: int) -> str:
    a = expression(d, s, "int", depth)
    operator = d.one((">", "<", "==", "!=", ">=", "<="))
    return f"{a} {operator} {d.choose.randrange(-1, 4)}"


@production("bool", 2)
def _of_tensor(d: Draw, s: Scope, depth: int) -> str:
    x = _least(d, s, "vector")
    if d.chance(0.3):
        return f"ops.argmax({x}) % 2 == {d.choose.randrange(2)}"
    value = d.one(("ops.sum", "ops.max", "ops.mean"))
    return f"ops.item({value}({x})) {d.one('<>')} {d.choose.uniform(-0.4, 0.6):.5f}"


@production("bool")
def _joined(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "bool", depth) for _ in range(2))
    return f"({a} {d.one(('and', 'or'))} {b})"


@production("bool")
def _not(d: Draw, s: Scope, depth: int) -> str:
    return f"(not {expression(d, s, 'bool', depth)})"


@production("bool")
def _chained(d: Draw, s: Scope, depth: int) -> str:
    a, b = expression(d, s, "int", depth), expression(d, s, d.one(("int", "float")), depth)
    return f"(0 {d.one(('<', '<='))} {a} < {b})"


@production("bool")
def _guarded(d: Draw, s: Scope, depth: int) -> str:
    """What may only be computed if the left side holds."""
    a = _least(d, s, "int")
    return f"({a} != 0 and 6 {d.one(('//', '%'))} {a} > {d.choose.randrange(3)})"


@production("bool")
def _mixed(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, d.one(("big", "float")), depth) for _ in range(2))
    return f"({a} {d.one(('<', '==', '>='))} {b})"
