"""A node of the dataflow graph as C++: what the program does where a block runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..analysis.scheduling import Once
from ..ir import batched as B
from ..ir import typed as T
from ..ir.types import rows_of
from .cpp import atom, name_of

if TYPE_CHECKING:
    from .emit import Emitter


def emit_run(e: Emitter, run: B.Run) -> None:
    """Record the node, or find one that computes the same; its outputs are handles then."""
    block, plan = e.module.blocks[run.block], e.plans[run.block]
    first = name_of(run.outs[0]) if run.outs else "unused"
    e(f"[[maybe_unused]] Handle {first}_node;")
    e("{")
    e.depth += 1
    args = [*map(atom, run.rows)]
    for table, index in zip(block.table_rows, run.indices, strict=True):
        rows, columns = rows_of(e.module.weights[table.param])
        # Before the node is recorded: an index out of range must leave no half a node.
        offset = f"row_{len(args) - len(run.rows)}"
        e(
            f"int64_t {offset} = Context::table_row({json.dumps(table.param)}, {atom(index)}, "
            f"{rows}, {columns});"
        )
        args.append(offset)
    depth, phase = "cx.hoisted_depth()" if run.hoisted else "cx.depth++", "cx.phase"
    phased = "<true>" if e.phased else ""
    once = e.once.get(run.block)
    if once:
        rows, width = rows_of(e.module.weights[once.weight])
        # A node that many read runs before all of them: at depth 0 of the first turn.
        if once.by_handle:
            which, is_noted = f"{rows}, {width}, {e.row_offsets[once.weight]}", "noted && "
            depth, phase = f"noted ? 0 : {depth}", f"noted ? cx.whole_phase() : {phase}"
        else:
            which, is_noted = f"{rows}", ""
            depth, phase = "0", "cx.whole_phase()"
        row = args[0] if once.by_handle else atom(run.indices[0])
        e(f"Recorded* noted = cx.recorded({run.block}, {row}, {which});")
        e(f"if ({is_noted}cx.is_there{phased}(*noted)) {{")
        e(f"  {first}_node = noted->node;")
        e("} else {")
        e.depth += 1
    depth = depth if e.inline_depth else "0"
    phase = f", {phase}" if e.phased else ""
    e(
        f"[[maybe_unused]] int64_t* args = cx.graph.add{phased}({run.block}, {depth}, "
        f"{len(args)}{phase});  // {block.name}"
    )
    for i, value in enumerate(args):
        e(f"args[{i}] = {value};")
    e(f"{first}_node = cx.graph.bucket.size() - 1;")
    if once:
        guard = "if (noted) " if once.by_handle else ""
        e(f"{guard}cx.note(*noted, {first}_node);")
        e.depth -= 1
        e("}")
    e.depth -= 1
    e("}")
    for out, offset_of in zip(run.outs, plan.outputs, strict=True):
        e(f"[[maybe_unused]] Handle {name_of(out)} = part({first}_node, {offset_of});")


def expect_node(e: Emitter, out: T.Var, rhs: B.Rhs) -> None:
    """Behind a handle to a weight's row: begin to fetch what was noted of the nodes that compute
    something of this row alone. A table of many rows is in no near cache by then, and recording
    these nodes would do little but wait."""
    match rhs:
        case B.WeightRow(param):
            e.weight_rows[out] = param
        case B.RowOf(source, _) if source in e.weight_rows:
            weight = e.weight_rows[source]
            _, width = rows_of(source.type)
            for block, once in e.once.items():
                if once == Once(weight, by_handle=True):
                    e(f"cx.expect({block}, {name_of(out)}, {width}, {e.row_offsets[weight]});")
