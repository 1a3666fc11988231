"""The compiler, stage by stage: from a model function to kernels and control flow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .analysis.parameter_reuse import analyse_reuse
from .frontend.module import lower_model
from .ir import batched as B
from .ir import typed as T
from .kernels.lowering.block import lower_block
from .kernels.specification.spec import BlockPlan
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
from .transform.infer_parallelism import infer_parallelism
from .transform.infer_phases import infer_phases, without_phases
from .transform.inline_calls import inline_calls
from .transform.number_vars import number_vars
from .transform.open_run import Grouping
from .transform.order_blocks import order_blocks
from .transform.pad_branches import pad_branches
from .transform.prune_dead import prune_dead
from .transform.specialise import fold_weights, specialise
from .transform.speculate import speculate

TypedPass = Callable[[T.Module], T.Module]


@dataclass(slots=True)
class Compilation:
    """Everything the stages produced. `stages` are the typed modules by the pass that made them."""

    options: Options
    stages: dict[str, T.Module] = field(default_factory=dict)
    batched_stages: dict[str, B.Module] = field(default_factory=dict)
    batched: B.Module | None = None
    plans: tuple[BlockPlan, ...] = ()
    weights: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def module(self) -> B.Module:
        """The last stage before kernels."""
        assert self.batched is not None
        return self.batched


def run_pipeline(
    model: Model[..., Any],
    params: Any,
    options: Options,
    after_pass: Callable[[str, T.Module], None] = lambda name, module: None,
) -> Compilation:
    """Compile down to kernel specifications; nothing is built yet. `after_pass` sees the module
    that each pass has made (tests verify it there)."""
    done = Compilation(options)
    module = lower_model(model)
    done.stages["typed"] = module
    after_pass("typed", module)

    def apply(name: str, run: TypedPass) -> T.Module:
        done.stages[name] = run(module)
        after_pass(name, done.stages[name])
        return done.stages[name]

    # Dimensions first: from here on every shape is a number.
    module = apply("bind_dims", lambda m: check_shapes(bind_dims(m, sizes(params))))
    # Tuples go before anything looks at values: a tuple would hide which part is shared.
    module = apply("flatten_tuples", flatten_tuples)
    module = apply("prune_dead", prune_dead)
    # Inlining before the reuse analysis: what is inlined needs no context.
    module = apply("inline_calls", inline_calls)
    # After inlining, when a function's own contractions are in sight; a copy that does not recurse
    # is inlined in turn.
    module = apply("drop_results", lambda m: inline_calls(drop_results(m)))
    if options.inferred_parallelism:
        module = apply("distribute_loops", distribute_loops)
        module = apply("fork_calls", fork_calls)
    if options.hoisting:
        module = apply("float_invariants", float_invariants)
    if options.speculation:
        module = apply("speculate", speculate)
    reuse = analyse_reuse(module, options.parameter_reuse)
    specialised = specialise(module, reuse)
    done.stages["specialise"] = specialised.module
    after_pass("specialise", specialised.module)
    module = specialised.module
    # Specialising leaves reads of weights that nothing uses any more.
    module = apply("prune_dead_2", prune_dead)
    how = Grouping(
        coarsen=options.grain_size_coarsening,
        share=options.parameter_reuse != "off",
        hoist=options.hoisting,
    )
    batched = order_blocks(form_blocks(module, how))
    done.batched_stages["form_blocks"] = batched
    if options.program_phases:
        batched = infer_phases(batched, options.inferred_parallelism)
    else:
        batched = without_phases(batched)
    # Ghosts behind them: phases and blocks decide how much depth a branch takes.
    if options.ghost_ops:
        batched = pad_branches(batched)
    if options.inferred_parallelism:
        batched = infer_parallelism(batched)
    done.batched = number_vars(batched)
    done.plans = tuple(
        lower_block(b, options.kernel_fusion, options.horizontal_fusion)
        for b in done.batched.blocks
    )
    done.weights = fold_weights(weights(params), specialised.folded)
    return done
