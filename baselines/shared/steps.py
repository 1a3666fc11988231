"""Code shared by the trainers of all systems: a step in three parts, and the results compared."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

import workloads
from workloads import losses

from ..api import Problem, Supported, Training, Unsupported
from .support import check

# The decay of Adam's two means, and the epsilon added to the root. With the usual 1e-8 the first
# step is the rate times the sign of the gradient, which depends on rounding if a gradient is near
# zero: weights could not be compared with the reference's. Epsilon does not affect a step's time.
ADAM_BETAS = (0.9, 0.999)
ADAM_EPSILON = 0.1
# DyNet and PyTorch's SparseAdam add epsilon before they correct the bias of the second mean; with
# this value their first step is the same.
ADAM_EPSILON_BEFORE = ADAM_EPSILON * math.sqrt(1 - ADAM_BETAS[1])


class Steps(ABC):
    """A trainer with separate forward pass, backward pass and update.

    Gradients are those of the sum of the losses; the rate is therefore divided by the number of
    instances. Paths of weights are those of `acrobat.lang.params.weights`."""

    forward_ms = backward_ms = update_ms = 0.0

    @abstractmethod
    def reset(self) -> None:
        """See `baselines.api.Trainer`."""

    @abstractmethod
    def choose(self, which: np.ndarray) -> None:
        """Choose the instances of the following steps, by number, int64. After `prepare` they are
        the first ones, as many as the problem's batch has."""

    @abstractmethod
    def forward(self) -> None:
        """Compute the losses of the mini-batch."""

    @abstractmethod
    def backward(self) -> None:
        """Compute the gradients of all weights."""

    @abstractmethod
    def update(self) -> None:
        """Update the weights."""

    @abstractmethod
    def losses(self) -> np.ndarray:
        """The losses of the last forward pass, [n]."""

    @abstractmethod
    def gradients(self) -> dict[str, np.ndarray]:
        """The gradients of the last backward pass, by path, in the workload's layout; copies."""

    @abstractmethod
    def weights(self) -> dict[str, np.ndarray]:
        """The current weights, by path, in the workload's layout."""

    def run(self) -> None:
        """Run one step."""
        start = time.perf_counter()
        self.forward()
        forward = time.perf_counter()
        self.backward()
        backward = time.perf_counter()
        self.update()
        end = time.perf_counter()
        self.forward_ms, self.backward_ms = (forward - start) * 1e3, (backward - forward) * 1e3
        self.update_ms = (end - backward) * 1e3

    def outputs(self) -> list[Any]:
        """The results compared with the reference: the losses and gradients of a first step, and
        the weights after it."""
        self.reset()
        self.forward()
        self.backward()
        found, gradients = self.losses(), self.gradients()
        self.update()
        return step_outputs(found, gradients, self.weights())


def step_outputs(
    losses: np.ndarray, gradients: Mapping[str, np.ndarray], weights: Mapping[str, np.ndarray]
) -> list[Any]:
    """Losses, gradients and weights with their names, in the same order for all systems."""
    found = [("losses", losses)]
    found += [(f"gradient of {path}", gradients[path]) for path in sorted(gradients)]
    return found + [(path, weights[path]) for path in sorted(weights)]


def check_training(
    problem: Problem, system: str, *, implemented: tuple[str, ...], **more: Any
) -> Supported | Unsupported:
    """Whether the trainer of `system` can run `problem`; `implemented` are the workloads that it
    supports, `more` are further arguments of `check`."""
    if problem.workload in workloads.ALL and problem.workload not in losses.names():
        return Unsupported(
            f"{problem.workload} has no loss to train with; there is one of "
            f"{', '.join(losses.names())}"
        )
    assert problem.training is not None
    if problem.workload in workloads.NAMES and problem.workload not in implemented:
        return Unsupported(
            f"{system} does not train {problem.workload}; it trains {', '.join(implemented)}"
        )
    return check(problem, system, workloads=implemented, **more)


def first_batch(problem: Problem) -> np.ndarray:
    """The numbers of the first step's instances: a problem may have more than one mini-batch."""
    return np.arange(min(problem.batch, len(problem.instances)), dtype=np.int64)


def rate_of(training: Training, instances: int) -> float:
    """The factor for the gradient of the sum of the losses. Steps of Adagrad and Adam do not depend
    on the scale of the gradient, except through the epsilon added to the root."""
    return training.rate / instances if training.optimiser == "sgd" else training.rate
