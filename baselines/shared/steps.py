"""What the trainers of all systems share: a step in three parts, and what of a step is compared."""

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

# Adam's decay of both means, and what is added to the root. With the usual 1e-8 the first step is
# the rate times the gradient's sign, which rounding decides where a gradient is near zero: weights
# could not be compared with the reference's. What a step takes does not depend on it.
ADAM_BETAS = (0.9, 0.999)
ADAM_EPSILON = 0.1
# DyNet and PyTorch's SparseAdam add it before they correct the bias of the second mean: with this
# their first step is the same.
ADAM_EPSILON_BEFORE = ADAM_EPSILON * math.sqrt(1 - ADAM_BETAS[1])


class Steps(ABC):
    """A trainer whose forward run, backward run and update follow each other.

    Gradients are those of the sum of the losses, and paths of weights those of
    `acrobat.lang.params.weights`; the rate is divided by the number of instances."""

    forward_ms = backward_ms = update_ms = 0.0

    @abstractmethod
    def reset(self) -> None:
        """See `baselines.api.Trainer`."""

    @abstractmethod
    def choose(self, which: np.ndarray) -> None:
        """The instances of the steps that follow, by number, int64. After `prepare` it is as many
        as the problem's batch has, the first ones."""

    @abstractmethod
    def forward(self) -> None:
        """The losses of the mini-batch."""

    @abstractmethod
    def backward(self) -> None:
        """The gradients of all weights."""

    @abstractmethod
    def update(self) -> None:
        """Change the weights."""

    @abstractmethod
    def losses(self) -> np.ndarray:
        """Of the last forward run, [n]."""

    @abstractmethod
    def gradients(self) -> dict[str, np.ndarray]:
        """Of the last backward run, by path, in the layout of the workload; copies."""

    @abstractmethod
    def weights(self) -> dict[str, np.ndarray]:
        """The weights as they are, by path, in the layout of the workload."""

    def run(self) -> None:
        """One step."""
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
        """What is compared with the reference: the losses and gradients of the first step, and the
        weights after it."""
        self.reset()
        self.forward()
        self.backward()
        found, gradients = self.losses(), self.gradients()
        self.update()
        return step_outputs(found, gradients, self.weights())


def step_outputs(
    losses: np.ndarray, gradients: Mapping[str, np.ndarray], weights: Mapping[str, np.ndarray]
) -> list[Any]:
    """Losses, gradients and weights with their names, in one order for all systems."""
    found = [("losses", losses)]
    found += [(f"gradient of {path}", gradients[path]) for path in sorted(gradients)]
    return found + [(path, weights[path]) for path in sorted(weights)]


def check_training(
    problem: Problem, system: str, *, implemented: tuple[str, ...], **more: Any
) -> Supported | Unsupported:
    """Whether the trainer of `system`, which is `implemented` for some workloads, can run
    `problem`; `more` as of `check`."""
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
    """The numbers of the instances of the first step: there may be more of them than a mini-batch
    has."""
    return np.arange(min(problem.batch, len(problem.instances)), dtype=np.int64)


def rate_of(training: Training, instances: int) -> float:
    """What the gradient of the sum of the losses is multiplied by. Steps of Adagrad and Adam do not
    depend on a factor of the gradient, but for what is added to the root."""
    return training.rate / instances if training.optimiser == "sgd" else training.rate
