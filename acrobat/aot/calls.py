"""Calls as C++: one, several that start at the same depth, several that may wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir import typed as T
from .cpp import atom, cpp_type, name_of

if TYPE_CHECKING:
    from .emit import Emitter


def emit_call(emit: Emitter, outs: tuple[T.Var, ...], call: T.Call) -> None:
    """`outs = function(args)`."""
    results = f"{name_of(outs[0])}_results" if outs else "unused"
    emit(f"[[maybe_unused]] {call.function}_results {results} = {_text(call)};")
    for i, v in enumerate(outs):
        emit(f"[[maybe_unused]] {cpp_type(v.type)} {name_of(v)} = {results}.r{i};")


def emit_parallel(emit: Emitter, outs: tuple[T.Var, ...], calls: tuple[T.Call, ...]) -> None:
    """An `ab.parallel`: all start at the same depth, what follows at the greatest they reach."""
    together = emit.options.instance_parallelism
    if together and any(c.function in emit.waiting for c in calls):
        _fork(emit, outs, calls)
        return
    together = together and emit.inline_depth
    name = f"p{next(emit.numbers)}"
    if together:
        emit(f"uint32_t {name}_start = cx.depth, {name}_end = cx.depth;")
    for targets, c in _targets(emit, outs, calls):
        if together:
            emit(f"cx.depth = {name}_start;")
        emit_call(emit, targets, c)
        if together:
            emit(f"{name}_end = std::max({name}_end, cx.depth);")
    if together:
        emit(f"cx.depth = {name}_end;")


def _fork(emit: Emitter, outs: tuple[T.Var, ...], calls: tuple[T.Call, ...]) -> None:
    """Calls that may wait: each is a fiber."""
    name = f"p{next(emit.numbers)}"
    emit.declare(outs)
    emit(f"auto {name} = [&](int64_t branch) {{")
    emit("  switch (branch) {")
    for i, (targets, c) in enumerate(_targets(emit, outs, calls)):
        emit(f"    case {i}: {{")
        emit(f"      [[maybe_unused]] auto r = {_text(c)};")
        for k, v in enumerate(targets):
            emit(f"      {name_of(v)} = r.r{k};")
        emit("      break;")
        emit("    }")
    emit("  }")
    emit("};")
    emit(f"Fork::run(cx, {name}, {len(calls)});")


def _targets(
    emit: Emitter, outs: tuple[T.Var, ...], calls: tuple[T.Call, ...]
) -> list[tuple[tuple[T.Var, ...], T.Call]]:
    """Every call with those of `outs` that are its results."""
    found = []
    at = 0
    for c in calls:
        n = len(emit.module.functions[c.function].results)
        found.append((outs[at : at + n], c))
        at += n
    return found


def _text(call: T.Call) -> str:
    return f"{call.function}(cx{''.join(f', {atom(a)}' for a in call.args)})"
