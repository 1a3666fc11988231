"""The layout that the generated program, its binding and the interpreter must agree on.

A `Layout` is computed once, after the last pass (`make_layout`). The emitter (aot/) writes it as
C++ tables, the binding (runtime/) passes weights and receives counts in its order, and the
interpreter (vm/) records and runs nodes by it: none of them derives any part of it again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .analysis.decisions import suspending_functions
from .analysis.memoisable import memoises
from .analysis.scheduling import (
    Once,
    arena_weight_offsets,
    hoisted_blocks,
    once_blocks,
    subphases,
)
from .errors import AcrobatError
from .ir import batched as B
from .ir import typed as T
from .ir.batched_walk import statements
from .ir.host_functions import HOST_FUNCTIONS, LESS
from .ir.type_queries import ClassAndNames, class_and_names
from .ir.types import (
    ListType,
    MemberType,
    TensorType,
    TextType,
    TupleType,
    align,
)
from .kernels.printers.cpu.schedule import Schedule
from .kernels.specification.spec import BlockPlan, KernelSpec
from .limits import MAX_DATA_TYPES
from .options import Options

# In the order of `enum class Scheduler` (schedule/schedule.h).
SCHEDULERS: Final = ("inline_depth", "runtime_depth", "agenda", "lookahead", "auto")


@dataclass(frozen=True, slots=True)
class OperandSource:
    """Where a kernel finds an operand of a node: `start` floats after the offset given by the
    node's argument number `argument`, in the weight `tables[table]`, or in the arena if `table` is
    -1. C++ has an `OperandSource`, too."""

    argument: int
    table: int
    start: int


@dataclass(frozen=True, slots=True)
class KernelLayout:
    """A kernel of a block. `weights` and `vectors` name the weights that are packed for it; the
    kernels of all blocks are numbered in order, and the packed arrays of kernel q are 2q and 2q + 1
    of `Config.packed`. `schedule`: how it is tiled on this CPU; None: by the rule."""

    spec: KernelSpec
    number: int
    weights: tuple[str, ...]
    vectors: tuple[str, ...]
    sources: tuple[OperandSource, ...]
    schedule: Schedule | None = None


@dataclass(frozen=True, slots=True)
class BlockLayout:
    """A static block. A node's arguments are the references of its operands (`widths`: the number
    of floats of each), then the offsets of its gathered rows. `hoisted`: its nodes run ahead of
    time. `once`: one node serves all instances that read the same row of a weight. `clustered`: the
    arguments by which the nodes of a batch are clustered: choices among the matrices of tables."""

    block: B.Block
    plan: BlockPlan
    kernels: tuple[KernelLayout, ...]
    widths: tuple[int, ...]
    hoisted: bool
    once: Once | None
    clustered: tuple[int, ...]

    @property
    def work(self) -> int:
        """The estimated cost of a node on a core, in floating-point operations of a contraction; a
        point-wise instruction counts for more, because it also waits for memory."""
        specs = [k.spec for k in self.kernels]
        return sum(s.flops + 16 * s.rows * s.width * len(s.epilogue) for s in specs)


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of one program.

    `datas` are the data types in the order of their tags. `tables` are the weights that kernels
    read by row, in the order of `Config.tables`; `arena_weights` those that are read through
    references, with their offsets in the arena, whose first `arena_weight_floats` floats they
    occupy. The entry has `phases`, each divided into `subphases` by what it aligns. `suspending`
    are the functions that may reach a tensor-dependent decision. `memoises`: calls on objects that
    occur more than once run once. `scheduler` is an index of `SCHEDULERS`."""

    module: B.Module
    blocks: tuple[BlockLayout, ...]
    datas: tuple[T.DataDef, ...]
    tables: tuple[str, ...]
    arena_weights: Mapping[str, int]
    arena_weight_floats: int
    phases: int
    subphases: int
    suspending: frozenset[str]
    memoises: bool
    scheduler: int

    @property
    def enumerations(self) -> tuple[MemberType, ...]:
        """The enumerations whose members occur in instances and results."""
        module, found = self.module, dict[MemberType, None]()
        work = [*module.instance, *module.functions[module.entry].results]
        work += [t for d in self.datas for _, t in d.fields]
        while work:
            match work.pop():
                case MemberType() as t:
                    found[t] = None
                case ListType(item):
                    work.append(item)
        return tuple(found)

    @property
    def tuple_classes(self) -> tuple[ClassAndNames, ...]:
        """The named tuples, plain classes and dicts with known keys whose objects occur in
        instances and results, each once."""
        found = dict[ClassAndNames, None]()
        work = [self.module.result, *self.module.arguments]
        work += [t for d in self.datas for _, t in d.given]
        while work:
            match work.pop():
                case TupleType(items) as t:
                    made_of = class_and_names(t)
                    if made_of is not None:
                        found[made_of] = None
                    work += items
                case ListType(item):
                    work.append(item)
        return tuple(found)

    @property
    def host_functions(self) -> tuple[str, ...]:
        """The functions that the program leaves to Python (`ir/host_functions.py`), by number."""
        bodies = (f.body for f in self.module.functions.values())
        values = (s.rhs for body in bodies for s in statements(body) if isinstance(s, B.Let))
        found: dict[str, None] = {}
        for value in values:
            match value:
                case T.Scalar(op) if op in HOST_FUNCTIONS:
                    found[op] = None
                case T.ListOp("order", (T.Var(type=ListType(TextType())),)):
                    found[LESS] = None
        return tuple(found)

    @property
    def phase_numbers(self) -> int:
        """The number of phases, subphases included."""
        return self.phases * self.subphases

    @property
    def phased(self) -> bool:
        """Whether nodes carry the number of their phase."""
        return self.phase_numbers > 1

    @property
    def inline_depth(self) -> bool:
        """Whether the program counts depths while it runs."""
        return SCHEDULERS[self.scheduler] in ("inline_depth", "auto")

    @property
    def kernels(self) -> tuple[KernelLayout, ...]:
        """The kernels of all blocks, by number."""
        return tuple(k for b in self.blocks for k in b.kernels)

    @property
    def schedules(self) -> Mapping[str, Schedule]:
        """The schedules of the kernels that do not use the rule's, by name."""
        return {k.spec.name: k.schedule for k in self.kernels if k.schedule is not None}


