"""Loops and assignments in other forms: `else` of a loop, pairs, `*` in targets, chains, `del`."""

from __future__ import annotations

from dataclasses import replace

from .draw import Draw, Scope
from .expressions import expression
from .statements import assign, assigns, block, statement


@statement("nested")
def _with_else(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """`else` of a loop, which runs if nothing breaks."""
    i = next(d.names)
    inner = s.plus("int", i)
    if d.chance(0.6):
        source = d.one(s.of("ints")) if s.of("ints") and d.chance(0.5) else f"range({_count(d, s)})"
        if source in s.own:
            source = f"[*{source}]"
        d.put(pad, f"for {i} in {source}:")
    else:
        d.put(pad, f"{i} = 0")
        d.put(pad, f"while {i} < {d.choose.randrange(1, 4)}:")
        d.put(pad, f"    {i} += 1")
    block(d, replace(inner, loop=True), pad + "    ", depth - 1, 2)
    d.put(pad, f"    if {expression(d, inner, 'bool', 1)}:")
    assign(d, inner, pad + "        ")
    d.put(pad, "        break")
    d.put(pad, "else:")
    block(d, s, pad + "    ", depth - 1, 1)


def _count(d: Draw, s: Scope) -> str:
    return d.one(("2", "3", f"{expression(d, s, 'int', 1)} % 4"))


@statement("nested")
def _pairs(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """Several lists at once, numbered, from either end."""
    a, b, i = (next(d.names) for _ in range(3))
    kind = d.one(("ints", "vectors"))
    xs, ys = (expression(d, s, kind, 1) for _ in range(2))
    inner = s.plus(kind[:-1], a, b).plus("int", i)
    d.put(
        pad,
        d.one(
            (
                f"for {i}, ({a}, {b}) in enumerate(zip({xs}, {ys})):",
                f"for {i}, ({a}, {b}) in enumerate(zip({xs}, reversed({ys})), 1):",
                f"for {i}, {a}, {b} in zip(range(3), {xs}, {ys}):",
                f"for ({a}, {b}), {i} in zip(zip({xs}, {xs}), range(4)):",
            )
        ),
    )
    own = inner.own - set(s.of(kind))  # no list changes while a loop runs over it
    block(d, replace(inner, own=own, loop=True), pad + "    ", depth - 1, 2)


@statement("simple")
@assigns("vector")
def _backwards(d: Draw, s: Scope, pad: str, depth: int) -> None:
    i, x, target = next(d.names), next(d.names), d.one(s.assignable("vector"))
    d.put(pad, f"for {i}, {x} in reversed(list(enumerate({expression(d, s, 'vectors', 1)}))):")
    value = expression(d, s.plus("int", i).plus("vector", x), "vector", 1)
    d.put(pad, f"    {target} = ops.tanh({target} @ p.w0 + {value})")


@statement("simple")
@assigns("vector")
def _loss(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A sum of tensors that begins as a number, of none perhaps."""
    x, total, target = next(d.names), next(d.names), d.one(s.assignable("vector"))
    value = expression(d, s.plus("vector", x), "vector", 1)
    d.put(pad, f"{total} = {d.one(('0.0', '0', '1.5'))}")
    d.put(pad, f"for {x} in {expression(d, s, 'vectors', 1)}:")
    d.put(pad, f"    {total} {d.one('+-')}= ops.tanh(ops.mean({value}))")
    d.put(pad, f"{target} = ops.tanh({target} - {total})")


@statement("simple")
def _unpacked(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """Parts of a list that is long enough, or of several values; a name for two."""
    kind = d.one(("int", "vector"))
    if not s.assignable(kind):
        assign(d, s, pad)
        return
    a, b, rest = (next(d.names) for _ in range(3))
    target = d.one(s.assignable(kind))
    u, v = (expression(d, s, kind, 1) for _ in range(2))
    xs = expression(d, s, f"{kind}s", 1)
    inner = s.plus(kind, a, b)
    form = d.choose.randrange(4)
    if form == 0:
        d.put(pad, f"{a}, *{rest} = [{u}, *{xs}]")
        d.put(pad, f"{b} = {rest}[0] if {rest} else {v}")
    elif form == 1:
        d.put(pad, f"*{rest}, {a}, {b} = [*{xs}, {u}, {v}]")
        inner = inner.plus(f"{kind}s", rest)
    elif form == 2:
        d.put(pad, f"{a} = {b} = {u}")
    else:
        d.put(pad, f"({a}, {b}), {rest} = ({u}, {v}), {expression(d, s, 'bool', 1)}")
        inner = inner.plus("bool", rest)
    value = expression(d, inner, kind, 1)
    d.put(pad, f"{target} = {f'ops.tanh({value})' if kind == 'vector' else f'({value}) % 7'}")
    if d.chance(0.3):
        d.put(pad, f"del {a}")


@statement("simple")
@assigns("vector")
def _sizes(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """Sizes as numbers."""
    k, h, target = next(d.names), next(d.names), d.one(s.assignable("vector"))
    v = expression(d, s, "vector", 1)
    d.put(pad, f"{k}, {h} = p.m.shape")
    value = d.one(
        (
            f"ops.zeros({h}) + {v} * {k}",
            f"ops.reshape(p.m, {k} * {h})[{h}:{h} * 2] - {v}",
            f"{v} / ({h} + len(p.layers)) * p.w3.ndim",
        )
    )
    d.put(pad, f"{target} = ops.tanh({value})")
