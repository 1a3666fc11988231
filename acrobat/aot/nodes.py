"""A node of the dataflow graph as C++: what the program does where a static block runs."""

from __future__ import annotations

from ..analysis.scheduling import Once
from ..ir import batched as B
from ..ir import typed as T
from ..ir.type_queries import rows_of
from .cpp import atom, name_of
from .literals import string
from .program_context import ProgramContext


def emit_run(cx: ProgramContext, run: B.Run) -> None:
    """Record the node, or find one that computes the same; either way, its outputs are handles."""
    layout = cx.layout.blocks[run.block]
    node = f"node_{cx.number()}"
    cx.write(f"[[maybe_unused]] Handle {node};")
    cx.write("{")
    with cx.write.indented():
        args = _arguments(cx, run)
        if layout.once:
            _record_once(cx, run, layout.once, args, node)
        else:
            depth = "cx.hoisted_depth()" if run.hoisted else "cx.depth++"
            _record(cx, run, args, depth, "cx.phase", node)
    cx.write("}")
    for out, offset in zip(run.outs, layout.plan.outputs, strict=True):
        cx.write(f"[[maybe_unused]] Handle {name_of(out)} = part({node}, {offset});")


def _arguments(cx: ProgramContext, run: B.Run) -> list[str]:
    """The node's arguments: references to its operands, then offsets of its gathered rows."""
    args = [*map(atom, run.operands)]
    tables = cx.module.blocks[run.block].gathered_rows
    for i, (table, index) in enumerate(zip(tables, run.indices, strict=True)):
        rows, columns = rows_of(cx.module.weights[table.param])
        # Checked before the node is recorded: an index out of range must not leave half a node.
        cx.write(
            f"int64_t row_{i} = Context::gathered_row({string(table.param)}, {atom(index)}, "
            f"{rows});"
        )
        args.append(f"row_{i} * {columns}")
    return args


def _record_once(cx: ProgramContext, run: B.Run, once: Once, args: list[str], node: str) -> None:
    """Record a node unless one that computes the same exists. It runs before all nodes that read
    it: at depth 0 of its phase."""
    rows, width = rows_of(cx.module.weights[once.weight])
    if once.by_handle:
        # The handle may also refer to a tensor of the instance: then there is no note.
        row, which = args[0], f"{rows}, {width}, {cx.layout.arena_weights[once.weight]}"
        exists, note = "noted && ", "if (noted) "
        depth = "noted ? 0 : " + ("cx.hoisted_depth()" if run.hoisted else "cx.depth++")
        phase = "noted ? cx.whole_phase() : cx.phase"
    else:
        row, which, exists, note = "row_0", f"{rows}", "", ""
        depth, phase = "0", "cx.whole_phase()"
    phased = "<true>" if cx.layout.phased else ""
    cx.write(f"Recorded* noted = cx.recorded({run.block}, {row}, {which});")
    cx.write(f"if ({exists}cx.is_there{phased}(*noted)) {{")
    cx.write(f"  {node} = noted->node;")
    cx.write("} else {")
    with cx.write.indented():
        _record(cx, run, args, depth, phase, node)
        cx.write(f"{note}cx.note(*noted, {node});")
    cx.write("}")


def _record(
    cx: ProgramContext, run: B.Run, args: list[str], depth: str, phase: str, node: str
) -> None:
    phased = "<true>" if cx.layout.phased else ""
    depth = depth if cx.layout.inline_depth else "0"
    phase = f", {phase}" if cx.layout.phased else ""
    cx.write(
        f"const size_t bucket = size_t{{{depth}}} * {len(cx.layout.blocks)} + {run.block};  "
        f"// {cx.module.blocks[run.block].name}"
    )
    cx.write(
        f"[[maybe_unused]] int64_t* args = cx.graph.append{phased}(bucket, {len(args)}{phase});"
    )
    for i, value in enumerate(args):
        cx.write(f"args[{i}] = {value};")
    if cx.layout.suspending:
        cx.write(f"{node} = cx.graph.count_last(bucket{phase});")
    else:
        shape = f"<{len(run.operands)}, {len(run.indices)}>"
        cx.write(f"{node} = cx.place{shape}({run.block}, bucket, args{phase});")


def prefetch_notes(cx: ProgramContext, row: T.Var, weight: str, width: int) -> None:
    """After a reference to a row of a weight, prefetch the notes on nodes that depend on this row
    alone. The notes of a table of many rows are in no near cache by then, and recording these nodes
    would mostly wait for memory."""
    for number, block in enumerate(cx.layout.blocks):
        if block.once == Once(weight, by_handle=True):
            start = cx.layout.arena_weights[weight]
            cx.write(f"cx.prefetch({number}, {name_of(row)}, {width}, {start});")
