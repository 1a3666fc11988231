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
from . import matrix_unit
from .access import Access, first_column, int64, times, total
from .chosen import chosen_operands
from .expression import LEAVES, leaf, point
from .prefetch import LINE, prefetch, prefetches
from .row_kernel import row_tile
from .schedule import Schedule
from .stored_weights import stored
from .template import Template


def kernel_source(spec: KernelSpec, template: Template, r: int) -> str:
    """TVMScript of the variant with row tile `r`."""
    text = Text()
    text("@T.prim_func")
    indexed = spec.indexed
    pointers = [f"x{i}_: T.handle('float32'), o{i}_: T.handle('int32')" for i in indexed]
    args = ["out_: T.handle('float32')", "tmp_: T.handle('float32')", "q0: T.int64"]
    args += ["tiles: T.int64", "jo: T.int64"]
    args += [f"w_: T.handle('{stored(spec).dtype}')", "v_: T.handle('float32')", *pointers]
    text(f"def main({', '.join(args)}):")
    text.depth = 1
    name = f"{spec.name}_r{r}"
    text(f"T.func_attr({{'global_symbol': '{name}', 'tirx.noalias': True}})")
    for buffer, dtype in _buffers(spec):
        # Nothing checks the extent; the arrays are as long as they have to be.
        text(f"{buffer} = T.decl_buffer((T.int64({1 << 40}),), '{dtype}', data={buffer}_)")
    if stored(spec).scaled:
        text(f"s = T.decl_buffer((T.int64({1 << 40}),), 'float32', data=w_)")
    of_unit = spec.weight_type == "tiles"
    if of_unit:
        matrix_unit.begin(text, spec, template, r)
    text("for ib in T.serial(tiles):")
    text.depth = 2
    access = Access(spec, r, template.within_node)
    for line in access.prologue():
        text(line)
    if spec.gates:
        _tile(text, access, template, r)
    else:
        row_tile(text, access, template, vector_offsets(spec, template))
    text.depth = 1
    if of_unit:
        matrix_unit.end(text)
    return "\n".join(text.lines) + "\n"


def _buffers(spec: KernelSpec) -> list[tuple[str, str]]:
    found = [("out", "float32"), ("tmp", "float32")]
    found += [("w", stored(spec).dtype), ("v", "float32")]
    for i in spec.indexed:
        found += [(f"x{i}", "float32"), (f"o{i}", "int32")]
    return found


def _lane_loop(template: Template) -> str:
    # TVM does not vectorise a loop of one iteration.
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
    if spec.weight_type == "tiles":
        block = f"jo * {int64(packed_floats(spec, template))}"
        matrix_unit.products(text, access, template, r, block, offsets)
    else:
        for accumulators in template.passes(spec, r):
            _pass(text, access, template, r, accumulators, offsets)
    if stored(spec).scaled:
        _scale(text, template, spec, r)
    text(f"for r in T.serial({int64(r)}):")
    text.depth += 1
    for j in range(template.vectors):
        _epilogue(text, access, template, j)
    text.depth -= 1


def gate_offsets(spec: KernelSpec, template: Template) -> list[list[int]]:
    """Where each gate's terms begin within a column block of the packed weights, in elements."""
    at = 0
    offsets: list[list[int]] = []
    for gate in spec.gates:
        offsets.append([])
        for term in gate.terms:
            offsets[-1].append(at)
            at += stored(spec).elements(term) * template.jv if term.matrix is None else 0
    return offsets


def packed_floats(spec: KernelSpec, template: Template) -> int:
    """The size of the packed weights in one column block, with scales, in units of a float."""
    weights = weight_floats(spec, template)
    if not stored(spec).scaled:
        return weights
    return weights + align(len(spec.gates) * template.jv + 1)


