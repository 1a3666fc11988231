"""Matrices whose number of rows only the instance knows: `ops.stack(xs)` of a list."""

from __future__ import annotations

from .draw import HINTS, Draw, Function, Scope
from .expressions import V, expression, production
from .statements import block, statement

HINTS["rows"] = 'Tensor["N", "H"]'


@production("rows", 3)
def _same_length(d: Draw, s: Scope, depth: int) -> str:
    """As many rows as all other expressions of this kind, which begin with a name."""
    m, n = (expression(d, s, "rows", depth) for _ in range(2))
    v = expression(d, s, "vector", depth)
    return d.one(
        (
            f"ops.{d.one(('tanh', 'relu', 'silu', 'sigmoid'))}({m})",
            f"({m} {d.one('+-*')} {v})",
            f"({m} {d.one('+-*')} {n})",
            f"({m} * ({expression(d, s, d.one(('int', 'float')), 1)}))",
            f"({m} @ p.w0)",
            f"ops.linear({m}, p.w0, {v})",
            f"ops.where({m} > 0.1, {m}, 0.0)",
            f"ops.layer_norm({m}, p.g, p.b)",
            f"ops.softmax({m})",
            f"(ops.softmax({m} @ ({n}).T) @ {m})",
            f"(ops.softmax({m} @ ops.transpose({n})) @ {n})",
            f"ops.attention({m}, {n}, {m}, 1)",
            f"(ops.tanh({m}) ** 2)",
            f"ops.concat({m}[1:], {n}[:1], axis=0)",
            f"({m}[:1] {d.one('+-*')} {n})",
            f"ops.maximum({m}, {n}[-1:])",
        )
    )


@production("vector")
def _pooled(d: Draw, s: Scope, depth: int) -> str:
    """A vector made of one, if there is one."""
    if not s.of("rows"):
        return expression(d, s, "vector", depth)
    m, n = (expression(d, s, "rows", depth) for _ in range(2))
    v, i = expression(d, s, "vector", depth), expression(d, s, "int", 1)
    name = d.one(s.of("rows"))
    return d.one(
        (
            f"ops.{d.one(('sum', 'mean', 'max'))}({m}, axis=0)",
            f"({m}).{d.one(('sum', 'mean', 'max'))}(axis=0)",
            f"(ops.softmax({m} @ {v}) @ {n})",
            f"ops.attention({v}, {m}, {n}, 1)",
            f"(ops.sum({m}, axis=1) @ {n})",
            f"({m})[{d.one((0, -1))}]",
            f"({m})[{i} % len({name})]",
            f"({v} * ops.{d.one(('sum', 'mean', 'max'))}(ops.tanh({m})))",
            f"({v} * ({m})[0, {d.choose.randrange(d.hidden)}])",
            f"({v} / len({name}))",
            f"({v} / ({name}).shape[0])",
            f"ops.stack([r * 0.5 for r in {m}])[0]",
            f"ops.sum(({m}).T @ {n}, axis={d.one((0, 1))})",
        )
    )


@statement("simple", 2)
def _stack(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A matrix of a list with at least one vector, what is made of it, and a loop over its rows."""
    if not s.assignable("vector"):
        d.put(pad, "pass")
        return
    m, target = next(d.names), d.one(s.assignable("vector"))
    source = f"ops.stack({_never_empty(d, s)})"
    if s.of("given") and d.chance(0.5):
        source = d.one(s.of("given"))
    d.put(pad, f"{m} = {source}")
    inner = s.plus("rows", m)
    for _ in range(d.choose.randrange(3)):
        if d.chance(0.3):
            d.put(pad, f"if {expression(d, s, 'bool')}:")
            d.put(pad, f"    {m} = ops.tanh({expression(d, inner, 'rows')})")
        else:
            d.put(pad, f"{m} = {expression(d, inner, 'rows', 1)}")
    if d.chance(0.3):
        row = next(d.names)
        d.put(pad, f"for {row} in {m}{d.one(('', '', '[1:]'))}:")
        d.put(pad, f"    {target} = ops.tanh({target} @ p.w0 + {row})")
    known = [f for f in d.functions if f.parameters[:1] == ("rows",)]
    if known and d.chance(0.4):
        rest = expression(d, s, "vector", 1)
        d.put(pad, f"{target} = ops.tanh({d.one(known).call([m, rest])})")
    else:
        d.put(pad, f"{target} = ops.tanh({expression(d, inner, 'vector')})")


def _never_empty(d: Draw, s: Scope) -> str:
    v = expression(d, s, "vector", 1)
    x = next(d.names)
    ways = [f"[{x} * 0.5 for {x} in [{v}, {expression(d, s, 'vector', 1)}]]"]
    if s.of("vectors"):
        xs, x = d.one(s.of("vectors")), next(d.names)
        ways += [f"[*{xs}, {v}]"] * 3 + [f"[{v}, *[{x} * 0.5 for {x} in {xs}]]"]
    if s.of("ints"):
        xs, x = d.one(s.of("ints")), next(d.names)
        ways += [f"[p.emb[{x} % {V}] for {x} in [*{xs}, {expression(d, s, 'int', 1)}]]"]
    return d.one(ways)


def pooling(d: Draw) -> None:
    """A function of a matrix with rows of the instance."""
    function = Function(next(d.names), ("rows", "vector"), ("vector",))
    m, v = next(d.names), next(d.names)
    d.put("", "")
    d.put("", "")
    d.put("", "@ab.model")
    d.put("", f"def {function.name}(p: P, {m}: {HINTS['rows']}, {v}: {HINTS['vector']}) "
          f"-> {HINTS['vector']}:")  # fmt: skip
    s = Scope({"rows": (m,), "vector": (v,)}, frozenset({v}))
    block(d, s, "    ", d.choose.randrange(2), 2)
    d.put("    ", f"return {_pooled(d, s, 1)}")
    d.functions.append(function)
