"""The reference for a training step: plain Python in float64."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from acrobat.lang.params import weights
from acrobat.training.on_tape import TapeRun
from baselines.api import Problem
from baselines.shared.steps import ADAM_EPSILON, rate_of, step_outputs
from workloads import losses
from workloads.losses.api import Loss


def loss_reference(
    loss: Loss, params: Any, instances: Sequence[Any]
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The losses [n], and the gradients of their sum by path, in float64."""
    run = TapeRun(loss.model, params, tuple(weights(params)), np.float64)
    # Run backward as soon as an instance has run forward, after which its record can be freed.
    run.forward(list(instances), then=lambda n: run.backward({n: [np.ones(())]}))
    found = np.array([float(np.asarray(result)) for result in run.results])
    return found, {path: np.asarray(g) for path, g in run.gradients().items()}


def reference_step(problem: Problem) -> list[Any]:
    """Losses, gradients and new weights of a first step of "sgd" or "adam". In Adam's first step
    the bias-corrected means are the gradient and its square."""
    assert problem.training is not None
    params, instances = problem.params, problem.instances
    found, gradients = loss_reference(losses.get(problem.workload), params, instances)
    rate = rate_of(problem.training, len(instances))
    steps = gradients
    if problem.training.optimiser == "adam":
        steps = {path: g / (np.abs(g) + ADAM_EPSILON) for path, g in gradients.items()}
    after = {path: w - rate * steps[path] for path, w in weights(params).items()}
    return step_outputs(found, gradients, after)
