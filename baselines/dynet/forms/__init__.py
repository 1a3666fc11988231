"""The arrays that DyNet's driver reads, and its results in the reference's structure: one module
per workload, for each source file of a model in the driver (cpp). A workload can be trained if its
module has a `loss_form`."""

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
    """The form of instances; `params` are the workload's own weights."""
    made: Form = _module(workload).form(instances, params)
    return made


def loss_form_of(workload: str, instances: Sequence[Any], params: Any) -> LossForm:
    """The form of labelled instances; `params` are the weights of the workload without a loss."""
    made: LossForm = _module(workload).loss_form(instances, params)
    return made


def _module(workload: str) -> Any:
    return importlib.import_module(f"{__name__}.{workload}")
