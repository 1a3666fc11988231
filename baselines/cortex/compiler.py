"""Compiles a declared recursion: cells to blocks, blocks to kernels, structure to C++."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from acrobat.aot.build import COMMON, CUDA_RESULTS, RuntimeBuild, RuntimeSources, build_program
from acrobat.cache import rebuild_damaged
from acrobat.ir import batched as B
from acrobat.ir import typed as T
from acrobat.ir.dims import Dim
from acrobat.ir.types import TensorType
from acrobat.kernels.printers.cpu.build import build_kernels
from acrobat.kernels.schedules import schedules_for
from acrobat.kernels.specification.spec import BlockPlan
from acrobat.layout import make_layout
from acrobat.options import Options
from acrobat.pipeline import run_pipeline
from acrobat.runtime.gpu import find_gpu
from acrobat.runtime.program import Program

from .cells import Cell, compile_cell, plan_of
from .emit import CortexEmitter, stub
from .layout import Message, SequenceLayout, StepLayout, TreeLayout
from .project import project
from .recursions import Direction, Recursion, SequenceRecursion, TreeRecursion
from .refactor import refactor

HEADERS = Path(__file__).parent / "cpp"
INCLUDE = (HEADERS, HEADERS / "cortex")


@dataclass(frozen=True, slots=True)
class Schedule:
    """How a recursion runs. `unroll`: the number of levels between two barriers; `refactor`:
    products that depend on one child move to the child; `project`: products that depend only on an
    item of a sequence are computed first, for all items."""

    unroll: int = 1
    refactor: bool = False
    project: bool = False


class NothingToDo(Exception):
    """The recursion has no product that a schedule could move."""


@dataclass(slots=True)
class _Compilation:
    """The blocks, kernels, weights and functions of all cells of a recursion, collected."""

    params: Any
    blocks: list[B.Block] = field(default_factory=list)
    plans: list[BlockPlan] = field(default_factory=list)
    weights: dict[str, np.ndarray] = field(default_factory=dict)
    functions: list[B.Function] = field(default_factory=list)

    def cell(self, model: Any) -> Cell:
        made = compile_cell(model, self.params)
        self.weights |= made.weights
        self.functions.append(replace(made.function, body=_without_runs(made.function.body)))
        return made

    def add(self, block: B.Block | None, name: str) -> int:
        """Add a block and its kernels under the name `name`; returns its number, -1 for None."""
        if block is None:
            return -1
        self.blocks.append(replace(block, name=name))
        self.plans.append(plan_of(self.blocks[-1]))
        return len(self.blocks) - 1

    def outputs(self, cell: Cell, block: int) -> tuple[int, ...]:
        """The offsets of a cell's results in a record of its block."""
        if block < 0:
            return (0,) * len(cell.results)
        at = self.plans[block].outputs
        return tuple(at[cell.output(i)] for i in range(len(cell.results)))


def compile_recursion(
    recursion: Recursion,
    model: Any,
    params: Any,
    schedule: Schedule,
    threads: int,
    device: str = "cpu",
) -> tuple[Program, float]:
    """Compile a recursion for "cpu" or "cuda"; returns the program and the seconds it took. `model`
    is the workload's entry: the program has its instances and results. NothingToDo if `schedule`
    would move products and there are none."""
    start = time.perf_counter()
    program = rebuild_damaged(lambda: _compile(recursion, model, params, schedule, threads, device))
    return program, time.perf_counter() - start


def _compile(
    recursion: Recursion,
    model: Any,
    params: Any,
    schedule: Schedule,
    threads: int,
    device: str,
) -> Program:
    entry = run_pipeline(model, params, Options()).module
    parts = _Compilation(params)
    structure: TreeLayout | SequenceLayout
    if isinstance(recursion, TreeRecursion):
        structure = _tree(recursion, parts, entry, schedule)
    else:
        structure = _sequence(recursion, parts, schedule)
    functions = {entry.entry: stub(entry.functions[entry.entry])}
    functions |= {f"{f.name}_{i}": f for i, f in enumerate(parts.functions)}
    module = replace(
        entry,
        functions=functions,
        blocks=tuple(parts.blocks),
        weights={n: _tensor_type(a) for n, a in parts.weights.items()},
    )
    options = Options(threads=threads)
    build = _on_gpu if device == "cuda" else _on_cpu
    return build(module, parts, structure, options)


def _on_cpu(
    module: B.Module,
    parts: _Compilation,
    structure: TreeLayout | SequenceLayout,
    options: Options,
) -> Program:
    specs = [k for p in parts.plans for k in p.kernels]
    schedules = schedules_for(specs)
    built = build_kernels(specs, schedules=schedules)
    layout = make_layout(module, parts.plans, options, schedules)
    source = CortexEmitter(layout, built.kernels, options, structure).program()
    library, _ = build_program(source, built.paths, RuntimeBuild(RuntimeSources(COMMON, INCLUDE)))
    return Program(library, layout, parts.weights, options)


def _on_gpu(
    module: B.Module,
    parts: _Compilation,
    structure: TreeLayout | SequenceLayout,
    options: Options,
) -> Program:
    """Build the program that runs all levels in one persistent kernel."""
    from acrobat.kernels.printers.cuda.build import build_cuda_kernels
    from acrobat.runtime.cuda_program import CudaProgram

    gpu = find_gpu()
    specs = [k for p in parts.plans for k in p.kernels]
    kernels = build_cuda_kernels(specs, gpu.arch, options.precision, True, gpu.processors)
    layout = make_layout(module, parts.plans, options)
    source = CortexEmitter(layout, kernels, options, structure).program()
    runtime = RuntimeSources((*COMMON, CUDA_RESULTS), INCLUDE)
    library, _ = build_program(source, (), RuntimeBuild(runtime))
    return CudaProgram(library, layout, parts.weights, options, kernels, gpu)


