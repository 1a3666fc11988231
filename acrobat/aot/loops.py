"""Loops and maps as C++."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..analysis.decisions import region_waits
from ..ir import batched as B
from ..ir import typed as T
from .cpp import atom, cpp_type, name_of
from .lists import word

if TYPE_CHECKING:
    from .emit import Emitter


def emit_for(emit: Emitter, stmt: B.For) -> None:
    """`for index in range(start, stop, step)`."""
    loop = emit.begin_loop(stmt.carried, stmt.inits)
    n = loop.number
    start, stop, step = map(atom, (stmt.start, stmt.stop, stmt.step))
    emit(f"const int64_t turns_{n} = range_length({start}, {stop}, {step});")
    emit(f"for (int64_t turn_{n} = 0; turn_{n} < turns_{n}; turn_{n}++) {{")
    emit.depth += 1
    index = f"[[maybe_unused]] const int64_t {name_of(stmt.index)}"
    emit(f"{index} = {start} + turn_{n} * {step};")
    _turn(emit, stmt.body, stmt.carried, loop.number)
    emit.depth -= 1
    emit("}")
    emit.end_loop(stmt.outs)


def emit_while(emit: Emitter, stmt: B.While) -> None:
    """`while cond`: the condition is computed anew before every turn."""
    loop = emit.begin_loop(stmt.carried, stmt.inits)
    emit("while (true) {")
    emit.depth += 1
    going = f"going_{loop.number}"
    emit(f"bool {going};")
    emit("{")
    emit.depth += 1
    emit.region(B.Region(stmt.cond.stmts, T.Yield(())), ())
    assert isinstance(stmt.cond.end, T.Yield)
    emit(f"{going} = {atom(stmt.cond.end.values[0])};")
    emit.depth -= 1
    emit("}")
    emit(f"if (!{going}) break;")
    _turn(emit, stmt.body, stmt.carried, loop.number)
    emit.depth -= 1
    emit("}")
    emit.end_loop(stmt.outs)


def _turn(emit: Emitter, body: B.Region, carried: tuple[T.Var, ...], number: int) -> None:
    """One turn. It is a block of its own, so that a jump to its end crosses no declaration."""
    emit("{")
    emit.nested(body, carried)
    emit("}")
    if emit.loops[-1].next_used:
        emit(f"next_{number}:;")


def emit_map(emit: Emitter, stmt: B.Map) -> None:
    """A comprehension: every turn starts at the same depth, as a fiber if it may wait."""
    number = next(emit.numbers)
    count = f"count_{number}"
    emit(f"const int64_t {count} = std::max<int64_t>({atom(stmt.stop)}, 0);")
    for k in range(len(stmt.outs)):
        emit(f"Word* items_{number}_{k} = cx.words.take(static_cast<size_t>({count}));")
    if stmt.filtered:
        # A byte per turn, in words.
        size = f"(static_cast<size_t>({count}) + 7) / 8"
        emit(f"bool* kept_{number} = reinterpret_cast<bool*>(cx.words.take({size}));")
    together = emit.options.instance_parallelism
    index = name_of(stmt.index)
    if together and region_waits(stmt.body, emit.waiting):
        emit(f"auto turn_{number} = [&]([[maybe_unused]] int64_t {index}) {{")
        _map_turn(emit, stmt, number)
        emit("};")
        emit(f"Fork::run(cx, turn_{number}, {count});")
    else:
        together = together and emit.inline_depth
        if together:
            emit(f"uint32_t start_{number} = cx.depth, end_{number} = cx.depth;")
        emit(f"for (int64_t {index} = 0; {index} < {count}; {index}++) {{")
        if together:
            emit(f"  cx.depth = start_{number};")
        _map_turn(emit, stmt, number)
        if together:
            emit(f"  end_{number} = std::max(end_{number}, cx.depth);")
        emit("}")
        if together:
            emit(f"cx.depth = end_{number};")
    for k, out in enumerate(stmt.outs):
        items = f"items_{number}_{k}"
        value = f"list_header(cx, {count}, {items})"
        if stmt.filtered:
            value = f"list_filtered(cx, {items}, kept_{number}, {count})"
        emit(f"[[maybe_unused]] {cpp_type(out.type)} {name_of(out)} = {value};")


def _map_turn(emit: Emitter, stmt: B.Map, number: int) -> None:
    emit.depth += 1
    emit("{")
    emit.depth += 1
    loops, emit.loops = emit.loops, []
    emit.region(B.Region(stmt.body.stmts, T.Yield(())), ())
    emit.loops = loops
    assert isinstance(stmt.body.end, T.Yield)
    values = stmt.body.end.values
    index = name_of(stmt.index)
    if stmt.filtered:
        emit(f"kept_{number}[{index}] = {atom(values[0])};")
        values = values[1:]
    for k, value in enumerate(values):
        emit(f"items_{number}_{k}[{index}] = {word(value)};")
    emit.depth -= 1
    emit("}")
    emit.depth -= 1
