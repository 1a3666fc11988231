"""The compiler as a list: every stage and pass from a model function to kernel specifications.

Read `PIPELINE` from top to bottom: it is the paper's method. What follows it is generated code,
which depends on the target (`compiler.py`): kernels (TIR for the CPU, Triton for NVIDIA GPUs) from
the specifications, C++ from the batched module. `fast.ir(name)` shows what a pass made, and
`ACROBAT_DUMP=<folder>` writes it for all of them.
"""

from __future__ import annotations

from typing import Any

from .driver.dump import Dump
from .driver.records import Context, Pass, Stage
from .driver.run import Compilation, run_stages
from .frontend.module import lower_model
from .ir import batched as B
from .kernels.lowering.block import lower_block
from .kernels.lowering.weight_storage import store_weights_as
from .kernels.specification.spec import BlockPlan
from .kernels.specification.weight_types import WeightType
from .lang.model import Model
from .lang.params import sizes, weights
from .options import Options
from .transform.bind_dims import bind_dims
from .transform.check_shapes import check_shapes
from .transform.distribute_loops import distribute_loops
from .transform.drop_results import drop_results
from .transform.flatten_tuples import flatten_tuples
from .transform.float_invariants import float_invariants
from .transform.fork_calls import fork_calls
from .transform.form_blocks import form_blocks
from .transform.helpers.fold_weights import fold_weights
from .transform.helpers.open_run import Grouping
from .transform.infer_parallelism import infer_parallelism
from .transform.infer_phases import infer_phases, without_phases
from .transform.inline_calls import inline_calls
from .transform.number_dropouts import number_dropouts
from .transform.number_vars import number_vars
from .transform.order_blocks import order_blocks
from .transform.pad_branches import pad_branches
from .transform.prune_dead import prune_dead
from .transform.reduce_as_trees import reduce_as_trees
from .transform.sink_choices import sink_choices
from .transform.specialise import specialise
from .transform.speculate import speculate


def _grouping(options: Options) -> Grouping:
    return Grouping(
        coarsen=options.grain_size_coarsening,
        share=options.parameter_reuse != "off",
        hoist=options.hoisting,
    )


def _lower_blocks(
    module: B.Module, kernel_fusion: bool, horizontal_fusion: bool, weight_type: WeightType
) -> tuple[BlockPlan, ...]:
    plans = (lower_block(b, kernel_fusion, horizontal_fusion) for b in module.blocks)
    return tuple(store_weights_as(plan, weight_type) for plan in plans)


