"""The compiler as a list: every stage and pass from a model function to kernel specifications.

Read `PIPELINE` from top to bottom: it is the paper's method. Code generation, which depends on the
target, follows (`build.py`): kernels (TIR for the CPU, Triton for NVIDIA GPUs) from the
specifications, C++ from the batched module. `fast.ir(name)` shows the result of a pass, and
`ACROBAT_DUMP=<folder>` writes the results of all passes.
"""

from __future__ import annotations

from typing import Any

from .driver.dump import Dump
from .driver.records import Context, Pass, Stage
from .driver.run import Compilation, run_stages
from .frontend.module import lower_model
from .kernels.lowering.module import lower_blocks
from .kernels.specification.weight_types import WeightType
from .lang.model import Model
from .lang.params import sizes, weights
from .options import Options
from .transform.bind_dims import bind_dims
from .transform.check_shapes import check_shapes
from .transform.compare_positions import compare_positions
from .transform.distribute_loops import distribute_loops
from .transform.drop_results import drop_results
from .transform.flatten_tuples import flatten_tuples
from .transform.float_invariants import float_invariants
from .transform.fork_calls import fork_calls
from .transform.form_blocks import form_blocks
from .transform.fuse_maps import fuse_maps
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
from .transform.split_maps import split_maps


def _grouping(options: Options) -> Grouping:
    return Grouping(
        coarsen=options.grain_size_coarsening,
        share=options.parameter_reuse != "off",
        hoist=options.hoisting,
    )


def _weight_type(context: Context) -> WeightType:
    of_tiles = context.target == "cpu" and context.options.precision == "bf16"
    return "tiles" if of_tiles else context.options.weights


PIPELINE = (
    Stage(
        "front end",
        "Python's syntax tree becomes the typed IR; anything outside the language is an error.",
        (
            Pass(
                "typed",
                lower_model,
                "Compilation starts from the author's source.",
                extra=lambda c: (c.params,),
            ),
        ),
    ),
    Stage(
        "normal form",
        "Shapes become numbers; tuples and calls disappear, except for recursive calls.",
        (
            Pass(
                "number_dropouts",
                number_dropouts,
                "First, while the calls are still the author's, which plain Python counts too.",
                extra=lambda c: (c.training,),
            ),
            Pass(
                "bind_dims",
                bind_dims,
                "Early, so that every later pass sees dimensions as numbers.",
                extra=lambda c: (sizes(c.params),),
                verified=False,
            ),
            Pass(
                "check_shapes",
                check_shapes,
                "As soon as dimensions are numbers: names left some checks undecided.",
            ),
            Pass(
                "flatten_tuples",
                flatten_tuples,
                "Before any analysis of values: a tuple would hide which of its parts is shared.",
            ),
            Pass(
                "prune_dead",
                prune_dead,
                "Before inlining, so that dead code is not copied.",
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
                "After inlining, when all contractions of a function are in its own body.",
            ),
            Pass(
                "inline_calls_2",
                inline_calls,
                "Again, because a copy with fewer results may no longer be recursive.",
            ),
        ),
    ),
    Stage(
        "concurrency",
        "Independent computations become concurrent, even where the author did not say so.",
        (
            Pass(
                "compare_positions",
                compare_positions,
                "First, because what no decision chooses can be distributed and moved.",
                when=lambda o: o.speculation,
            ),
            Pass(
                "reduce_as_trees",
                reduce_as_trees,
                "Before loop distribution, because a loop that becomes a tree is gone.",
                when=lambda o: o.inferred_parallelism,
            ),
            Pass(
                "distribute_loops",
                distribute_loops,
                "Before calls are forked, because the maps that it creates contain calls.",
                when=lambda o: o.inferred_parallelism,
            ),
            Pass(
                "fuse_maps",
                fuse_maps,
                "After loop distribution, which creates maps; before blocks are formed, which end "
                "with their region.",
                when=lambda o: o.grain_size_coarsening,
            ),
            Pass(
                "fork_calls",
                fork_calls,
                "Before blocks are formed, so that the arguments of concurrent calls are computed "
                "in one block.",
                when=lambda o: o.inferred_parallelism,
            ),
            Pass(
                "float_invariants",
                float_invariants,
                "Before specialisation, which creates a context for every set of arguments.",
                when=lambda o: o.hoisting,
            ),
            Pass(
                "speculate",
                speculate,
                "Once calls are in their final place: an operation moves up to the calls that it "
                "needs.",
                when=lambda o: o.speculation,
            ),
        ),
        paper="instance parallelism",
    ),
    Stage(
        "parameter reuse",
        "Operands that the whole mini-batch shares are separated from those of an instance.",
        (
            Pass(
                "specialise",
                specialise,
                "Once all calls are known: every function is duplicated per calling context.",
                extra=lambda c: (c.options.parameter_reuse,),
            ),
            Pass(
                "sink_choices",
                sink_choices,
                "Once weights are known by name, and before blocks, which can then read the table.",
                when=lambda o: o.parameter_reuse != "off" and o.grain_size_coarsening,
            ),
            Pass(
                "prune_dead_2",
                prune_dead,
                "Again, because specialisation leaves unused reads of weights, and sinking leaves "
                "unused choices of matrices.",
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
                "Once weights are known by name: they are operands of the block, not of a node.",
                extra=lambda c: (_grouping(c.options),),
            ),
            Pass(
                "order_blocks",
                order_blocks,
                "Once all blocks are known: hoisted ones come first.",
            ),
        ),
        paper="grain-size coarsening, operation hoisting",
    ),
    Stage(
        "inline depth",
        "The program itself counts the depth at which a node runs; instances are kept in step.",
        (
            Pass(
                "infer_phases",
                infer_phases,
                "Once blocks are known: a phase ends where the number of nodes varies.",
                when=lambda o: o.program_phases,
                extra=lambda c: (c.options.inferred_parallelism,),
            ),
            Pass(
                "without_phases",
                without_phases,
                "In its place if phases are off: the author's own phases are removed as well.",
                when=lambda o: not o.program_phases,
            ),
            Pass(
                "pad_branches",
                pad_branches,
                "After phases and blocks, which determine how many depths a branch takes.",
                when=lambda o: o.ghost_ops,
            ),
            Pass(
                "split_maps",
                split_maps,
                "After phases and ghost operators, which see an iteration as a whole; before "
                "marks, which must be in the region that resumes them.",
                when=lambda o: o.fibers and o.instance_parallelism,
                extra=lambda c: (c.target,),
            ),
            Pass(
                "infer_parallelism",
                infer_parallelism,
                "After ghost operators, whose alignment it must preserve.",
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
                lower_blocks,
                "The blocks are final; how they are fused is independent of the target.",
                extra=lambda c: (
                    c.options.kernel_fusion,
                    c.options.horizontal_fusion,
                    _weight_type(c),
                ),
            ),
        ),
        paper="kernel fusion, horizontal fusion, gather operator fusion",
    ),
)


def run_pipeline(
    model: Model[..., Any],
    params: Any,
    options: Options,
    training: bool = False,
    target: str = "cpu",
) -> Compilation:
    """Compile down to kernel specifications; nothing is built yet. `training`: for training steps,
    in which `ops.dropout` is active. `target`: "cpu" or "cuda"."""
    dump = Dump.of(model.function.__qualname__)
    done = run_stages(PIPELINE, model, Context(options, params, training, target), dump)
    done.weights = fold_weights(weights(params), done.typed.folded)
    return done
