"""Local functions that yield, and what asks for their items: one may leave the rest where the
function changes nothing."""

from __future__ import annotations

from .draw import Draw, Scope
from .expressions import expression
from .statements import assign, statement


@statement("simple")
def _yielded(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A generator of ints or vectors, whose items are asked for in one place."""
    kind = d.one(("int", "vector"))
    if not s.assignable(kind):
        assign(d, s, pad)
        return
    f, items, x, log = (next(d.names) for _ in range(4))
    notes = d.chance(0.4)
    _function(d, pad, kind, (f, items, x, log if notes else ""))
    if notes:
        d.put(pad, f"{log} = [{d.choose.randrange(3)}]")
    xs = expression(d, s, f"{kind}s", 1)
    given = f"{f}([*{xs}], {log})" if notes else f"{f}({xs})"
    _consumer(d, s, pad, kind, given, may_leave=not notes)
    if notes and s.assignable("int"):
        target = d.one(s.assignable("int"))
        d.put(pad, f"{target} = ({target} + sum({log}) + len({log})) % 7")


def _function(d: Draw, pad: str, kind: str, names: tuple[str, str, str, str]) -> None:
    f, items, x, log = names
    # Of its own variables alone: others may change before the last item.
    some = f"{x} % 3 == {d.choose.randrange(3)}" if kind == "int" else f"{x}[0] > 0.1"
    d.put(pad, f"def {f}({items}{f', {log}' if log else ''}):")
    if d.chance(0.6):
        d.put(pad, f"    for {x} in {items}:")
    else:
        i = next(d.names)
        d.put(pad, f"    {i} = 0")
        d.put(pad, f"    while {i} < len({items}):")
        d.put(pad, f"        {x} = {items}[{i}]")
        d.put(pad, f"        {i} += {d.one('12')}")
    if log:
        d.put(pad, f"        {log}.append(len({log}) % 3)")
    if d.chance(0.3):
        d.put(pad, f"        if {some}:")
        d.put(pad, f"            {d.one(('return', f'yield {x}'))}")
    value = f"{x} * 3 - 1" if kind == "int" else f"ops.tanh({x} @ p.w0)"
    d.put(pad, f"        yield {d.one((x, value))}")
    if d.chance(0.2):
        d.put(pad, f"    yield from {items}[{d.one((':1', '-2:', '1:'))}]")


def _consumer(d: Draw, s: Scope, pad: str, kind: str, given: str, may_leave: bool) -> None:
    y, k, target = next(d.names), next(d.names), d.one(s.assignable(kind))
    step = f"({target} + {y}) % 7" if kind == "int" else f"ops.tanh({target} - {y} * 0.5)"
    form = d.choose.randrange(4)
    if form == 0 and kind == "int":
        whole = (f"sum({given})", f"len(list({given}))", f"max({given}, default=2)")
        d.put(pad, f"{target} = ({target} + {d.one(whole)}) % 7")
    elif form == 0:
        d.put(pad, f"{target} = ops.tanh({target} + sum([{y} * 0.5 for {y} in {given}], p.b))")
    elif form == 1 and may_leave and kind == "int":
        some = (f"any({y} % 3 == 1 for {y} in {given})", f"({target} in {given})")
        d.put(pad, f"{target} += int({d.one(some)})")
    elif form == 2:
        d.put(pad, f"for {k}, {y} in enumerate({given}, 1):")
        d.put(pad, f"    {target} = {step}")
        if may_leave:
            d.put(pad, f"    if {k} > {d.choose.randrange(3)}:")
            d.put(pad, "        break")
    else:
        d.put(pad, f"for {y} in {given}:")
        d.put(pad, f"    if {expression(d, s.plus(kind, y), 'bool', 1)}:")
        d.put(pad, f"        {d.one(('continue', 'break') if may_leave else ('continue',))}")
        d.put(pad, f"    {target} = {step}")