def weight_floats(spec: KernelSpec, template: Template) -> int:
    """The size of the weights alone, which scales, if there are any, and a zero follow."""
    weights = stored(spec)
    terms = (t for g in spec.gates for t in g.terms if t.matrix is None)
    elements = sum(map(weights.elements, terms)) * template.jv
    return align(-(-elements // 4)) if weights.size == 1 else elements


def _pass(
    text: Text,
    access: Access,
    template: Template,
    r: int,
    accumulators: list[tuple[int, int]],
    offsets: list[list[int]],
) -> None:
    spec = access.spec
    weights, chosen = stored(spec), chosen_operands(spec, template)
    per_block = packed_floats(spec, template) * 4 // weights.size
    text(f"for r in T.unroll({int64(r)}):")
    text.depth += 1
    for g, j in accumulators:
        text(_lane_loop(template))
        text(f"    a{g}_{j}[r, l] = T.float32(0)")
    text.depth -= 1
    for t, term in enumerate(spec.gates[accumulators[0][0]].terms):

        def step(k: str, parts: int, t: int = t, term: Term = term) -> None:
            """Write the step of element `k`, of which the first `parts` k exist."""
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
                if _prefetched(template.schedule, j, weights.line):
                    ahead = -(-template.schedule.ahead // weights.step) * template.jv
                    text(prefetch(f"{packed}[{at} + {int64(ahead)}]"))
                loads.append(f"{packed}[{at} + l]")
            every = list(zip(accumulators, loads, strict=True))
            # The fewer of x and weights stay in registers; for elements with several k LLVM does
            # not find this order by itself.
            by_vector = weights.step > 1 and r * weights.step <= len(every)
            for some in [[one] for one in every] if by_vector else [every]:
                for part in range(parts):
                    text(f"for r in T.unroll({int64(r)}):")
                    text.depth += 1
                    wide = f"({total(times(k, weights.step), int64(part))})"
                    x = access.left(term, wide if weights.step > 1 else k, "r")
                    for (g, j), w in some:
                        text(_lane_loop(template))
                        w = weights.value(w, part)
                        text(f"    a{g}_{j}[r, l] = a{g}_{j}[r, l] + {x} * {w}")
                    text.depth -= 1

        _steps(text, term.k, weights.step, template.schedule.unroll, step)


def _scale(text: Text, template: Template, spec: KernelSpec, r: int) -> None:
    """Multiply the accumulators by the scales of their columns. A zero that LLVM does not know is
    added, so that no product is left that LLVM could fuse with an addition of the epilogue, in
    tiles of one height but not in those of another."""
    block = f"jo * {int64(packed_floats(spec, template))}"
    scales = weight_floats(spec, template)
    zero = f"s[{block} + {int64(scales + len(spec.gates) * template.jv)}]"
    text(f"for r in T.unroll({int64(r)}):")
    text.depth += 1
    for g in range(len(spec.gates)):
        for j in range(template.vectors):
            at = scales + g * template.jv + j * template.lanes
            text(_lane_loop(template))
            text(f"    a{g}_{j}[r, l] = {zero} + a{g}_{j}[r, l] * s[{block} + {int64(at)} + l]")
    text.depth -= 1


def _steps(text: Text, k: int, whole: int, unroll: int, step: Callable[[str, int], None]) -> None:
    """The loop over k: `step(n, parts)` writes the step that reads the elements number n, of which
    `parts` k exist, `whole` or the remainder; an iteration has `unroll` k."""
    count, parts = divmod(k, whole)
    if count or whole == 1:
        _turns(text, count, max(1, unroll // whole), lambda n: step(n, whole))
    if parts:
        step(int64(count), parts)


def _turns(text: Text, count: int, unroll: int, step: Callable[[str], None]) -> None:
    """A loop of `count` steps, `unroll` of them per iteration."""
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


def _prefetched(schedule: Schedule, j: int, line: int) -> bool:
    """Whether a step prefetches the weights of vector `j`. With AVX-512, several vectors share a
    cache line only if weights are bytes."""
    at, by_line = j * schedule.lanes, schedule.by_line or line > LINE
    return schedule.ahead > 0 and (not by_line or at % line < schedule.lanes)


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
    """Where each shared vector begins in the packed vectors, in floats; each is over-allocated by
    the padding of the width, so that reads of padding stay inside."""
    at = 0
    offsets: list[int] = []
    for n in spec.vectors:
        offsets.append(at)
        at += align(n) + template.width - spec.width
    offsets.append(at + 16)
    return offsets