def _tree(r: TreeRecursion, parts: _Compilation, entry: B.Module, schedule: Schedule) -> TreeLayout:
    if schedule.project:
        raise NothingToDo("the leaves of a tree are a dense batch of their own as it is")
    leaf, node = parts.cell(r.leaf), parts.cell(r.node)
    assert node.block is not None
    leaf_block = parts.add(leaf.block, leaf.function.name)
    states, children = len(node.results), len(r.children)
    # The node's tensor parameters are the first child's states, the second's, and so on.
    place = {
        g.var: divmod(n, states) for g, n in zip(node.block.gathered, node.operands, strict=True)
    }
    block, messages = node.block, [Message(-1, (), ())] * children
    sources: dict[T.Var, tuple[int, bool, int]] = {v: (c, False, s) for v, (c, s) in place.items()}
    if schedule.refactor:
        owner = {v: c for v, (c, _) in place.items()}
        done = refactor(block, owner, children, parts.weights)
        if done is None:
            raise NothingToDo(f"no product of {node.function.name} depends on one child alone")
        block = done.node
        parts.weights |= done.weights
        for c, made in enumerate(done.messages):
            number = parts.add(made, f"{node.function.name}_message_{c}")
            at = parts.plans[number].outputs if made else ()
            messages[c] = Message(number, tuple(place[v][1] for v in done.reads[c]), at)
            sources |= {v: (c, True, k) for k, v in enumerate(done.sent[c])}
    node_block = parts.add(block, node.function.name)
    leaf_data, node_data = (entry.datas[t.__name__] for t in (r.leaf_type, r.node_type))
    names = [n for n, _ in node_data.fields]
    return TreeLayout(
        node_tag=node_data.tag,
        leaf_field=[n for n, _ in leaf_data.fields].index(r.leaf_field),
        child_fields=tuple(names.index(c) for c in r.children),
        leaf=leaf,
        leaf_block=leaf_block,
        leaf_states=parts.outputs(leaf, leaf_block),
        node_block=node_block,
        node_states=parts.outputs(node, node_block),
        node_operands=tuple(sources[g.var] for g in block.gathered),
        messages=tuple(messages),
        root_states=r.result,
        unroll=schedule.unroll,
    )


def _sequence(r: SequenceRecursion, parts: _Compilation, schedule: Schedule) -> SequenceLayout:
    if schedule.refactor:
        raise NothingToDo(
            "a step of a sequence has one child, whose step would only take over all of its work"
        )
    steps = tuple(_step(d, parts, schedule) for d in r.directions)
    output = parts.cell(r.output)
    output_block = parts.add(output.block, output.function.name)
    states = len(steps[0].states)
    return SequenceLayout(
        steps=steps,
        output_block=output_block,
        output_operands=tuple(divmod(n, states) for n in output.operands),
        output_at=parts.outputs(output, output_block)[0],
        unroll=schedule.unroll,
    )


def _step(direction: Direction, parts: _Compilation, schedule: Schedule) -> StepLayout:
    cell = parts.cell(direction.step)
    whole = block = cell.block
    assert whole is not None and block is not None
    before: B.Block | None = None
    sent: tuple[T.Var, ...] = ()
    if schedule.project:
        done = project(block)
        if done is None:
            raise NothingToDo(f"no product of {cell.function.name} depends on the item alone")
        block, before, sent = done.step, done.inputs, done.sent
    gathered = zip(whole.gathered, cell.operands, strict=True)
    state = {g.var: (False, n) for g, n in gathered}
    sources: dict[T.Var, tuple[bool, int]] = state | {v: (True, k) for k, v in enumerate(sent)}
    tables = [t.var for t in whole.gathered_rows]
    input_block = parts.add(before, f"{cell.function.name}_inputs")
    number = parts.add(block, cell.function.name)
    return StepLayout(
        cell=cell,
        reversed=direction.reversed,
        block=number,
        states=parts.outputs(cell, number),
        operands=tuple(sources[g.var] for g in block.gathered),
        step_tables=tuple(tables.index(t.var) for t in block.gathered_rows),
        input_block=input_block,
        inputs=parts.plans[input_block].outputs if before else (),
        input_tables=tuple(tables.index(t.var) for t in before.gathered_rows) if before else (),
        starts=tuple(_zeros(parts, v) for v in cell.results),
    )


def _zeros(parts: _Compilation, like: T.Var) -> str:
    """Add a weight of zeros with the shape of a state, which lies in the arena; its name."""
    assert isinstance(like.type, TensorType)
    name = f"zeros({like.type})"
    parts.weights[name] = np.zeros([d.known or 0 for d in like.type.dims], np.float32)
    read = B.Let((T.Var("zeros", like.type),), B.WeightReference(name))
    region = B.Region((read,), T.Return(()))
    parts.functions.append(B.Function("start", (), (), region))
    return name


def _without_runs(region: B.Region) -> B.Region:
    stmts = tuple(s for s in region.stmts if isinstance(s, B.Let))
    return B.Region(stmts, T.Return(()))


def _tensor_type(array: np.ndarray) -> TensorType:
    return TensorType(tuple(Dim.of(n) for n in array.shape))
