"""Our own training step: `ab.gradients`, and PyTorch's optimiser on the same memory.

The variant "forward" compiles the loss by `ab.compile`, as for inference, for comparison with a
training step. Other variants are options, like those of inference.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from acrobat.errors import OptionError
from acrobat.lang.mapped_params import mapped_params
from acrobat.lang.sparse_rows import SparseRows
from acrobat.runtime.profile import Profile
from workloads import losses

from ..api import FORWARD, Breakdown, Problem, Supported, Unsupported
from ..shared.steps import Steps, check_training, first_batch, rate_of, step_outputs
from . import read_variant


class Trainer(Steps):
    """Every workload that has a loss, on a CPU."""

    VARIANTS: ClassVar[tuple[str, ...]] = ()  # options, and FORWARD

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """Workloads with a loss, if TVM and PyTorch are installed."""
        if problem.variant != FORWARD:
            try:
                read_variant(problem.variant)
            except OptionError as error:
                return Unsupported(f"acrobat has no variant {problem.variant!r}: {error}")
        common = {"implemented": losses.names(), "variants": (problem.variant,)}
        for module, package in (("torch", "torch"), ("tvm", "apache-tvm")):
            found = check_training(problem, "acrobat", module=module, package=package, **common)
            if isinstance(found, Unsupported):
                return found
        return found

    def prepare(self, problem: Problem) -> None:
        """Compile the loss."""
        import torch

        import acrobat as ab

        from ..shared.leaves import Leaves, optimiser

        assert problem.training is not None
        # PyTorch does only the update, which takes under a millisecond. Its OpenMP threads would
        # keep spinning afterwards, on the cores that the next step's threads need: BiRNN on two
        # threads would take 19.1 ms instead of 14.
        torch.set_num_threads(1)
        self.torch, self.all = torch, list(problem.instances)
        self.leaves = Leaves(problem.params)
        by_path = self.leaves.by_path
        params = mapped_params(problem.params, lambda path, _: by_path[path].detach().numpy())
        self.training, self.rate = problem.training, problem.training.rate
        self._optimiser = optimiser
        self.only_forward = problem.variant == FORWARD
        variant = "full" if self.only_forward else problem.variant
        options = dataclasses.replace(read_variant(variant), threads=problem.threads)
        model: Any = losses.get(problem.workload).model
        if self.only_forward:
            self.fast = ab.compile(model, params, target="cpu", options=options)
        else:
            self.step = ab.gradients(model, params, options=options)
        self.reset()
        self.inputs: Any = None  # converted by `prepare`, or a plain list of instances
        self.profile: Profile
        self.choose(first_batch(problem))
        if not self.only_forward:
            # Converted once for all measured steps; instances chosen later are converted in every
            # step, as part of the time of an epoch.
            self.inputs = self.step.prepare([self.all[i] for i in first_batch(problem)])

    def choose(self, which: np.ndarray) -> None:
        """Choose the instances of the following steps, by number."""
        self.inputs = [self.all[i] for i in which]
        if self.only_forward:
            self.inputs = self.fast.prepare(self.inputs)
        self.rate = rate_of(self.training, len(which))
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate

    def reset(self) -> None:
        """Restore the initial weights, and start with a new optimiser."""
        self.leaves.reset()
        self.leaves.forget_gradients()
        self.optimiser = self._optimiser(self.leaves, self.training, self.rate)

    def run(self) -> None:
        """Run a step, or its forward pass alone."""
        if self.only_forward:
            self._losses: Sequence[Any] | np.ndarray = self.fast.run(self.inputs)
            self.profile = self.fast.last_profile
        else:
            super().run()
            # The profile of the timed run: `outputs` takes another step.
            self.profile = self.step.last_profile

    def forward(self) -> None:
        """Compute the losses; the gradients come with them."""
        self._losses, found = self.step(self.inputs)
        self.found = {path: _of(found, path) for path in self.leaves.by_path}

    def backward(self) -> None:
        """Pass the gradients to PyTorch."""
        for path, leaf in self.leaves.by_path.items():
            leaf.grad = self._tensor(self.found[path])

    def _tensor(self, gradient: Any) -> Any:
        torch = self.torch
        if isinstance(gradient, SparseRows):
            rows, values = torch.from_numpy(gradient.rows)[None], torch.from_numpy(gradient.values)
            return torch.sparse_coo_tensor(
                rows, values, gradient.shape, is_coalesced=True, check_invariants=False
            )
        return torch.from_numpy(gradient if gradient.flags.writeable else gradient.copy())

    def update(self) -> None:
        """Update the weights in place with PyTorch's optimiser."""
        self.optimiser.step()

    def losses(self) -> np.ndarray:
        """The losses of the instances, [n]."""
        return np.array([float(np.asarray(loss)) for loss in self._losses], np.float32)

    def gradients(self) -> dict[str, np.ndarray]:
        """The gradients by path."""
        return self.leaves.gradients()

    def weights(self) -> dict[str, np.ndarray]:
        """The weights by path."""
        return self.leaves.values()

    def outputs(self) -> list[Any]:
        """The outputs of a step, as for all trainers; of a forward pass alone, only the losses."""
        if not self.only_forward:
            return super().outputs()
        self.run()
        return step_outputs(self.losses(), {}, {})

    def breakdown(self) -> Breakdown:
        """The figures of the forward pass are those of the compiler's own profile. `backward_ms` is
        the rest of the call that returns losses and gradients, including the conversion of
        instances that are not prepared."""
        profile = self.profile
        parts = (profile.graph_ms, profile.schedule_ms, profile.copy_ms, profile.kernel_ms)
        forward = sum(parts)
        backward = self.forward_ms + self.backward_ms - forward
        return Breakdown(
            input_ms=profile.input_ms,
            graph_ms=profile.graph_ms,
            forward_ms=forward,
            backward_ms=None if self.only_forward else max(backward, 0.0),
            update_ms=None if self.only_forward else self.update_ms,
            n_nodes=profile.n_nodes,
            n_batches=profile.n_batches,
            n_syncs=profile.n_syncs,
            versions=_versions(),
        )


def _of(params: Any, path: str) -> Any:
    """The entry at `path` of an object of weights."""
    for part in path.split("."):
        params = params[int(part)] if part.isdecimal() else getattr(params, part)
    return params


def _versions() -> dict[str, str]:
    import importlib.metadata

    import acrobat

    names = ("apache-tvm", "apache-tvm-ffi", "torch")
    return {n: importlib.metadata.version(n) for n in names} | {"acrobat": acrobat.__version__}