PIPELINE = (
    Stage(
        "front end",
        "Python's syntax tree becomes the typed IR; what is not in the language is refused.",
        (
            Pass(
                "typed",
                lower_model,
                "Everything begins with what the author wrote.",
                extra=lambda c: (c.params,),
            ),
        ),
    ),
    Stage(
        "normal form",
        "Shapes become numbers, tuples and calls disappear: only recursion still calls.",
        (
            Pass(
                "number_dropouts",
                number_dropouts,
                "First, while calls are those that the author wrote, by which plain Python counts.",
                extra=lambda c: (c.training,),
            ),
            Pass(
                "bind_dims",
                bind_dims,
                "Early, for from here on every dimension is a number.",
                extra=lambda c: (sizes(c.params),),
                verified=False,
            ),
            Pass(
                "check_shapes",
                check_shapes,
                "As soon as they are numbers, what names could not tell is checked.",
            ),
            Pass(
                "flatten_tuples",
                flatten_tuples,
                "Before any analysis of values: a tuple would hide which part of it is shared.",
            ),
            Pass(
                "prune_dead",
                prune_dead,
                "Before inlining, which copies what it finds.",
            ),
            Pass(
                "inline_calls",
                inline_calls,
                "Before parameter reuse: what is inlined needs no calling context, and a static "
                "block cannot reach across a call.",
            ),
            Pass(
                "drop_results",
                drop_results,
                "After inlining, when a function's own contractions are in sight.",
            ),
            Pass(
                "inline_calls_2",
                inline_calls,
                "A copy with fewer results may not recurse any more.",
            ),
        ),
    ),
    Stage(
        "concurrency",
        "What does not depend on each other is concurrent, also where the author did not say so.",
        (
            Pass(
                "reduce_as_trees",
                reduce_as_trees,
                "Before loops are distributed, for it leaves no loop.",
                when=lambda o: o.inferred_parallelism,
            ),
            Pass(
                "distribute_loops",
                distribute_loops,
                "Before calls are forked, for the map that it makes has calls of its own.",
                when=lambda o: o.inferred_parallelism,
            ),
            Pass(
                "fork_calls",
                fork_calls,
                "Before blocks are formed, so that what the arguments of the calls need is one "
                "block.",
                when=lambda o: o.inferred_parallelism,
            ),
            Pass(
                "float_invariants",
                float_invariants,
                "Before specialisation, which makes a context of every set of arguments.",
                when=lambda o: o.hoisting,
            ),
            Pass(
                "speculate",
                speculate,
                "Once calls are in place: an operation moves up to the calls that it needs.",
                when=lambda o: o.speculation,
            ),
        ),
        paper="instance parallelism",
    ),
    Stage(
        "parameter reuse",
        "Operands that are the same for the whole mini-batch are told from those of an instance.",
        (
            Pass(
                "specialise",
                specialise,
                "When all calls are known: every function is duplicated per calling context.",
                extra=lambda c: (c.options.parameter_reuse,),
            ),
            Pass(
                "sink_choices",
                sink_choices,
                "When weights are known by name, and before blocks, which may then read the table.",
                when=lambda o: o.parameter_reuse != "off" and o.grain_size_coarsening,
            ),
            Pass(
                "prune_dead_2",
                prune_dead,
                "Specialisation leaves reads of weights that nothing uses any more, and choices of "
                "matrices that are now made elsewhere.",
            ),
        ),
        paper="context-sensitive parameter reuse analysis, code duplication",
    ),
    Stage(
        "static blocks",
        "Straight-line tensor operations become static blocks: the nodes that will be batched.",
        (
            Pass(
                "form_blocks",
                form_blocks,
                "When weights are known by name: they are operands of the block, not of a node.",
                extra=lambda c: (_grouping(c.options),),
            ),
            Pass(
                "order_blocks",
                order_blocks,
                "When all blocks are known: those that are hoisted come first.",
            ),
        ),
        paper="grain-size coarsening, operation hoisting",
    ),
    Stage(
        "inline depth",
        "The program itself counts the depth at which a node runs; instances are lined up.",
        (
            Pass(
                "infer_phases",
                infer_phases,
                "When blocks are known: a phase ends where the number of nodes varies.",
                when=lambda o: o.program_phases,
                extra=lambda c: (c.options.inferred_parallelism,),
            ),
            Pass(
                "without_phases",
                without_phases,
                "In its place, if phases are off: those that the author wrote go as well.",
                when=lambda o: not o.program_phases,
            ),
            Pass(
                "pad_branches",
                pad_branches,
                "After phases and blocks, which decide how many depths a branch takes.",
                when=lambda o: o.ghost_ops,
            ),
            Pass(
                "infer_parallelism",
                infer_parallelism,
                "After ghosts, for it leaves alone what they have lined up.",
                when=lambda o: o.inferred_parallelism,
            ),
            Pass(
                "batched",
                number_vars,
                "Last, so that the generated code does not depend on what was compiled before.",
            ),
        ),
        paper="inline depth computation, program phases, ghost operators",
    ),
    Stage(
        "kernel specifications",
        "Every static block becomes one or more batched kernels.",
        (
            Pass(
                "specifications",
                _lower_blocks,
                "The blocks are final; how they are fused is independent of the target.",
                extra=lambda c: (
                    c.options.kernel_fusion,
                    c.options.horizontal_fusion,
                    c.options.weights,
                ),
            ),
        ),
        paper="kernel fusion, horizontal fusion, gather operator fusion",
    ),
)


def run_pipeline(
    model: Model[..., Any], params: Any, options: Options, training: bool = False
) -> Compilation:
    """Compile down to kernel specifications; nothing is built yet. `training`: for steps, in which
    `ops.dropout` drops out."""
    dump = Dump.of(model.function.__qualname__)
    done = run_stages(PIPELINE, model, Context(options, params, training), dump)
    done.weights = fold_weights(weights(params), done.typed.folded)
    return done
