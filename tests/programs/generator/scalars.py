"""Numbers and truth values of random programs."""

from __future__ import annotations

from .draw import Draw, Scope
from .productions import called, expression, least, production


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
    x = least(d, s, "vector")
    return d.one((f"ops.argmax({x})", f"ops.argmax({x} * {least(d, s, 'float')}) % 3"))


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


@production("bool", 5)
def _comparison(d: Draw, s: Scope, depth: int) -> str:
    a = expression(d, s, "int", depth)
    operator = d.one((">", "<", "==", "!=", ">=", "<="))
    return f"{a} {operator} {d.choose.randrange(-1, 4)}"


@production("bool", 2)
def _of_tensor(d: Draw, s: Scope, depth: int) -> str:
    x = least(d, s, "vector")
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
    a = least(d, s, "int")
    return f"({a} != 0 and 6 {d.one(('//', '%'))} {a} > {d.choose.randrange(3)})"


@production("bool")
def _mixed(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, d.one(("big", "float")), depth) for _ in range(2))
    return f"({a} {d.one(('<', '==', '>='))} {b})"
