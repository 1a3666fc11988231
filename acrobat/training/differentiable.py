"""Forward and backward runs of mini-batches: compiled, or in plain Python."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from ..backward.compiled import CompiledVjp, Recorded, compiled_vjp
from ..driver.run import Compilation
from ..eager import unbatched
from ..frontend.module import lower_model
from ..ir import typed as T
from ..ir.types import Type
from ..lang.draws import Noise
from ..lang.model import Model
from ..options import Options
from ..pipeline import run_pipeline
from ..runtime.object_inputs import require_list
from ..runtime.prepared import ProgramKey
from ..runtime.profile import Profile
from ..runtime.read_instances import read_instances
from ..runtime.watched_call import WatchedCall
from ..transform.number_dropouts import has_dropout
from .cotangents import tensors_of
from .noisy_inputs import run_with_keys
from .on_tape import TapeRun
from .prepared_batch import PreparedBatch
from .suspect import is_suspect
from .trainable import check_trainable
from .weight_gradients import WeightGradient

Array = np.ndarray


class Forward(Protocol):
    """A mini-batch that has run forward; `pull_back` computes the gradients of the weights.
    `with_matrices` is the type of the results if they have matrices whose number of rows only the
    instance knows, which are lists of rows in `results` (runtime/matrices.py); None otherwise."""

    @property
    def results(self) -> list[Any]: ...
    @property
    def with_matrices(self) -> Type | None: ...
    @property
    def profile(self) -> Profile: ...
    def pull_back(
        self, cotangents: Sequence[Sequence[Array | None]]
    ) -> dict[str, WeightGradient]: ...


@dataclass(slots=True)
class _Compiled:
    compilation: Compilation
    params: Any
    target: str = "cpu"


@dataclass(slots=True)
class Differentiable:
    """A model that can run forward and backward. `wrt` are the paths of the weights to
    differentiate with respect to. The first call compiles; with ACROBAT_DISABLE=1 nothing is
    compiled. `training`: `ops.dropout` is active, with the `noise` that each call is given.
    `reloads`: `reload` is called with the weights before every run. OptionError for options that do
    not permit training."""

    model: Model[..., Any]
    params: Any
    wrt: tuple[str, ...]
    options: Options
    # The results of the passes, if they have run.
    compilation: Compilation | None = None
    training: bool = False
    reloads: bool = False
    vjp: CompiledVjp | None = field(default=None, init=False)
    key: ProgramKey = field(default_factory=ProgramKey, init=False)
    _keyed: bool = field(default=False, init=False)  # whether instances have keys
    _finer: Differentiable | None = field(default=None, init=False)  # with one operation per block

    def __post_init__(self) -> None:
        check_trainable(self.options)

    @property
    def is_disabled(self) -> bool:
        """Whether the model runs as plain Python."""
        return os.environ.get("ACROBAT_DISABLE") == "1"

    def compile(self) -> CompiledVjp:
        """Return the training form of the model, compiled at the first call."""
        if self.vjp is None:
            done = self.compilation
            if done is None:
                done = self.compilation = run_pipeline(
                    self.model, self.params, self.options, self.training
                )
            # `fast.vjp` uses the weights as they were when the model was compiled.
            own = _Compiled(done, self.params)
            self.vjp = compiled_vjp(own, tables_in_place=self.reloads)
            first = done.stages["typed"]
            self._keyed = self.training and isinstance(first, T.Module) and has_dropout(first)
        return self.vjp

    def reload(self, params: Any, changed: Set[str] | None) -> None:
        """Take the values of `params`; `changed` names those that differ from before, None: all."""
        self.params = params
        if self.vjp is not None and (changed is None or changed):
            self.vjp.reload_weights(params, changed)

    def prepare(self, instances: Sequence[Any]) -> PreparedBatch:
        """Convert a mini-batch, to `forward` it several times. InstanceError if an instance is
        invalid; in plain Python that shows only when it runs."""
        start = time.perf_counter()
        require_list(instances)
        instances = self.model.whole(instances)
        if self.is_disabled:
            return PreparedBatch(self.key, 0.0, tuple(instances), None)
        vjp = self.compile()
        module = vjp.done.module
        inputs = None if self._keyed else vjp.prepare(instances)
        types = module.arguments[:-1] if self._keyed else module.arguments
        # Copies of the present state: later changes by the caller must not affect only some parts.
        own = read_instances(instances, types, module.datas).instances
        return PreparedBatch(self.key, (time.perf_counter() - start) * 1e3, own, inputs)

    def forward(
        self, instances: Sequence[Any] | PreparedBatch, noise: Noise | None = None
    ) -> Forward:
        """Run a mini-batch, and keep what the backward pass needs. In `training`, `noise` is
        given."""
        ready = instances if isinstance(instances, PreparedBatch) else None
        every: Any = ready.instances if ready else self.model.whole(instances)
        if self.is_disabled:
            return run_on_tape(self.model, self.params, self.wrt, self.options, every, noise=noise)
        again = partial(self._run_finer, every, noise)
        if ready is not None and ready.inputs is not None:
            run = self.compile().forward(ready.inputs)
        else:
            run = self._recorded(every, noise)
        return _InBatches(run, self.wrt, again, self.compile().done.module.with_matrices)

    def trace(
        self,
        instances: Sequence[Any],
        noise: Noise,
        cotangents: Callable[[list[Any]], Sequence[Sequence[Array | None]]],
    ) -> WatchedCall:
        """Run a mini-batch forward and backward, with `cotangents` of its results, and return the
        trace of its nodes."""
        run = self._recorded(self.model.whole(instances), noise, watched=True)
        run.pullback(cotangents(run.results))
        return run.trace()

    def _recorded(
        self, instances: Sequence[Any], noise: Noise | None, watched: bool = False
    ) -> Recorded:
        vjp = self.compile()
        forward = partial(vjp.forward, watched=watched)
        if noise is None or not self._keyed:
            return forward(instances)
        module = vjp.done.module
        return run_with_keys(forward, instances, noise, module.arguments, module.datas)

    def _run_finer(self, instances: Sequence[Any], noise: Noise | None) -> Forward | None:
        """Run the mini-batch again with one operation per block; None if blocks already have only
        one."""
        if not self.options.grain_size_coarsening:
            return None
        if self._finer is None:
            options = replace(self.options, grain_size_coarsening=False)
            self._finer = Differentiable(
                self.model, self.params, self.wrt, options, training=self.training, reloads=True
            )
        finer = self._finer
        finer.wrt = self.wrt
        finer.reload(self.params, None)
        return finer.forward(instances, noise)


def may_drop_out(model: Model[..., Any], params: Any) -> bool:
    """Whether a model may have a dropout; always true in plain Python, where that is not known."""
    return os.environ.get("ACROBAT_DISABLE") == "1" or has_dropout(lower_model(model, params))


def run_on_tape(
    model: Model[..., Any],
    params: Any,
    wrt: tuple[str, ...],
    options: Options,
    instances: Sequence[Any],
    dtype: Any = np.float32,
    noise: Noise | None = None,
) -> Forward:
    """Run a mini-batch in plain Python, in the precision `dtype`."""
    return _OnTape(model, params, wrt, options, instances, dtype, noise)


class _InBatches:
    def __init__(
        self,
        run: Recorded,
        wrt: tuple[str, ...],
        again: Callable[[], Forward | None],
        matrices: Type | None,
    ) -> None:
        self._run, self._wrt, self._again = run, wrt, again
        self.with_matrices = matrices
        self.results, self.profile = self._run.results, self._run.profile

    def pull_back(self, cotangents: Sequence[Sequence[Array | None]]) -> dict[str, WeightGradient]:
        every = self._run.pullback(cotangents)
        found = {path: every[path] for path in self._wrt}
        if is_suspect(self.results, cotangents, found.values()):
            again = self._again()
            # Other rounding may have led to other decisions.
            if again is not None and list(map(_shapes, again.results)) == list(
                map(_shapes, self.results)
            ):
                return again.pull_back(cotangents)
        return found


def _shapes(result: Any) -> list[tuple[int, ...]]:
    return [t.shape for t in tensors_of(result)]


class _OnTape:
    def __init__(
        self,
        model: Model[..., Any],
        params: Any,
        wrt: tuple[str, ...],
        options: Options,
        instances: Sequence[Any],
        dtype: Any,
        noise: Noise | None,
    ) -> None:
        self._run = TapeRun(model, params, wrt, dtype, options.stack_mb << 20)
        self._run.forward(instances, noise=noise)
        self.results, self.profile = self._run.results, unbatched(0.0)
        self.with_matrices: Type | None = None

    def pull_back(self, cotangents: Sequence[Sequence[Array | None]]) -> dict[str, WeightGradient]:
        self._run.backward(dict(enumerate(cotangents)))
        return self._run.gradients()
