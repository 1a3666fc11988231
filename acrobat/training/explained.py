"""The text of `step.explain()` for compiled gradients."""

from __future__ import annotations

from ..backward.plan import TrainingPlan


def explained(plan: TrainingPlan) -> str:
    """Describe the backward pass of every static block: its adjoint, the values kept for it, and
    the weights whose gradient is a product or a sum over all nodes of the mini-batch."""
    lines = ["compiled: the batches of the forward run, backwards"]
    layout = plan.layout
    for n, block in enumerate(plan.blocks):
        adjoint = block.adjoint
        lines += ["", f"block {n} {adjoint.forward.name}"]
        if block.number is None:
            lines.append("    nothing to compute backwards")
        else:
            kernels = len(layout.blocks[block.number].kernels)
            lines.append(f"    adjoint of {kernels} kernel{'' if kernels == 1 else 's'}")
        kept = len(adjoint.forward.outputs) - adjoint.own
        lines.append(f"    kept for it: {kept} value{'' if kept == 1 else 's'} of a node")
        for weight in sorted({p.weight for p in adjoint.products}):
            lines.append(f"    gradient of {weight}: one product over all nodes of a mini-batch")
        for weight in sorted({s.weight for s in adjoint.sums}):
            lines.append(f"    gradient of {weight}: a sum over all nodes of a mini-batch")
    return "\n".join(lines) + "\n"
