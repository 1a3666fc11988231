"""`fast.explain()`: describes in words what the compiler found."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ..driver.run import Compilation
from ..ir import batched as B
from ..ir import typed as T
from ..ir.batched_walk import statements
from ..kernels.printers.calling_convention import CompiledKernel
from ..kernels.printers.cuda.compiled import CudaKernel
from ..kernels.specification.spec import BlockPlan
from ..kernels.specification.weight_types import described
from ..runtime.profile import Profile


def explain(
    done: Compilation,
    kernels: Mapping[str, CompiledKernel | CudaKernel],
    last: Profile | None,
    tuned: Collection[str] = (),
) -> str:
    """Return a report on one compilation (shared operands, static blocks, kernels, decisions) and
    on the last call (which nodes ran one by one). `tuned`: the kernels whose schedules a search has
    found."""
    module = done.module
    counts = [_count(len(module.functions), "function"), _count(len(module.blocks), "static block")]
    lines = [f"entry {module.entry}: {', '.join(counts)}"]
    if done.options.gpu_mode == "persistent":
        lines.append("one launch per computation: a persistent kernel that runs all batches")
    for number, (block, plan) in enumerate(zip(module.blocks, done.plans, strict=True)):
        lines += ["", *_block(number, block, plan, kernels, tuned)]
    lines += ["", *_decisions(module), *_unbatched(module, last)]
    return "\n".join(lines) + "\n"


def _decisions(module: B.Module) -> list[str]:
    """Return lines that say where the program suspends until values are computed."""
    reads = [
        f"    {stmt.span}"
        for f in module.functions.values()
        for stmt in statements(f.body)
        if isinstance(stmt, B.Let) and isinstance(stmt.rhs, T.Read)
    ]
    if not reads:
        return ["no decision depends on a tensor: the whole mini-batch is one graph"]
    return ["decisions that depend on tensors, at which instances and branches suspend:", *reads]


def _unbatched(module: B.Module, last: Profile | None) -> list[str]:
    """Return lines that say which nodes ran one by one in the last call."""
    if last is None:
        return ["what ran one by one is known after a call"]
    if not last.alone:
        return ["last call: every node shared its batch with others"]
    counts = f"{_count(last.n_nodes, 'node')} in {_count(last.n_batches, 'batch', 'es')}"
    lines = [f"last call, {counts}; ran one by one:"]
    names = {b.name: b for b in module.blocks}
    for name, count in sorted(last.alone.items()):
        ops = ", ".join(dict.fromkeys(o.op.name for o in names[name].ops)) or "copy"
        lines.append(
            f"    {_count(count, 'node')} of {name} ({ops}): no other instance or branch had one "
            f"at the same depth" + (" between two decisions" if last.n_syncs else "")
        )
    return lines


def _block(
    number: int,
    block: B.Block,
    plan: BlockPlan,
    kernels: Mapping[str, CompiledKernel | CudaKernel],
    tuned: Collection[str],
) -> list[str]:
    where = f" ({block.ops[0].span})" if block.ops else ""
    operations = _count(len(block.ops), "operation")
    lines = [f"block {number} {block.name}{where}: {operations}, one node each run"]
    for title, names in (
        ("shared by the mini-batch", [f"{s.param} {s.var.type}" for s in block.shared]),
        ("per instance", [f"{g.var.name} {g.var.type}" for g in block.gathered]),
        ("per instance, a row of", [f"{t.param} {t.var.type}" for t in block.gathered_rows]),
    ):
        if names:
            lines.append(f"    {title}: {', '.join(names)}")
    for spec in plan.kernels:
        work = f"{spec.flops:,} flop per node" if spec.flops else "point-wise"
        work += f", {described(spec.weight_type)}" if spec.weight_type != "fp32" else ""
        lines += [
            f"    kernel {spec.name}: {_count(len(spec.gates), 'contraction')} and "
            f"{_count(len(spec.epilogue), 'point-wise instruction')} fused, "
            f"{_count(len(spec.stores), 'store')} of {spec.width}, {work},",
            f"        {_code(kernels[spec.name])}" + ", found by a search" * (spec.name in tuned),
        ]
    if len(plan.kernels) > 1:
        lines.append(f"    {len(plan.kernels)} kernels run per batch; intermediates in the record")
    return lines


def _code(kernel: CompiledKernel | CudaKernel) -> str:
    """Return how a kernel is divided into tiles and column blocks."""
    if isinstance(kernel, CompiledKernel):
        heights = ", ".join(map(str, kernel.tiles))
        return f"tiles of {heights} rows, {_count(kernel.column_blocks, 'column block')}"
    return "; ".join(
        f"from {_count(v.least_rows, 'row')} on tiles of {_count(v.tile_rows, 'row')}, "
        f"{_count(v.column_blocks, 'column block')}, {_count(v.warps, 'warp')}"
        for v in kernel.variants
    )


def _count(n: int, what: str, plural: str = "s") -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}{plural}"
