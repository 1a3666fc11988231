"""A kernel specification as TIR: the template of `template.py` written out as TVMScript.

All arguments are opaque pointers and integers (printers/calling_convention.py has their order).
Inside a tile every accumulator is a small buffer with constant indices, which LLVM keeps in
registers.
"""

from __future__ import annotations

from collections.abc import Callable

from ....ir.types import align
from ...specification.spec import KernelSpec, Term
from ..text import Text
from .access import Access, first_column, int64
from .chosen import chosen_operands
from .expression import LEAVES, leaf, point
from .prefetch import LINE, prefetch, prefetches
from .row_kernel import row_tile
from .schedule import Schedule
from .template import Template


def kernel_source(spec: KernelSpec, template: Template, r: int) -> str:
    """TVMScript of the variant with row tile `r`."""
    text = Text()
    text("@T.prim_func")
    indexed = spec.indexed
    pointers = [f"x{i}_: T.handle('float32'), o{i}_: T.handle('int32')" for i in indexed]
    args = ["out_: T.handle('float32')", "tmp_: T.handle('float32')", "q0: T.int64"]
    args += ["tiles: T.int64", "jo: T.int64"]
    args += ["w_: T.handle('float32')", "v_: T.handle('float32')", *pointers]
    text(f"def main({', '.join(args)}):")
    text.depth = 1
    name = f"{spec.name}_r{r}"
    text(f"T.func_attr({{'global_symbol': '{name}', 'tirx.noalias': True}})")
    for buffer, dtype in _buffers(spec):
        # The extent is not checked by anything; the pointers are as long as they have to be.
        text(f"{buffer} = T.decl_buffer((T.int64({1 << 40}),), '{dtype}', data={buffer}_)")
    text("for ib in T.serial(tiles):")
    text.depth = 2
    access = Access(spec, r, template.within_node)
    for line in access.prologue():
        text(line)
    if spec.gates:
        _tile(text, access, template, r)
    else:
        row_tile(text, access, template, vector_offsets(spec, template))
    return "\n".join(text.lines) + "\n"


def _buffers(spec: KernelSpec) -> list[tuple[str, str]]:
    found = [("out", "float32"), ("tmp", "float32"), ("w", "float32"), ("v", "float32")]
    for i in spec.indexed:
        found += [(f"x{i}", "float32"), (f"o{i}", "int32")]
    return found


def _lane_loop(template: Template) -> str:
    # TVM does not vectorise a loop of one.
    kind = "vectorized" if template.lanes > 1 else "serial"
    return f"for l in T.{kind}({int64(template.lanes)}):"


def _tile(text: Text, access: Access, template: Template, r: int) -> None:
    """One row tile: the passes over k, then the epilogue row by row."""
    spec = access.spec
    offsets = gate_offsets(spec, template)
    for g in range(len(spec.gates)):
        for j in range(template.vectors):
            shape = f"({int64(r)}, {int64(template.lanes)})"
            text(f"a{g}_{j} = T.alloc_buffer({shape}, 'float32', scope='local')")
    for line in prefetches(spec, access, template, r):
        text(line)
    for accumulators in template.passes(spec, r):
        _pass(text, access, template, r, accumulators, offsets)
    text(f"for r in T.serial({int64(r)}):")
    text.depth += 1
    for j in range(template.vectors):
        _epilogue(text, access, template, j)
    text.depth -= 1


def gate_offsets(spec: KernelSpec, template: Template) -> list[list[int]]:
    """Where each gate's terms begin within a column block of the packed weights, in floats."""
    at = 0
    offsets: list[list[int]] = []
    for gate in spec.gates:
        offsets.append([])
        for term in gate.terms:
            offsets[-1].append(at)
            at += term.k * template.jv if term.matrix is None else 0
    return offsets


def packed_floats(spec: KernelSpec, template: Template) -> int:
    """Floats of the packed weights in one column block."""
    terms = (t for g in spec.gates for t in g.terms if t.matrix is None)
    return sum(t.k for t in terms) * template.jv


