"""A training step of the native build, driven from C++: it builds the graph of the mini-batch's
losses, runs it forwards and backwards, and lets DyNet's own trainer update the weights.

DyNet clips gradients by default, which no other system does, so clipping is off. The fastest of a
model's forms is used, and only its weights are updated.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from acrobat.lang.params import weights
from workloads import losses

from ..api import Breakdown, NotBuilt, Problem, Supported, Training, Unsupported
from ..shared.clock import fastest
from ..shared.steps import Steps, check_training, first_batch, rate_of
from .arrays import weight_arrays
from .cpu import built
from .forms import TRAINED, loss_form_of
from .native import Driver
from .native_system import DECIDING, known_crash, not_built_here, versions
from .wheel import STRATEGIES, Memory

# The initial sizes of the pools for the values of nodes and for their gradients; both grow to what
# a mini-batch needs.
_FORWARD_MIB, _BACKWARD_MIB = 128, 128
_SLACK_MIB = 64
# The number of copies of the weights in the forms of a model. For each, the pool of parameters has
# room for the weight, its gradient, and Adagrad's sum of squares or Adam's two means; SGD, which
# needs neither, gets as much as Adagrad.
_COPIES = {"treelstm": 4}
_EACH = {"sgd": 3, "adagrad": 3, "adam": 4}


class Trainer(Steps):
    """The workloads for which the driver has a loss, on one thread."""

    VARIANTS: ClassVar[tuple[str, ...]] = tuple(STRATEGIES)

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported | NotBuilt:
        """The workloads that the driver can train, if the native build exists."""
        answer = check_training(problem, "dynet", implemented=TRAINED, variants=Trainer.VARIANTS)
        if problem.workload == "mvrnn" and problem.variant != "autobatch0":
            return Unsupported(
                "DyNet's gradients of MV-RNN are wrong when it batches: what products add to a "
                "matrix that they share goes to the first node of its batch (exec.cc)"
            )
        if isinstance(answer, Supported) and (crash := known_crash(problem)):
            return crash
        if isinstance(answer, Supported) and built() is None:
            return not_built_here("the wheel does not train here")
        return answer

    def prepare(self, problem: Problem) -> None:
        """Write weights and instances; choose the fastest form of the model for this mini-batch."""
        assert problem.training is not None
        self.training: Training = problem.training
        start = time.perf_counter()
        inner = losses.get(problem.workload).inner(problem.params)
        arrays, self.terms = loss_form_of(problem.workload, problem.instances, inner)
        self.input_ms = (time.perf_counter() - start) * 1e3
        self.shapes = {path: w.shape for path, w in weights(problem.params).items()}
        given = weight_arrays(problem.params)
        copies = _EACH[self.training.optimiser] * _COPIES.get(problem.workload, 1)
        parameters = _SLACK_MIB + 4 * copies * sum(a.size for a in given.values()) // (1 << 20)
        libraries = built()
        assert libraries is not None
        self.driver = Driver(
            libraries,
            problem.workload,
            STRATEGIES[problem.variant],
            # Training takes no decisions, so the forms written for lockstep fit.
            problem.workload in DECIDING,
            Memory(_FORWARD_MIB, parameters, _BACKWARD_MIB).descriptor(),
            given,
            arrays,
        )
        self.choose(first_batch(problem))
        self.driver.reset(self.training.optimiser)
        self.form = 0
        if len(self.driver.forms) > 1:
            forms = {name: self._try(n) for n, name in enumerate(self.driver.forms)}
            self.form = self.driver.forms.index(fastest(forms, rounds=3))
        self.driver.choose(self.form, self.which)
        self.reset()

    def _try(self, form: int) -> Callable[[], None]:
        # Times the gradients only: an update must know the form's weights, which takes a run.
        return lambda: self.driver.back(form, self.which)

    def reset(self) -> None:
        """Restore the initial weights and the trainer's initial state."""
        self.driver.reset(self.training.optimiser)

    def choose(self, which: np.ndarray) -> None:
        """Choose the instances of the following steps, by number."""
        self.which = which
        self.rate = rate_of(self.training, len(which))

    def forward(self) -> None:
        """Run forward and backward pass, without returning to Python in between."""
        self.driver.back(self.form, self.which)

    def backward(self) -> None:
        """Do nothing: the backward pass has run in `forward`."""

    def update(self) -> None:
        """Update the weights by DyNet's trainer, which updates only the read rows of tables."""
        self.driver.update(self.rate)

    def losses(self) -> np.ndarray:
        """The losses of the instances, each the sum of its terms."""
        terms = self.driver.values().astype(np.float64)
        ends = np.cumsum(self.terms[self.which])
        return np.array([part.sum() for part in np.split(terms, ends[:-1])], np.float32)

    def gradients(self) -> dict[str, np.ndarray]:
        """The gradients by path."""
        return {p: self.driver.take(p, shape, True) for p, shape in self.shapes.items()}

    def weights(self) -> dict[str, np.ndarray]:
        """The weights by path."""
        return {p: self.driver.take(p, shape, False) for p, shape in self.shapes.items()}

    def breakdown(self) -> Breakdown:
        """The figures of the last step. `graph_ms`, the time for building the graph and clearing
        the last one, is a part of `forward_ms`."""
        figures = self.driver.figures
        graph = figures.clear_ms + figures.graph_ms
        found: dict[str, Any] = {
            "input_ms": self.input_ms,
            "graph_ms": graph,
            "forward_ms": graph + figures.forward_ms,
            "backward_ms": figures.backward_ms,
            "update_ms": figures.update_ms,
            "n_nodes": figures.nodes,
            "n_batches": figures.batches,
        }
        named = versions(self.driver, "cpu", self.form)
        return Breakdown(**found, threads_used=1, versions=named)