def make_layout(
    module: B.Module,
    plans: Sequence[BlockPlan],
    options: Options,
    schedules: Mapping[str, Schedule] | None = None,
) -> Layout:
    """Make the layout of a module whose blocks have these plans; `schedules` are those of the
    kernels that do not use the rule's, by name. AcrobatError if the module has more data types than
    a union has bits to tell its members apart."""
    if len(module.datas) > MAX_DATA_TYPES:
        raise AcrobatError(
            f"the model has {len(module.datas)} data types; it may have {MAX_DATA_TYPES}"
        )
    tables = tuple(sorted({t.param for b in module.blocks for t in b.gathered_rows}))
    arena_weights = arena_weight_offsets(module)
    hoisted = hoisted_blocks(module)
    once = once_blocks(module) if options.deduplication else {}
    blocks: list[BlockLayout] = []
    number = 0
    for i, (block, plan) in enumerate(zip(module.blocks, plans, strict=True)):
        kernels = _kernels(block, plan, tables, number, schedules or {})
        number += len(kernels)
        widths = tuple(_size(g.var) for g in block.gathered)
        clustered = _clustered(block, kernels)
        blocks.append(
            BlockLayout(block, plan, kernels, widths, i in hoisted, once.get(i), clustered)
        )
    entry = module.functions[module.entry].body
    return Layout(
        module=module,
        blocks=tuple(blocks),
        datas=tuple(sorted(module.datas.values(), key=lambda d: d.tag)),
        tables=tables,
        arena_weights=arena_weights,
        arena_weight_floats=sum(align(module.weights[w].size) for w in arena_weights),
        phases=1
        + sum(isinstance(s, B.Let) and isinstance(s.rhs, T.NextPhase) for s in entry.stmts),
        subphases=subphases(module),
        suspending=suspending_functions(module),
        memoises=options.memoisation and memoises(module),
        scheduler=SCHEDULERS.index(options.scheduler),
    )


def _kernels(
    block: B.Block,
    plan: BlockPlan,
    tables: Sequence[str],
    first: int,
    schedules: Mapping[str, Schedule],
) -> tuple[KernelLayout, ...]:
    found = []
    for q, spec in enumerate(plan.kernels):
        sources = tuple(
            OperandSource(n, -1, start)
            if kind == "gathered"
            else OperandSource(
                len(block.gathered) + n, tables.index(block.gathered_rows[n].param), start
            )
            for kind, n, start in plan.operands[q]
        )
        found.append(
            KernelLayout(
                spec,
                first + q,
                tuple(plan.weights[q]),
                tuple(plan.vectors[q]),
                sources,
                schedules.get(spec.name),
            )
        )
    return tuple(found)


def _clustered(block: B.Block, kernels: Sequence[KernelLayout]) -> tuple[int, ...]:
    """The arguments that choose matrices, one for each choice, those with the most arithmetic
    first."""
    flops: dict[int, int] = {}
    arguments: dict[int, int] = {}
    for kernel in kernels:
        spec = kernel.spec
        for operand in spec.chosen:
            argument = kernel.sources[spec.indexed.index(operand)].argument
            choice = block.gathered_rows[argument - len(block.gathered)].choice
            terms = (t for g in spec.gates for t in g.terms)
            read = sum(t.k for t in terms if t.matrix and t.matrix.operand == operand)
            arguments.setdefault(choice, argument)
            flops[choice] = flops.get(choice, 0) + spec.rows * spec.width * read
    return tuple(arguments[c] for c in sorted(flops, key=lambda c: -flops[c]))


def _size(var: T.Var) -> int:
    assert isinstance(var.type, TensorType)
    return var.type.size
