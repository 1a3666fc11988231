"""Numbers and truth values beyond `+ - * / // %`: bits, powers, `math`, rounding, conversions."""

from __future__ import annotations

from .draw import Draw, Scope
from .expressions import expression, production

# Functions of `math` of one number that any number may have, and those that refuse some.
TOTAL = ("atan", "erf", "tanh", "fabs", "degrees", "asinh")
PARTIAL = ("sqrt", "log", "exp", "sin", "cosh", "log1p", "acos")


@production("int")
def _bits(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "int", depth) for _ in range(2))
    return d.one(
        (
            f"(({a} {d.one('&|^')} {b}) % 7)",
            f"((~{a}) % 5)",
            f"((({a} & 7) << ({b} & 3)) % {d.one((5, 9))})",
            f"(({a} >> ({b} & 1)) % 6)",
        )
    )


@production("int")
def _whole(d: Draw, s: Scope, depth: int) -> str:
    a, f = expression(d, s, "int", depth), expression(d, s, "float", depth)
    return d.one(
        (
            f"((abs({a}) % 4) ** 2 % 7)",
            f"(pow({a} % 3, 2))",
            f"(divmod({a}, {d.one((2, 3, -4))})[{d.choose.randrange(2)}] % 6)",
            f"(round(math.tanh({f}) * 3))",
            f"math.{d.one(('floor', 'ceil', 'trunc'))}(math.tanh({f}) * 4)",
            f"int({expression(d, s, 'bool', depth)})",
            f"(({expression(d, s, 'bool', depth)}) + {a} % 3)",
        )
    )


@production("int")
def _number_in_tensor(d: Draw, s: Scope, depth: int) -> str:
    x = expression(d, s, "vector", min(depth, 1))
    return d.one(
        (f"int(ops.tanh({x})[0] * 4)", f"int(ops.max(ops.tanh({x})) * 3.3)", f"({x}).argmax() % 4")
    )


@production("big")
def _big_bits(d: Draw, s: Scope, depth: int) -> str:
    a, b = expression(d, s, "big", depth), expression(d, s, d.one(("big", "int")), depth)
    return d.one(
        (
            f"({a} {d.one('&|^')} {b})",
            f"(~{a})",
            f"({a} >> ({expression(d, s, 'int', 1)} & 15))",
            f"divmod({a}, {b})[{d.choose.randrange(2)}]",
        )
    )


@production("float")
def _of_math(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "float", depth) for _ in range(2))
    return d.one(
        (
            f"math.{d.one(TOTAL)}({a})",
            f"math.{d.one(PARTIAL)}({a})",
            f"math.sqrt(abs({a}) + 0.5)",
            f"math.atan2({a}, {b})",
            f"math.copysign({a}, {b})",
            f"math.log(abs({a}) + 1, {d.one((2, 10))})",
        )
    )


@production("float")
def _rounded(d: Draw, s: Scope, depth: int) -> str:
    a = expression(d, s, "float", depth)
    return d.one(
        (
            f"round({a}, {d.choose.randrange(3)})",
            f"({a} ** {d.one((2, 3))})",
            f"((abs({a}) + 0.25) ** {d.one((0.5, -1, 1.5))})",
            f"divmod({a}, 0.75)[1]",
            f"(({expression(d, s, 'bool', depth)}) * {a})",
        )
    )


@production("float")
def _element(d: Draw, s: Scope, depth: int) -> str:
    x = expression(d, s, "vector", min(depth, 1))
    return d.one(
        (f"float(({x})[{d.one((0, -1))}])", f"float(ops.sum({x}))", f"({x}).{_reduce(d)}().item()")
    )


def _reduce(d: Draw) -> str:
    return d.one(("sum", "mean", "max", "min"))


@production("bool")
def _truth(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "bool", depth) for _ in range(2))
    f, n = expression(d, s, "float", depth), expression(d, s, "int", depth)
    return d.one(
        (
            f"bool({n})",
            f"(not {n})",
            f"(({a}) {d.one('&|^')} ({b}))",
            f"math.{d.one(('isnan', 'isinf', 'isfinite'))}({f})",
            f"({n} in ({d.choose.randrange(3)}, 3))",
            f"({n} not in range({d.choose.randrange(4)}))",
            f"(({n}, {d.choose.randrange(2)}) == ({d.choose.randrange(3)}, 1))",
        )
    )


@production("bool")
def _of_element(d: Draw, s: Scope, depth: int) -> str:
    x = expression(d, s, "vector", min(depth, 1))
    bound = f"{d.choose.uniform(-0.4, 0.6):.5f}"
    return d.one(
        (
            f"bool(({x})[{d.one((0, -1))}] {d.one('<>')} {bound})",
            f"bool(ops.max({x}) {d.one('<>')} {bound})",
            f"bool((({x}) > {bound}).{d.one(('any', 'all'))}())",
        )
    )
