"""What DyNet's driver reads of instances, and its results in the reference's structure: one module
per workload, beside one source file of the driver (cpp). With a `loss_form` it can be trained."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from ...shared.support import implemented
from .shared import Form, LossForm, Parts

__all__ = ["TRAINED", "WORKLOADS", "Parts", "form_of", "loss_form_of"]

WORKLOADS = implemented(__name__)
TRAINED = implemented(__name__, "loss_form")


def form_of(workload: str, instances: Sequence[Any], params: Any) -> Form:
    """Of instances, by the workload's own weights."""
    made: Form = _module(workload).form(instances, params)
    return made


def loss_form_of(workload: str, instances: Sequence[Any], params: Any) -> LossForm:
    """Of labelled instances, by the weights of the workload without a loss."""
    made: LossForm = _module(workload).loss_form(instances, params)
    return made


def _module(workload: str) -> Any:
    return importlib.import_module(f"{__name__}.{workload}")
