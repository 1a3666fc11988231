"""Calls as C++: a single one, several that start at the same depth, several that may suspend."""

from __future__ import annotations

from ..analysis.memoisable import object_arguments
from ..ir import typed as T
from ..ir.types import ListType
from .cpp import atom, name_of, variable
from .program_context import ProgramContext

Vars = tuple[T.Var, ...]


def emit_call(cx: ProgramContext, outs: Vars, call: T.Call) -> None:
    """`outs = function(args)`."""
    if not outs:
        cx.write(f"{_text(cx, call)};")
        return
    results = f"results_{cx.number()}"
    cx.write(f"{cx.results_of(call.function)} {results} = {_text(cx, call)};")
    for i, v in enumerate(outs):
        cx.write(f"{variable(v)} = {results}.r{i};")


def emit_parallel(cx: ProgramContext, outs: Vars, parallel: T.Parallel) -> None:
    """An `ab.parallel`: all calls start at the same depth, and what follows starts at the largest
    depth that one of them reaches."""
    calls = parallel.calls
    together = cx.options.instance_parallelism
    if together and any(c.function in cx.layout.suspending for c in calls):
        _fork(cx, outs, calls)
        return
    together = together and cx.layout.inline_depth
    name = f"p{cx.number()}"
    if together:
        cx.write(f"uint32_t {name}_start = cx.depth, {name}_end = cx.depth;")
    for targets, c in _targets(cx, outs, calls):
        if together:
            cx.write(f"cx.depth = {name}_start;")
        emit_call(cx, targets, c)
        if together:
            cx.write(f"{name}_end = std::max({name}_end, cx.depth);")
    if together:
        cx.write(f"cx.depth = {name}_end;")


def _fork(cx: ProgramContext, outs: Vars, calls: tuple[T.Call, ...]) -> None:
    """Calls that may suspend: each runs as a fiber."""
    name = f"p{cx.number()}"
    cx.declare(outs)
    cx.write(f"auto {name} = [&](int64_t branch) {{")
    cx.write("  switch (branch) {")
    for i, (targets, c) in enumerate(_targets(cx, outs, calls)):
        cx.write(f"    case {i}: {{")
        cx.write(f"      [[maybe_unused]] auto r = {_text(cx, c)};")
        for k, v in enumerate(targets):
            cx.write(f"      {name_of(v)} = r.r{k};")
        cx.write("      break;")
        cx.write("    }")
    cx.write("  }")
    cx.write("};")
    cx.write(f"Fork::run(cx, {name}, {len(calls)});")


def _targets(
    cx: ProgramContext, outs: Vars, calls: tuple[T.Call, ...]
) -> list[tuple[Vars, T.Call]]:
    """Each call with its results among `outs`."""
    found = []
    at = 0
    for c in calls:
        n = len(cx.module.functions[c.function].results)
        found.append((outs[at : at + n], c))
        at += n
    return found


def _text(cx: ProgramContext, call: T.Call) -> str:
    """The call as an expression; a call on an object that is marked as shared is memoised."""
    args, function = "".join(f", {atom(a)}" for a in call.args), cx.function(call.function)
    plain = f"{function}(cx{args})"
    objects = object_arguments(call) if cx.options.memoisation else ()
    if not objects:
        return plain
    shared = " || ".join(
        f"is_shared_{'list' if isinstance(v.type, ListType) else 'record'}({name_of(v)})"
        for v in objects
    )
    return f"{shared} ? memoised(cx, {function}{args}) : {plain}"