def _pass(
    text: Text,
    access: Access,
    template: Template,
    r: int,
    accumulators: list[tuple[int, int]],
    offsets: list[list[int]],
) -> None:
    spec = access.spec
    per_block, chosen = packed_floats(spec, template), chosen_operands(spec, template)
    text(f"for r in T.unroll({int64(r)}):")
    text.depth += 1
    for g, j in accumulators:
        text(_lane_loop(template))
        text(f"    a{g}_{j}[r, l] = T.float32(0)")
    text.depth -= 1
    for t, term in enumerate(spec.gates[accumulators[0][0]].terms):

        def step(k: str, t: int = t, term: Term = term) -> None:
            loads: list[str] = []
            for g, j in accumulators:
                matrix = spec.gates[g].terms[t].matrix
                of = chosen.get(matrix.operand) if matrix else None
                if matrix and not (of and of.packed):
                    loads.append(access.right(matrix, k, f"{_column(template, j)}"))
                    continue
                packed, floats, start = "w", per_block, offsets[g][t]
                if matrix and of:
                    packed, floats, start = f"x{matrix.operand}", of.per_block, of.terms[g, t]
                at = f"jo * {int64(floats)} + {int64(start + j * template.lanes)}"
                at += f" + {k} * {int64(template.jv)}"
                if _prefetched(template.schedule, j):
                    ahead = template.schedule.ahead * template.jv
                    text(prefetch(f"{packed}[{at} + {int64(ahead)}]"))
                loads.append(f"{packed}[{at} + l]")
            text(f"for r in T.unroll({int64(r)}):")
            text.depth += 1
            x = access.left(term, k, "r")
            for (g, j), w in zip(accumulators, loads, strict=True):
                text(_lane_loop(template))
                text(f"    a{g}_{j}[r, l] = a{g}_{j}[r, l] + {x} * {w}")
            text.depth -= 1

        _steps(text, term.k, template.schedule.unroll, step)


def _steps(text: Text, count: int, unroll: int, step: Callable[[str], None]) -> None:
    """The loop over k: `step(k)` writes one step, and an iteration has `unroll` of them."""
    turns, rest = divmod(count, unroll)
    if unroll == 1:
        text(f"for k in T.serial({int64(count)}):")
        text.depth += 1
        step("k")
        text.depth -= 1
        return
    if turns:
        text(f"for k in T.serial({int64(turns)}):")
        text(f"    for u in T.unroll({int64(unroll)}):")
        text.depth += 2
        step(f"(k * {int64(unroll)} + u)")
        text.depth -= 2
    if rest:
        text(f"for u in T.unroll({int64(rest)}):")
        text.depth += 1
        step(f"({int64(turns * unroll)} + u)")
        text.depth -= 1


def _prefetched(schedule: Schedule, j: int) -> bool:
    """Whether a step asks for the weights of vector `j` ahead of time."""
    at = j * schedule.lanes
    return schedule.ahead > 0 and (not schedule.by_line or at % LINE < schedule.lanes)


def _column(template: Template, j: int) -> str:
    return f"{first_column(template)} + {int64(j * template.lanes)} + l"


def _epilogue(text: Text, access: Access, template: Template, j: int) -> None:
    """The point-wise instructions and the stores for vector column `j` of the block.

    Every intermediate is a one-vector buffer, which LLVM turns back into a register. As a bound
    variable it would be expanded by TVM's simplifier wherever it is used, exponentially often.
    """
    spec = access.spec
    column = _column(template, j)
    bases = vector_offsets(spec, template)
    code: list[str] = []
    names: list[str] = []

    def bind(expression: str) -> str:
        name = f"e{j}_{len(names)}"
        names.append(name)
        code.append(f"{name}[l] = {expression}")
        return f"{name}[l]"

    values: list[str] = []
    for instr in spec.epilogue:
        if instr.fn == "acc":
            values.append(bind(f"a{instr.args[0]}_{j}[r, l]"))
        elif instr.fn in LEAVES:
            values.append(bind(leaf(access, bases, instr, column)))
        else:
            values.append(bind(point(spec, instr, [values[n] for n in instr.args], bind)))
    for store in spec.stores:
        at = access.store(store.place, store.offset, store.row_stride, column, "r")
        code.append(f"{at} = {values[store.value]}")
    for name in names:
        text(f"{name} = T.alloc_buffer(({int64(template.lanes)},), 'float32', scope='local')")
    text(_lane_loop(template))
    text.depth += 1
    for line in code:
        text(line)
    text.depth -= 1


def vector_offsets(spec: KernelSpec, template: Template) -> list[int]:
    """Where each shared vector begins in the packed vectors, in floats; each is over-allocated
    by a padded width, so that reading padding stays inside."""
    at = 0
    offsets: list[int] = []
    for n in spec.vectors:
        offsets.append(at)
        at += align(n) + template.width - spec.width
    offsets.append(at + 16)
    return offsets
