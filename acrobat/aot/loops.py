"""Loops and maps as C++."""

from __future__ import annotations

from ..analysis.decisions import may_suspend
from ..ir import batched as B
from ..ir import typed as T
from .cpp import atom, name_of, variable, word
from .program_context import BareList, ProgramContext


def emit_for(cx: ProgramContext, stmt: B.For) -> None:
    """`for index in range(start, stop, step)`."""
    loop = cx.begin_loop(stmt.carried, stmt.inits)
    n = loop.number
    start, stop, step = map(atom, (stmt.start, stmt.stop, stmt.step))
    cx.write(f"const uint64_t iterations_{n} = range_length({start}, {stop}, {step});")
    cx.write(
        f"for (uint64_t iteration_{n} = 0; iteration_{n} < iterations_{n}; iteration_{n}++) {{"
    )
    with cx.write.indented():
        index = f"[[maybe_unused]] const int64_t {name_of(stmt.index)}"
        cx.write(f"{index} = range_item({start}, iteration_{n}, {step});")
        _iteration(cx, stmt.body, stmt.carried, n)
    cx.write("}")
    cx.end_loop(stmt.outs)


def emit_while(cx: ProgramContext, stmt: B.While) -> None:
    """`while cond`: the condition is recomputed before every iteration."""
    loop = cx.begin_loop(stmt.carried, stmt.inits)
    cx.write("while (true) {")
    with cx.write.indented():
        going = f"going_{loop.number}"
        cx.write(f"bool {going};")
        cx.write("{")
        with cx.write.indented():
            cx.region(B.Region(stmt.cond.stmts, T.Yield(())), ())
            assert isinstance(stmt.cond.end, T.Yield)
            cx.write(f"{going} = {atom(stmt.cond.end.values[0])};")
        cx.write("}")
        cx.write(f"if (!{going}) break;")
        _iteration(cx, stmt.body, stmt.carried, loop.number)
    cx.write("}")
    cx.end_loop(stmt.outs)


def _iteration(cx: ProgramContext, body: B.Region, carried: tuple[T.Var, ...], number: int) -> None:
    """One iteration, in its own C++ block, so that a jump to its end crosses no declaration."""
    cx.write("{")
    cx.write("  cx.tick();")
    cx.nested(body, carried)
    cx.write("}")
    if cx.loops[-1].next_used:
        cx.write(f"next_{number}:;")


def emit_map(cx: ProgramContext, stmt: B.Map) -> None:
    """A comprehension: every iteration starts at the same depth, as a fiber if it may wait
    for what an iteration records."""
    number = cx.number()
    count = f"count_{number}"
    cx.write(f"const int64_t {count} = std::max<int64_t>({atom(stmt.stop)}, 0);")
    for k in range(len(stmt.outs)):
        cx.write(f"Word* items_{number}_{k} = cx.words.take(static_cast<size_t>({count}));")
    if stmt.filtered:
        # A byte per iteration, in words.
        size = f"(static_cast<size_t>({count}) + 7) / 8"
        cx.write(f"bool* kept_{number} = reinterpret_cast<bool*>(cx.words.take({size}));")
    together = cx.options.instance_parallelism
    index = name_of(stmt.index)
    if together and may_suspend(stmt.body, cx.layout.suspending):
        cx.write(f"auto iteration_{number} = [&]([[maybe_unused]] int64_t {index}) {{")
        _map_iteration(cx, stmt, number)
        cx.write("};")
        run = "in_turn" if stmt.in_turn else "run"
        cx.write(f"Fork::{run}(cx, iteration_{number}, {count});")
    else:
        together = together and cx.layout.inline_depth
        if together:
            cx.write(f"uint32_t start_{number} = cx.depth, end_{number} = cx.depth;")
        cx.write(f"for (int64_t {index} = 0; {index} < {count}; {index}++) {{")
        if together:
            cx.write(f"  cx.depth = start_{number};")
        _map_iteration(cx, stmt, number)
        if together:
            cx.write(f"  end_{number} = std::max(end_{number}, cx.depth);")
        cx.write("}")
        if together:
            cx.write(f"cx.depth = end_{number};")
    for k, out in enumerate(stmt.outs):
        items = f"items_{number}_{k}"
        if out in cx.bare_lists:
            cx.bare_lists[out] = BareList(items, count)
            continue
        value = f"list_header(cx, {count}, {items})"
        if stmt.filtered:
            value = f"list_filtered(cx, {items}, kept_{number}, {count})"
        cx.write(f"{variable(out)} = {value};")


def _map_iteration(cx: ProgramContext, stmt: B.Map, number: int) -> None:
    with cx.write.indented():
        cx.write("{")
        with cx.write.indented():
            _map_body(cx, stmt, number)
        cx.write("}")


def _map_body(cx: ProgramContext, stmt: B.Map, number: int) -> None:
    # A map's body contains no break or continue of its own or of an enclosing loop, and loops in it
    # end there: `cx.loops` is as it was before.
    cx.region(B.Region(stmt.body.stmts, T.Yield(())), ())
    assert isinstance(stmt.body.end, T.Yield)
    values = stmt.body.end.values
    index = name_of(stmt.index)
    if stmt.filtered:
        cx.write(f"kept_{number}[{index}] = {atom(values[0])};")
        values = values[1:]
    for k, value in enumerate(values):
        cx.write(f"items_{number}_{k}[{index}] = {word(value)};")
