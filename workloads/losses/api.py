"""What a loss provides: a model of one instance's loss, its weights, and labelled instances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from acrobat.lang.model import Model

from ..data.source import TreeSource


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss. `model(params, instance)` is the loss of an instance, a tensor of one element;
    `about` describes it in a few words.

    `make_params` and `make_instances` are like a workload's. The weights contain the workload's own
    (`inner` returns them), with the same initial values, and an instance contains one of the
    workload's (`bare` returns it). `rows` is the number of times that the loss applies its output
    layer for an instance, and `output` are the names of that layer's weights, matrix first, or
    empty if the layer is part of the workload."""

    about: str
    model: Model[..., Any]
    make_params: Callable[[str, int, TreeSource], Any]
    make_instances: Callable[[str, int, int, TreeSource], list[Any]]
    inner: Callable[[Any], Any]
    bare: Callable[[Any], Any]
    rows: Callable[[Any], int]
    output: tuple[str, ...] = ()
