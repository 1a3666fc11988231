"""`ab.gradients`: a model whose result is a loss becomes a function from a mini-batch to the losses
and the gradients of the weights."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from .arguments import check_arguments, checked_options, checked_seed
from .errors import GradientError
from .frontend.module import lower_model
from .lang.draws import Noise
from .lang.model import Model
from .lang.plain_weights import as_weights
from .lang.replaced_weights import check_constants
from .lang.sparse_rows import SparseRows
from .options import Options
from .runtime.prepared import PreparedInputs, check_inputs
from .runtime.profile import Profile
from .trace import Trace, trace_call
from .training.differentiable import Differentiable
from .training.explained import explained
from .training.losses import LossName, check_loss_type, loss_of, seed_of
from .training.on_tape import TapeRun
from .training.prepared_batch import PreparedBatch
from .training.weight_gradients import WeightGradient, as_params
from .training.wrt import Wrt, chosen_weights

_P = TypeVar("_P")


class GradientStep(Generic[_P]):
    """The result of `ab.gradients`: call it with a list of instances, or with a batch from
    `prepare`.

    `weights` may be changed in place between calls: each call reads them again. `last_results` are
    the complete results of the last call, including the losses.

    Dropout is determined by `seed` and by `number`, the number of the next call, counted from 0:
    set it to continue where another run ended."""

    def __init__(
        self,
        model: Model[..., Any],
        weights: _P,
        wrt: tuple[str, ...],
        options: Options,
        loss: LossName,
        seed: int = 0,
    ) -> None:
        self.model, self.weights, self.wrt = model, weights, wrt
        self.options, self.loss = options, loss
        self.seed, self.number = seed, 0
        self.last_results: list[Any] = []
        self._last: Profile | None = None
        self._compiled = as_weights(weights)
        self._runs = Differentiable(
            model, self._compiled, wrt, options, training=True, reloads=True
        )
        if not self._runs.is_disabled:
            self._runs.compile()

    @property
    def _name(self) -> str:
        return self.model.function.__qualname__

    def prepare(self, instances: Sequence[Any]) -> PreparedBatch:
        """Check and convert a mini-batch once, to call the step with it several times, for example
        in every epoch. Later changes to the instances do not affect it. For a model with dropout
        each call still converts it, because the random numbers differ. InstanceError if an instance
        is invalid."""
        return self._runs.prepare(instances)

    def __call__(self, instances: Sequence[Any] | PreparedBatch) -> tuple[np.ndarray, _P]:
        """Return the loss of every instance, float32 [n], and the gradients of their sum: an object
        of the weights' class with an array for each weight, `SparseRows` for a table that was only
        read by row, and None for weights that `wrt` leaves out. `instances` may come from
        `prepare`. InstanceError if an instance is invalid, or was prepared by another step;
        GradientError if no loss depends on a weight."""
        if isinstance(instances, PreparedInputs):
            check_inputs(instances, self._runs.key, self._name)
        weights = as_weights(self.weights)
        if weights is not self._compiled:  # plain values, read again
            check_constants(self._name, self._compiled, weights)
        self._runs.reload(weights, None)
        run = self._runs.forward(instances, Noise(self.seed, self.number))
        self.number += 1
        seeds = self._seeds(run.results)
        losses = np.array([loss.item() for loss, _ in seeds], np.float32)
        found = run.pull_back([seed for _, seed in seeds])
        if len(instances) and not any(_has_any(g) for g in found.values()):
            self._check_dependence(
                instances.instances if isinstance(instances, PreparedBatch) else instances,
                weights,
            )
        self.last_results, self._last = run.results, run.profile
        return losses, as_params(weights, found)

    def _check_dependence(self, instances: Sequence[Any], weights: Any) -> None:
        """Raise GradientError if all gradients are zero because no loss depends on the weights, as
        a run in plain Python determines."""
        run = TapeRun(self.model, weights, self.wrt, stack_bytes=self.options.stack_mb << 20)
        run.forward(instances)
        if any(run.is_variable(loss_of(self._name, o, self.loss)) for o in run.outputs):
            return
        raise GradientError(
            f"nothing to differentiate: no loss of these instances is computed by tensor "
            f"operations from the weights {', '.join(self.wrt)}; what decisions read "
            f"(ops.item, comparisons) is a constant"
        )

    @property
    def last_profile(self) -> Profile:
        """The profile of the last call's forward run; all zero if nothing is compiled. ValueError
        before any call."""
        if self._last is None:
            raise ValueError("the gradients have not been called for yet")
        return self._last

    def trace(self, instances: Sequence[Any]) -> Trace:
        """Run a mini-batch forward and backward and trace each of its nodes, as
        `CompiledModel.trace` does: the batches of adjoints follow those of the forward run. It
        returns no gradients and does not count as a call. InstanceError if an instance is invalid;
        ValueError if nothing is compiled."""
        if self._runs.is_disabled:
            raise ValueError(
                f"{self._name} runs as plain Python, because ACROBAT_DISABLE=1 is set: there are "
                f"no batches to trace"
            )
        self._runs.reload(as_weights(self.weights), None)
        noise = Noise(self.seed, self.number)
        call = self._runs.trace(
            instances, noise, lambda results: [s for _, s in self._seeds(results)]
        )
        return trace_call(self._name, self._runs.compile().plan.layout.module.blocks, call)

    def _seeds(self, results: Sequence[Any]) -> list[tuple[Any, list[np.ndarray | None]]]:
        """The loss of each result, and the cotangents that the backward pass starts from."""
        return [seed_of(self._name, result, self.loss) for result in results]

    def explain(self) -> str:
        """Describe how the gradients are computed, and for which weights."""
        head = f"gradients of {self._name} with respect to {', '.join(self.wrt)}\n"
        if self._runs.vjp is None:
            return f"{head}by plain Python, one instance after the other\n"
        return head + explained(self._runs.vjp.plan)


def _has_any(gradient: WeightGradient) -> bool:
    values = gradient.values if isinstance(gradient, SparseRows) else gradient
    # Most gradients have a nonzero among the first elements, and testing all allocates an array.
    return bool(values.reshape(-1)[:64].any()) or bool(values.any())


def gradients(
    loss_model: Any,
    weights: _P,
    wrt: Wrt = None,
    options: Options | None = None,
    *,
    loss: LossName = None,
    seed: int = 0,
    examples: Sequence[Any] | None = None,
) -> GradientStep[_P]:
    """Return a function `step(instances) -> (losses, grads)` for a model that returns a loss, a
    tensor of one element. If the model returns several values, `loss` says which one is the loss,
    by position or by name. `wrt` names the weights, "w", "layers.0" or "layers"; None: all of them.
    `seed`, the number of the call, and the instance determine what `ops.dropout` drops. `examples`
    complete the model's hints, as in `ab.compile`.

    Raises ModelError if the model is not in the language, OptionError if an argument is not a
    model or options, ParamsError for what are no weights, or of another class, GradientError if
    there is no such loss or weight. With ACROBAT_DISABLE=1 in the environment the model is not
    checked before it runs."""
    options = checked_options(options)
    model, checked = check_arguments(loss_model, weights, examples)
    chosen = chosen_weights(checked, wrt)
    if os.environ.get("ACROBAT_DISABLE") != "1":
        module = lower_model(model, checked)
        loss = check_loss_type(model.function.__qualname__, module.result, loss)
    return GradientStep(model, weights, chosen, options, loss, checked_seed(seed))
