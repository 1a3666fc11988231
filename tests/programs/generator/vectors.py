"""Vectors of random programs."""

from __future__ import annotations

from .draw import Draw, Scope
from .productions import V, called, expression, production

UNARY = ("tanh", "sigmoid", "relu", "gelu", "abs", "neg")


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


# -- ints near the ends ----------------------------------------------------------------------------


# -- floats ----------------------------------------------------------------------------------------
