"""What DyNet's driver reads of instances, and its results in the reference's structure:
one module per workload, beside one source file of the driver (cpp). With a `loss_form` it can be
trained."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from typing import Any

from .shared import Form, LossForm, Parts

__all__ = ["FORMS", "LOSS_FORMS", "Parts"]

_MODULES = {
    found.name: importlib.import_module(f".{found.name}", __name__)
    for found in pkgutil.iter_modules(__path__)
    if found.name != "shared"
}
# From instances and the workload's own weights.
FORMS: dict[str, Callable[[Sequence[Any], Any], Form]] = {
    name: module.form for name, module in _MODULES.items()
}
LOSS_FORMS: dict[str, Callable[[Sequence[Any], Any], LossForm]] = {
    name: module.loss_form for name, module in _MODULES.items() if hasattr(module, "loss_form")
}
