"""`fast.explain(instances)`: for every function and loop, how far the number of batches is from its
bound, why, and what helps."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping

import numpy as np

from ..layout import SCHEDULERS, Layout
from ..options import Options
from ..runtime.object_inputs import ObjectInputs
from ..vm.kernels import BatchRunner
from ..vm.program import VmProgram
from ..vm.reference_kernels import ReferenceKernels
from .batching import Seen, Share, levels, look_at, shares
from .reasons import LOOKAHEAD, by_kind, count, reasons

_WIDTH = 100


def watched_program(
    layout: Layout, weights: Mapping[str, np.ndarray], options: Options
) -> VmProgram:
    """Return the program that `explain_batches` runs: control flow in Python, kernels in numpy."""
    kernels: BatchRunner = ReferenceKernels(layout, weights)
    return VmProgram(layout, weights, options, kernels)


def explain_batches(program: VmProgram, inputs: ObjectInputs) -> str:
    """Run one mini-batch and describe its batches, place by place. RecursionLimitError if an
    instance is too deep."""
    graph, watch = program.watch(inputs)
    if not graph.nodes:
        return f"{count(inputs.count, 'instance')}: no node, no batch\n"
    seen = look_at(program.layout, graph, watch)
    lines = list(_summary(seen, inputs.count))
    depths = levels(seen)
    for share in shares(seen):
        lines += ["", *_wrapped(_head(share), "")]
        for reason in reasons(seen, share, depths):
            lines += _wrapped(reason.why, "    ")
            if reason.helps:
                lines += _wrapped(f"helps: {reason.helps}", "        ")
    return "\n".join(lines) + "\n"


def _summary(seen: Seen, instances: int) -> Iterator[str]:
    batches, bound = len(set(seen.ran)), sum(by_kind(seen).values())
    ahead, free = len(set(seen.ahead)), len(set(seen.free))
    yield (
        f"{count(instances, 'instance')}, {count(len(seen.nodes), 'node')}: "
        f"{count(batches, 'batch', 'es')}, bound {bound} ({batches / bound:.2f})"
    )
    if ahead < batches and SCHEDULERS[seen.layout.scheduler] != "lookahead":
        yield f"    {ahead} with {LOOKAHEAD}"
    waits = len(seen.waits) - 1
    if waits:
        text = f"    {count(waits, 'wait')} for decisions"
        less = f"; {free} batches if what is recorded waited for all instances"
        yield text + (less if free < min(ahead, batches) else "")


def _head(share: Share) -> str:
    ratio = share.batches / share.bound
    nodes, batches = count(len(share.members), "node"), count(share.batches, "batch", "es")
    if share.batches <= share.bound:
        return f"{share.place}: {nodes} in {batches}, the bound"
    return f"{share.place}: {nodes} in {batches}, bound {share.bound} ({ratio:.2f})"


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + "    ",
        break_on_hyphens=False,
        break_long_words=False,
    )
