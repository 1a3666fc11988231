"""Weights in lists and groups: loops that are written out, optional weights, early exits."""

from __future__ import annotations

from .draw import Draw, Scope
from .expressions import expression, production
from .statements import assign, block, statement

LAYERS = 3


@production("vector")
def _layer(d: Draw, s: Scope, depth: int) -> str:
    v, i = expression(d, s, "vector", depth), d.choose.randrange(-1, LAYERS)
    key = d.one(("left", "right"))
    return d.one(
        (
            f"p.layers[{i}].step({v})",
            f"({v} @ p.layers[{i}].w)",
            f"({v} * p.gains[{d.choose.randrange(2)}])",
            f"[{v} @ q.w for q in p.layers][{i}]",
            f"p.named[{key!r}].step({v})",
            f"({v} * p.scales[{key!r}])",
            f"[{v} @ q.w * p.scales[key] for key, q in p.named.items()][{i % 2}]",
            f"ops.linear({v}, p.layers[{i}].w, p.layers[{i}].b)",
            f"({v} if p.gate is None else p.gate.step({v}))",
            f"functools.reduce(lambda h, q: q.step(h), p.layers, {v})",
        )
    )


@statement("nested", 2)
def _through_layers(d: Draw, s: Scope, pad: str, depth: int) -> None:
    targets = s.assignable("vector")
    if not targets:
        assign(d, s, pad)
        return
    h, q, i = d.one(targets), next(d.names), next(d.names)
    form = d.choose.randrange(6)
    inner = s
    if form == 0:
        d.put(pad, f"for {q} in {d.one(('p.layers', 'reversed(p.layers)', 'p.layers[:2]'))}:")
    elif form == 1:
        d.put(pad, f"for {i}, {q} in enumerate(p.layers):")
        inner = s.plus("int", i)
    elif form == 2:
        gain = next(d.names)
        d.put(pad, f"for {q}, {gain} in zip(p.layers, p.gains):")
        inner = s.plus("vector", gain)
    elif form == 3:
        d.put(pad, f"for {i} in range(len(p.layers)):")
        q = f"p.layers[{i}]"
        inner = s.plus("int", i)
    elif form == 5:
        key = next(d.names)
        d.put(pad, f"for {key}, {q} in {d.one(('p.named.items()', 'list(p.named.items())'))}:")
        d.put(pad, f"    {h} = {h} * p.scales[{key}]")
    else:
        d.put(pad, f"for {q} in p.w3:")
        d.put(pad, f"    {h} = ops.tanh({h} @ {q})")
    if form != 4:
        d.put(pad, f"    {h} = {q}.step({h})")
        if d.chance(0.3):
            d.put(pad, f"    if {q}.b is not None:")
            d.put(pad, f"        {h} = {h} + {q}.b")
    if d.chance(0.4):
        block(d, inner, pad + "    ", 0, 1)
    if d.chance(0.4):
        d.put(pad, f"    if {expression(d, inner, 'bool', 1)}:")
        d.put(pad, f"        {d.one(('break', 'continue'))}")
        d.put(pad, f"    {h} = ops.tanh({h} + {expression(d, inner, 'vector', 1)})")
