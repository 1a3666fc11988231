"""Replace `ops.dropout` by what it computes: in a training step, the product with a mask that is
derived from a key; otherwise, its operand.

Keys are ints in the program, and the same as in plain Python (`lang/draws.py` defines how they are
derived from each other). The entry function gets the key of the instance as an additional argument,
every function that reaches a dropout that of the call. The keys that a function derives differ by
the number of dropouts and calls before them. It is known if all paths have equally many: then an
iteration computes it from its index, and loops and branches stay as concurrent as they are.
Where paths differ, the number is a variable that they carry, and a comprehension whose iterations
differ becomes a loop.

Plain Python does not see the calls of a helper, a function without `@ab.model`, so the caller's
count continues in it: it gets the caller's key and number, and if its paths differ it also returns
the number.
"""

from __future__ import annotations

from ..ir import typed as T
from ..ir.rebuild import rebuilt
from ..ir.rewrite import calls, map_bodies, map_end, map_stmt, statements
from .helpers.dropout_counts import Counts
from .helpers.numbered_function import NumberedFunction


def number_dropouts(module: T.Module, training: bool) -> T.Module:
    """`module` without dropouts. In `training`, if it had any, the entry's last parameter is an
    int, the key of the instance."""
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
    """Whether some function of the module contains a dropout."""
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
    """`region` with every dropout replaced by its operand."""
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
