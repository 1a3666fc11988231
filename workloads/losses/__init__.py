"""The losses for training: each is a model that computes the loss of a workload for one instance.

A module here with the name of a workload and a `LOSS` is its loss; there is no other list.
"""

from __future__ import annotations

import importlib
import pkgutil

from .api import Loss

_OTHERS = ("api", "sentiment_accuracy")


def get(workload: str) -> Loss:
    """The loss of a workload; if it has none, a ValueError lists the workloads that do."""
    if workload not in names():
        raise ValueError(f"{workload} has no loss; there is one of {', '.join(names())}")
    found = importlib.import_module(f"{__name__}.{workload}").LOSS
    assert isinstance(found, Loss), workload
    return found


def names() -> tuple[str, ...]:
    """The workloads that have a loss."""
    return tuple(m.name for m in pkgutil.iter_modules(__path__) if m.name not in _OTHERS)
