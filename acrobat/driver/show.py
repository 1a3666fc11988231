"""Text of whatever a pass makes, and its check."""

from __future__ import annotations

from ..ir import batched as B
from ..ir import typed as T
from ..ir.batched_verify import verify_batched
from ..ir.printer import print_batched, print_typed
from ..ir.typed_verify import verify_typed
from ..kernels.specification.spec import BlockPlan, KernelSpec
from .records import Product


def text_of(product: Product) -> str:
    """A module or kernel specifications as text."""
    if isinstance(product, T.Module):
        return print_typed(product)
    if isinstance(product, B.Module):
        return print_batched(product)
    return "\n".join(map(_plan, product))


def verify(product: Product) -> None:
    """CompilerBug if a module breaks an invariant of its IR."""
    if isinstance(product, T.Module):
        verify_typed(product)
    elif isinstance(product, B.Module):
        verify_batched(product)


def _plan(plan: BlockPlan) -> str:
    lines = [f"block {plan.block}: record {plan.record}, scratch {plan.scratch} floats"]
    lines.append(f"    outputs at {', '.join(map(str, plan.outputs))}")
    for number, spec in enumerate(plan.kernels):
        lines += [f"    {line}" for line in _kernel(plan, number, spec)]
    return "\n".join(lines) + "\n"


def _kernel(plan: BlockPlan, number: int, spec: KernelSpec) -> list[str]:
    lines = [f"kernel {spec.name}: {spec.rows} x {spec.width}"]
    sources = iter(plan.rows[number])
    for i, operand in enumerate(spec.operands):
        where = f"at {operand.at}"
        if i in spec.indexed:
            kind, position, start = next(sources)
            where = f"{kind} {position} from {start} on"
        lines.append(f"    operand {i}: {operand.kind}, {where}, {operand.width} floats")
    for what, names in (("weight", plan.weights[number]), ("vector", plan.vectors[number])):
        lines += [f"    {what} {i}: {name}" for i, name in enumerate(names)]
    for i, gate in enumerate(spec.gates):
        lines += [f"    acc {i} += {term}" for term in gate.terms]
    for i, instr in enumerate(spec.epilogue):
        value = f" {instr.value}" if instr.fn == "lit" else ""
        lines.append(f"    %{i} = {instr.fn}({', '.join(map(str, instr.args))}){value}")
    lines += [f"    {s.place}[{s.offset}] = %{s.value}" for s in spec.stores]
    return lines
