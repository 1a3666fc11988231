"""`ops.dropout` becomes what it computes: in a step of training a product with a mask, which
follows from a key; elsewhere its operand.

Keys are ints of the program, and as plain Python has them (`lang/draws.py`, which says how they
follow from each other). The entry function gets that of the instance as a further argument, every
function that reaches a dropout that of the call. What a function counts, by which its keys differ,
is known where each path counts as much as any other: then an iteration counts by its index, and
loops and branches stay as concurrent as they are. Where paths count differently the number is a
variable that they carry. A comprehension of which iterations do that becomes a loop.

Of a function without `@ab.model`, which plain Python does not notice, the caller counts on: it gets
the caller's key and number, and if paths through it count differently it also returns the number.
"""

from __future__ import annotations

from ..ir import typed as T
from ..ir.rebuild import rebuilt
from ..ir.rewrite import calls, map_bodies, map_end, map_stmt, statements
from .helpers.dropout_counts import Counts
from .helpers.numbered_function import NumberedFunction


def number_dropouts(module: T.Module, training: bool) -> T.Module:
    """`module` without the operation dropout. In `training` the entry has an int for its last
    parameter, the key of the instance, if there was one."""
    if not has_dropout(module):
        return module
    if not training:
        return map_bodies(module, _without)
    counts = Counts(module, _drawing(module))
    functions: dict[str, T.Function] = {}
    for name, function in module.functions.items():
        numbered = name in counts.drawing or counts.gives(name)
        if numbered or any(counts.takes_number(c.function) for c in calls(function.body)):
            function = NumberedFunction(counts, function).made()
        functions[name] = function
    return rebuilt(module, functions=functions)


def has_dropout(module: T.Module) -> bool:
    """Whether a function of it drops out."""
    return any(_drops(f) for f in module.functions.values())


def _drops(function: T.Function) -> bool:
    return any(
        isinstance(s, T.Let) and isinstance(s.rhs, T.Op) and s.rhs.name == "dropout"
        for s in statements(function.body)
    )


def _drawing(module: T.Module) -> frozenset[str]:
    """The functions that reach a dropout."""
    found = {name for name, f in module.functions.items() if _drops(f)}
    callers: dict[str, set[str]] = {}
    for name, f in module.functions.items():
        for call in calls(f.body):
            callers.setdefault(call.function, set()).add(name)
    work = list(found)
    while work:
        for caller in callers.get(work.pop(), set()) - found:
            found.add(caller)
            work.append(caller)
    return frozenset(found)


def _without(region: T.Region) -> T.Region:
    """`region` with operands in place of dropouts."""
    env: dict[T.Var, T.Atom] = {}

    def use(var: T.Var) -> T.Atom:
        return env.get(var, var)

    def inner(part: T.Region) -> T.Region:
        stmts: list[T.Stmt] = []
        for stmt in part.stmts:
            match stmt:
                case T.Let((out,), T.Op("dropout", (T.Var() as x, *_))):
                    env[out] = use(x)
                case _:
                    stmts.append(map_stmt(stmt, use, lambda v: v, inner))
        return rebuilt(part, stmts=tuple(stmts), end=map_end(part.end, use))

    return inner(region)
