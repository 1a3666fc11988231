"""`ab.torch.Module`: a model and its weights as a `torch.nn.Module`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from ..arguments import check_arguments, checked_options
from ..compiled_model import CompiledModel
from ..compiler import compile as compile_model
from ..driver.recursion import deep_recursion
from ..lang.draws import Noise
from ..lang.model import Model
from ..options import Options
from ..runtime.matrices import with_matrices
from ..training.cotangents import mapped_tensors
from ..training.differentiable import Differentiable, Forward, may_drop_out, run_on_tape
from ..training.trainable import check_trainable
from .function import MiniBatch, Recorded
from .parameters import add_parameters, params_of, shapes_of


class Module(nn.Module):
    """A model that PyTorch can train: `forward(instances)` returns the results of a list of
    instances, with PyTorch tensors.

    The parameters share memory with `weights`, and their names are the weights' paths ("w",
    "layers.0.w"). The model is compiled when it is first called, once for training and once for
    calls under `torch.no_grad()`, and picks up weights that have changed since (PyTorch counts
    changes, except those through `.data` and numpy: report these with `weights_changed()`).
    `sparse`: a table that is read by row gets a sparse gradient, as from
    `nn.Embedding(sparse=True)`, for `optim.SGD` and `SparseAdam`. `examples` complete the model's
    hints, as in `ab.compile`.

    In `train()` mode, in which a module starts, `ops.dropout` is active, with a seed that each call
    draws from PyTorch's generator (`torch.manual_seed`); in `eval()` mode it is not. Raises
    OptionError and ParamsError as `ab.compile` does; a call raises ParamsError if the parameters no
    longer fit the model."""

    def __init__(
        self,
        model: Callable[..., Any],
        weights: Any,
        options: Options | None = None,
        *,
        sparse: bool = False,
        examples: Sequence[Any] | None = None,
    ) -> None:
        super().__init__()
        self.model: Model[..., Any]
        self.model, weights = check_arguments(model, weights, examples)
        self.options, self.sparse = checked_options(options), sparse
        check_trainable(self.options)
        self._shapes = shapes_of(weights)
        self._fast: CompiledModel[Any, Any] | None = None
        # The differentiable forms, without dropout and with it.
        self._trained: dict[bool, Differentiable] = {}
        self._may_drop_out: bool | None = None
        self._versions: dict[str, dict[str, tuple[int, int]]] = {}
        add_parameters(self, weights)

    @property
    def weights(self) -> Any:
        """The parameters as an object of the weights' class, sharing their memory."""
        return params_of(self, self._shapes)[0]

    def forward(self, instances: Sequence[Any]) -> list[Any]:
        """Return the results in the order of the instances, as the model returns them, with PyTorch
        tensors."""
        params, dtype = params_of(self, self._shapes)
        wanted = {n: p for n, p in self.named_parameters() if p.requires_grad}
        noise = self._noise(params)
        if not torch.is_grad_enabled() or not wanted:
            return self._inferred(params, dtype, instances, noise)
        run = self._run(params, tuple(wanted), dtype, instances, noise)
        recorded = Recorded(run, tuple(wanted), self.sparse, dtype)
        tensors = iter(MiniBatch.apply(recorded, *wanted.values()))  # type: ignore[no-untyped-call]
        with deep_recursion():
            found = [mapped_tensors(r, lambda _: next(tensors)) for r in run.results]
        t = run.with_matrices
        return found if t is None else [with_matrices(r, t, _stacked) for r in found]

    def _noise(self, params: Any) -> Noise | None:
        """The noise that determines the dropouts of a call; None if it has none."""
        if not self.training:
            return None
        if self._may_drop_out is None:
            self._may_drop_out = may_drop_out(self.model, params)
        return Noise(int(torch.randint(2**62, ())), 0) if self._may_drop_out else None

    def _run(
        self,
        params: Any,
        wrt: tuple[str, ...],
        dtype: Any,
        instances: Any,
        noise: Noise | None,
    ) -> Forward:
        """A forward run that can be differentiated: compiled for float32, else on a tape."""
        if dtype is not np.float32:
            return run_on_tape(self.model, params, wrt, self.options, instances, dtype, noise)
        drops = noise is not None
        if drops not in self._trained:
            self._trained[drops] = Differentiable(
                self.model, params, wrt, self.options, training=drops, reloads=True
            )
        run = self._trained[drops]
        run.wrt = wrt
        run.reload(params, self._changed(f"trained {drops}"))
        return run.forward(instances, noise)

    def _inferred(
        self, params: Any, dtype: Any, instances: Sequence[Any], noise: Noise | None
    ) -> list[Any]:
        if dtype is np.float32 and noise is None:
            changed = self._changed("fast")
            if self._fast is None:
                self._fast = compile_model(self.model, params, "cpu", self.options)
            elif changed:
                self._fast.reload_weights(params, changed)
            results = self._fast(instances)
        else:
            run = self._run(params, (), dtype, instances, noise)
            t, results = run.with_matrices, run.results
            results = results if t is None else [with_matrices(r, t) for r in results]
        with deep_recursion():
            return [mapped_tensors(r, lambda t: _tensor(t, dtype)) for r in results]

    def _changed(self, user: str) -> set[str]:
        """The parameters that have changed since `user` last asked."""
        versions = {n: (p._version, p.data_ptr()) for n, p in self.named_parameters()}
        before = self._versions.get(user, {})
        self._versions[user] = versions
        return {n for n, v in versions.items() if before.get(n) != v}

    def weights_changed(self) -> None:
        """Report that parameters have changed in a way that PyTorch does not count."""
        self._versions = {}

    def __getstate__(self) -> dict[str, Any]:
        """The state without the compiled forms, which are compiled again when needed."""
        return {**self.__dict__, "_fast": None, "_trained": {}, "_versions": {}}

    def extra_repr(self) -> str:
        """The model's name."""
        return f"{self.model.function.__qualname__}"


def _stacked(items: Sequence[Any], axis: int, empty: tuple[int, ...]) -> torch.Tensor:
    return torch.stack(list(items), axis) if items else torch.zeros(empty)


def _tensor(value: Any, dtype: Any) -> torch.Tensor:
    array = np.asarray(value, dtype)
    return torch.from_numpy(array if array.flags.writeable else array.copy())
