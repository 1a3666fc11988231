"""Plans as text: `fast.ir("specifications")`.

    block linear_tanh: record 16, scratch 0
      output 0 at record[0]
      kernel linear_tanh_k0: rows 1, width 5
        x0 = gathered input 0, 4 floats
        %0 = b[j]
        %1 = sum k < 4: x0[k] * w[k, j]
        %2 = add %1, %0
        %3 = tanh %2
        record[j] = %3

m is the row and j the column; operands are x0, x1, ..., weights have their paths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .print_expr import affine
from .spec import BlockPlan, Instr, KernelSpec, Operand, Term, strides
from .weight_types import described


def print_plan(plan: BlockPlan) -> str:
    """All kernels of a block, in the order in which they run."""
    lines = [f"block {plan.block}: record {plan.record}, scratch {plan.scratch}"]
    lines += [f"  output {n} at record[{at}]" for n, at in enumerate(plan.outputs)]
    for number, spec in enumerate(plan.kernels):
        stored = f", {described(spec.weight_type)}" if spec.weight_type != "fp32" else ""
        lines.append(f"  kernel {spec.name}: rows {spec.rows}, width {spec.width}{stored}")
        lines += [f"    {line}" for line in _kernel(plan, number, spec)]
    return "\n".join(lines) + "\n"


def _kernel(plan: BlockPlan, number: int, spec: KernelSpec) -> Iterator[str]:
    sources = iter(plan.operands[number])
    for n, operand in enumerate(spec.operands):
        where = _stored_operand(operand)
        if n in spec.indexed:
            kind, position, start = next(sources)
            where = f"{kind.replace('_', ' ')} input {position}"
            where += f" from {start} on" if start else ""
        yield f"x{n} = {where}, {operand.width} floats"
    weights, vectors = plan.weights[number], plan.vectors[number]
    for n, instr in enumerate(spec.epilogue):
        if instr.fn == "acc":
            terms = (_term(t, weights) for t in spec.gates[instr.args[0]].terms)
            yield f"%{n} = {' + '.join(terms)}"
        else:
            yield f"%{n} = {_instr(instr, vectors)}"
    for s in spec.stores:
        column = () if s.scalar else (("j", 1),)
        yield f"{s.place}[{affine(s.offset, ('m', s.row_stride), *column)}] = %{s.value}"


def _stored_operand(operand: Operand) -> str:
    return f"{'record' if operand.kind == 'self' else 'scratch'}[{operand.at}]"


def _term(t: Term, weights: Sequence[str]) -> str:
    left = f"x{t.operand}[{affine(t.offset, ('m', t.row_stride), ('k', t.k_stride))}]"
    if t.matrix is None:
        row, column = affine(t.row, ("k", 1)), affine(t.col, ("j", 1))
        if t.turned:
            row, column = column, row
        right = f"{weights[t.weight]}[{row}, {column}]"
    else:
        at = affine(t.matrix.offset, ("k", t.matrix.row_stride), ("j", t.matrix.col_stride))
        right = f"x{t.matrix.operand}[{at}]"
    return f"sum k < {t.k}: {left} * {right}"


def _instr(instr: Instr, vectors: Sequence[str]) -> str:
    match instr.fn:
        case "load" | "load_shared":
            offset, row_stride, col_stride = strides(instr)
            name = f"x{instr.args[0]}" if instr.fn == "load" else vectors[instr.args[0]]
            return f"{name}[{affine(offset, ('m', row_stride), ('j', col_stride))}]"
        case "lit":
            return repr(instr.value)
        case "col":
            return "j"
    return f"{instr.fn} {', '.join(f'%{a}' for a in instr.args)}"
