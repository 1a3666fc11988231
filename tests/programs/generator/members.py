"""Members of an enumeration: of instances, chosen by the model, in lists, tables and patterns."""

from __future__ import annotations

from .draw import HINTS, Draw, Scope
from .expressions import expression, production
from .statements import assigns, block, statement

HINTS["act"] = "Act"
MEMBERS = ("Act.PUSH", "Act.POP", "Act.KEEP")

TYPES = """

class Act(enum.Enum):
    PUSH = 2
    POP = 5
    KEEP = -1
    ADD = 2

    @property
    def share(self) -> float:
        return 0.25 * self.value

    def undone(self) -> "Act":
        return Act.POP if self is Act.PUSH else Act.KEEP


SCALE = {Act.PUSH: 0.5, Act.POP: -1.0, Act.KEEP: 1.5}
MOVES = frozenset({Act.PUSH, Act.POP})

"""


@production("act", 2)
def _member(d: Draw, s: Scope, depth: int) -> str:
    if not s.of("note") or d.chance(0.3):
        return d.one((*MEMBERS, "Act.ADD", "Act['POP']"))
    note = d.one(s.of("note"))
    return d.one(
        (
            f"{note}.act",
            f"({note}.undo or Act.KEEP)",
            f"({note}.acts[0] if {note}.acts else Act.PUSH)",
        )
    )


@production("act")
def _chosen(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "act", depth) for _ in range(2))
    return d.one(
        (
            f"({a} if {expression(d, s, 'bool', depth)} else {b})",
            f"Act(({a}).value)",
            f"({a}).undone()",
            f"max([{a}, {b}], key=lambda k: k.share)",
        )
    )


@production("bool")
def _compared(d: Draw, s: Scope, depth: int) -> str:
    a, b = (expression(d, s, "act", depth) for _ in range(2))
    return d.one(
        (
            f"({a}) is {d.one(MEMBERS)}",
            f"(({a}) == ({b}))",
            f"(({a}) is not ({b}))",
            f"({a}) in ({', '.join(d.choose.sample(MEMBERS, 2))})",
            f"({a}) in MOVES",
        )
    )


@production("int")
def _number(d: Draw, s: Scope, depth: int) -> str:
    a = expression(d, s, "act", depth)
    if not s.of("note") or d.chance(0.5):
        return d.one((f"({a}).value", f"list(Act).index({a})", f"int(({a}).name == 'POP')"))
    note = d.one(s.of("note"))
    return d.one((f"{note}.acts.count({a})", f"len(set({note}.acts))"))


@production("float")
def _looked_up(d: Draw, s: Scope, depth: int) -> str:
    a = expression(d, s, "act", depth)
    return d.one((f"SCALE[{a}]", f"({a}).share", f"SCALE.get({a}, 0.0)"))


@statement("nested")
def _matched(d: Draw, s: Scope, pad: str, depth: int) -> None:
    first, second, third = d.choose.sample(MEMBERS, 3)
    rest = d.one((f"{second} | {third}", "_"))
    d.put(pad, f"match {expression(d, s, 'act', 1)}:")
    for case in (first, *d.one(((rest,), (second, third)))):
        d.put(pad, f"    case {case}:")
        block(d, s, pad + "        ", depth - 1, 1)


@statement("simple")
@assigns("vector")
def _carried(d: Draw, s: Scope, pad: str, depth: int) -> None:
    """A member and a list of them, carried through a loop."""
    act, done, i, target = (*(next(d.names) for _ in range(3)), d.one(s.assignable("vector")))
    d.put(pad, f"{act}, {done} = {expression(d, s, 'act', 1)}, []")
    d.put(pad, f"for {i} in range({d.one(('2', '3'))}):")
    inner = s.plus("act", act).plus("int", i)
    d.put(pad, f"    {done}.append({expression(d, inner, 'act', 1)})")
    d.put(pad, f"    {act} = {done}[-1].undone() if {expression(d, inner, 'bool', 1)} else {act}")
    factor = f"sum(SCALE[{i}] for {i} in {done} if {i} is not {act})"
    d.put(pad, f"{target} = ops.tanh({target} * {factor})")
