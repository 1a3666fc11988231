"""A module in training form: its blocks, their adjoints, and the layout that both share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..driver.run import Compilation
from ..ir import batched as B
from ..ir import typed as T
from ..kernels.lowering.block import lower_block
from ..kernels.schedules import schedules_for
from ..kernels.specification.spec import BlockPlan
from ..layout import Layout, make_layout
from .adjoint import adjoint
from .emitter import dims_of
from .records import Adjoint, Source


@dataclass(frozen=True, slots=True)
class TrainedBlock:
    """A static block of the forward program. `outputs` are the offsets in its record of all outputs
    of its training form, those of the block itself first; `own` are the sizes of the latter, in
    floats. `number` is the number of its adjoint in the layout, None if it has none; `results` are
    the offsets of the outputs in the adjoint's record."""

    adjoint: Adjoint
    outputs: tuple[int, ...]
    own: tuple[int, ...]
    number: int | None
    results: tuple[int, ...]

    def place(self, source: Source) -> int:
        """Where a value begins within what contains it: a record, an operand or row, or the
        gradient of an output."""
        if source.place == "output":
            return self.outputs[source.number] + source.start
        if source.place == "adjoint":
            return self.results[source.number] + source.start
        return source.start


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """`layout` has the blocks of the forward program, whose records also hold the kept values, and
    after them the adjoint blocks. `blocks[b]` is the training information on forward block b."""

    layout: Layout
    blocks: tuple[TrainedBlock, ...]


def training_plan(done: Compilation) -> TrainingPlan:
    """The training form of a module that the pipeline has compiled."""
    module, options = done.module, done.options
    trained = trained_weights(done)
    names = {b.name for b in module.blocks}
    adjoints: list[Adjoint] = []
    for block in module.blocks:
        made = adjoint(block, trained)
        if made.backward is not None:
            made = replace(made, backward=_renamed(made.backward, names))
        adjoints.append(made)

    def lower(block: B.Block) -> BlockPlan:
        return lower_block(block, options.kernel_fusion, options.horizontal_fusion)

    plans = [lower(a.forward) for a in adjoints]
    backwards = [a.backward for a in adjoints if a.backward is not None]
    blocks: list[TrainedBlock] = []
    added: list[BlockPlan] = []
    for made, plan in zip(adjoints, plans, strict=True):
        number: int | None = None
        results: tuple[int, ...] = ()
        if made.backward is not None:
            number = len(adjoints) + len(added)
            added.append(lower(made.backward))
            results = added[-1].outputs
        sizes = tuple(math.prod(dims_of(v)) for v in made.forward.outputs[: made.own])
        blocks.append(TrainedBlock(made, plan.outputs, sizes, number, results))
    # A node has handles only for the block's own outputs.
    own = [replace(p, outputs=p.outputs[: a.own]) for p, a in zip(plans, adjoints, strict=True)]
    whole = replace(module, blocks=(*module.blocks, *backwards))
    specs = [k for p in (*own, *added) for k in p.kernels]
    schedules = schedules_for(specs) if options.autoschedule else {}
    layout = make_layout(whole, [*own, *added], options, schedules)
    return TrainingPlan(layout, tuple(blocks))


def _renamed(block: B.Block, names: set[str]) -> B.Block:
    name, n = block.name, 1
    while name in names:
        n += 1
        name = f"{block.name}_{n}"
    names.add(name)
    return replace(block, name=name)


def trained_weights(done: Compilation) -> frozenset[str]:
    """The paths of all weights that have a gradient: those of the model, and those that the
    compiler folded from them."""
    folded: Mapping[str, T.FoldedWeight] = done.typed.folded
    found = set(done.weights) - set(folded)
    for path, weight in folded.items():
        work: list[T.Weight | T.FoldedWeight | T.Const] = [weight]
        while work:
            part = work.pop()
            if isinstance(part, T.Weight):
                found.add(path)
                break
            if isinstance(part, T.FoldedWeight):
                work += part.args
    return frozenset(found)
