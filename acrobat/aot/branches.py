"""Branches, and statements that count depths, as C++."""

from __future__ import annotations

from ..ir import batched as B
from ..ir import typed as T
from .cpp import atom, load, name_of, variable
from .identifiers import readable
from .program_context import ProgramContext


def emit_if(cx: ProgramContext, stmt: B.If) -> None:
    """`if cond: ... else: ...`."""
    cx.declare(stmt.outs)
    cx.write(f"if ({atom(stmt.cond)}) {{")
    cx.nested(stmt.then, stmt.outs)
    cx.write("} else {")
    cx.nested(stmt.orelse, stmt.outs)
    cx.write("}")


def emit_match(cx: ProgramContext, stmt: B.Match) -> None:
    """`match subject`: a switch over the tags of its data types."""
    subject = name_of(stmt.subject)
    cx.declare(stmt.outs)
    cx.write(f"switch (tag_of({subject})) {{")
    for arm in stmt.arms:
        data = cx.module.datas[arm.data]
        cx.write(f"  case {data.tag}: {{  // {readable(data.name)}")
        with cx.write.indented(2):
            for i, v in enumerate(arm.binds):
                cx.write(f"{variable(v)} = {load(f'{subject}[{i + 1}]', v.type)};")
            cx.region(arm.region, stmt.outs)
            if isinstance(arm.region.end, T.Yield):
                cx.write("break;")
        cx.write("  }")
    cx.write("  default:")
    cx.write("    __builtin_unreachable();")
    cx.write("}")


def emit_ghost(cx: ProgramContext, stmt: B.Ghost) -> None:
    """Advance the depth without a node."""
    if cx.layout.inline_depth:
        cx.write(f"cx.depth += {stmt.count};  // ghost")


def emit_align(cx: ProgramContext, _: B.Align) -> None:
    """Begin the next subphase, which all instances begin together."""
    cx.write("cx.align();")


def emit_mark(cx: ProgramContext, stmt: B.Mark) -> None:
    """Save the current depth."""
    if cx.layout.inline_depth:
        cx.write(f"const uint32_t mark_{stmt.number} = cx.depth;")


def emit_resume(cx: ProgramContext, stmt: B.Resume) -> None:
    """Continue at the largest of some saved depths."""
    if cx.layout.inline_depth:
        noted = ", ".join(f"mark_{n}" for n in stmt.marks)
        cx.write(f"cx.depth = std::max({{{noted}}});")


def emit_next_phase(cx: ProgramContext, _: tuple[T.Var, ...], __: T.NextPhase) -> None:
    """Begin the next phase of the entry."""
    if cx.layout.inline_depth or cx.layout.phased:
        cx.write("cx.next_phase();")
