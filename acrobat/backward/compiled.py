"""`compiled_vjp`: a compiled model in training form, which runs forward and then backward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, Protocol

import numpy as np

from ..aot.build import ProgramBuild, RuntimeBuild
from ..aot.program import emit_program
from ..cache import rebuild_damaged
from ..driver.failure import naming
from ..driver.run import Compilation
from ..errors import GradientError, OptionError
from ..kernels.printers.cpu.build import KernelBuild
from ..lang.params import weights as weights_of
from ..lang.sparse_rows import SparseRows
from ..runtime.prepared import PreparedInputs
from ..runtime.profile import Profile
from ..runtime.watched_call import WatchedCall
from ..transform.helpers.fold_weights import fold_weights, made_of
from .folded import Unfolding, users_first
from .interpreted import InterpretedCall, InterpretedTraining
from .native import NativeCall, NativeTraining
from .plan import training_plan

_FLOAT = np.dtype(np.float32)

Gradients = Mapping[str, np.ndarray | SparseRows]


class Compiled(Protocol):
    """The parts of a model that are needed: the output of the passes, its weights, its target."""

    @property
    def compilation(self) -> Compilation: ...
    @property
    def params(self) -> Any: ...
    @property
    def target(self) -> str: ...


class CompiledVjp:
    """A model compiled for `forward`, whose runs can be pulled back: see the package."""

    def __init__(self, fast: Compiled, tables_in_place: bool = False) -> None:
        done, self._in_place = fast.compilation, tables_in_place
        with naming("adjoints", "gradients"):
            self.done, self.plan = done, training_plan(done)
        self.weights: Mapping[str, np.ndarray] = done.weights
        self._params, self._own = fast.params, weights_of(fast.params)
        self.paths = tuple(self._own)
        folded = users_first(done.typed.folded)
        self.unfold = Unfolding(folded, done.weights)
        self._folded = {w.path: w for w in folded}
        # All weights, and what is folded from them: what is folded from constants never changes.
        self._from_weights = made_of(self.paths, self._folded)
        self._own_folded: dict[str, np.ndarray] = {}
        self.training: NativeTraining | InterpretedTraining
        if done.options.executor == "vm":
            with naming("gradients", "code generation"):
                self.training = InterpretedTraining(self.plan, done.weights, done.options)
        else:
            self.training = rebuild_damaged(self._native)

    def _native(self) -> NativeTraining:
        done, layout, runtime = self.done, self.plan.layout, RuntimeBuild()
        with naming("gradients", "code generation"):
            kernels = KernelBuild([k.spec for k in layout.kernels], schedules=layout.schedules)
            source = emit_program(layout, kernels.described, done.options)
            program = ProgramBuild(source, runtime, not kernels.cached)
            built = kernels.objects()
        library, _ = program.link(built.paths)
        constants = self.unfold.constants
        return NativeTraining(
            library, self.plan, done.weights, done.options, self._in_place, constants
        )

    def prepare(self, instances: Sequence[Any]) -> PreparedInputs:
        """Convert instances to the program's own form, to be run any number of times. Raises
        InstanceError if one is wrong."""
        return self.training.program.convert(instances)

    def forward(self, instances: Sequence[Any] | PreparedInputs, watched: bool = False) -> Recorded:
        """Run a mini-batch and keep what its gradients need. If it is `watched`, it has a trace
        once it has been pulled back."""
        inputs: Any = (
            instances if isinstance(instances, PreparedInputs) else self.prepare(instances)
        )
        return Recorded(self, self.training.forward(inputs, watched), watched)

    def reload_weights(self, params: Any, changed: Set[str] | None = None) -> None:
        """Load the values of `params`, as `CompiledModel.reload_weights` does. Must not be called
        while a call is in progress, nor between a run and its pullback."""
        if params is not self._params:  # training steps pass the same object every time
            self._params, self._own = params, weights_of(params)
        after = self._own
        names = self._from_weights
        if changed is not None:
            names = frozenset(changed)
            if self._in_place:
                names |= {
                    n for n, w in after.items() if w.ctypes.data != self.weights[n].ctypes.data
                }
            names = made_of(names, self._folded)
        known = {n: self.weights[n] for n in self._folded if n not in names}
        every = fold_weights(after, self._folded, known)
        for name in self._folded.keys() & names:
            every[name] = self._in_same_place(name, every[name])
        self.weights = every
        self.training.renew(every, names)

    def _in_same_place(self, name: str, value: np.ndarray) -> np.ndarray:
        """The value of a folded weight in an array of its own, the same one for every value: how an
        array is packed is determined once for each address."""
        own = self._own_folded.get(name)
        if own is None or own.shape != value.shape:
            own = self._own_folded[name] = value.copy()
        else:
            own[...] = value
        return own


class Recorded:
    """A mini-batch after its forward pass. `counts[i]` is the number of tensors in the result of
    instance i."""

    def __init__(self, vjp: CompiledVjp, kept: NativeCall | InterpretedCall, watched: bool) -> None:
        self._vjp = vjp
        self._watched = kept if watched else None
        self._kept: NativeCall | InterpretedCall | None = kept
        self.results: list[Any] = kept.results
        self.counts: list[int] = kept.counts
        self.profile: Profile = kept.profile

    def pullback(self, cotangents: Sequence[Sequence[np.ndarray | None]]) -> Gradients:
        """The gradient of every weight, given those of the tensors of every result. Raises
        GradientError if there are more or fewer of these, and when called a second time."""
        if self._kept is None:
            raise GradientError(
                "what this mini-batch has kept is used up: it has been pulled back once; add the "
                "cotangents up before, or run the mini-batch again"
            )
        given = [len(of) for of in cotangents]
        if given != self.counts:
            raise GradientError(
                f"cotangents: expected {self.counts} for the tensors of the results, got {given}"
            )
        kept, self._kept = self._kept, None
        vjp = self._vjp
        values = vjp.weights
        # Converted to arrays that kernels can read.
        found = kept.pull_back(
            [[None if d is None else _plain(d) for d in of] for of in cotangents]
        )
        vjp.unfold(found, values)
        results = found.results()
        for path in vjp.paths:
            if path not in results:
                results[path] = np.zeros(values[path].shape, np.float32)
        return {path: results[path] for path in vjp.paths}

    def trace(self) -> WatchedCall:
        """The trace of a mini-batch, forward and backward."""
        assert self._watched is not None
        return self._watched.trace()


def _plain(gradient: np.ndarray) -> np.ndarray:
    if type(gradient) is np.ndarray and gradient.dtype == _FLOAT:
        return gradient
    return np.asarray(gradient, dtype=_FLOAT)


def compiled_vjp(fast: Compiled, tables_in_place: bool = False) -> CompiledVjp:
    """The training form of a compiled model, with its options. `tables_in_place`: tables that are
    read by row are not copied, so that every change of weights has to be announced, and none may
    happen between a run and its pullback. Raises OptionError on a GPU; `fast.compilation` raises
    RuntimeError if nothing is compiled (ACROBAT_DISABLE=1)."""
    if fast.target != "cpu":
        raise OptionError(
            f"gradients are computed on the CPU, not on target={fast.target!r}; compile the model "
            f"with target='cpu'"
        )
    return CompiledVjp(fast, tables_in_place)
