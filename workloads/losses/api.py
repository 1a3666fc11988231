"""What a loss provides: the model of one instance's loss, its weights, its labelled instances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from acrobat.lang.model import Model

from ..data.source import TreeSource


@dataclass(frozen=True, slots=True)
class Loss:
    """`model(params, instance)` is the loss of an instance, a tensor of one element. `about` says
    what it is of, in a few words.

    `make_params` and `make_instances` are as a workload's; the weights hold the workload's own
    (`inner` gives them), which begin as they do there, and an instance holds one of the workload's
    (`bare` gives it). `rows` is how often the loss reads its output layer for an instance, and
    `output` the names of the weights that this has beside the workload's, matrix first; none if the
    workload has the layer already."""

    about: str
    model: Model[..., Any]
    make_params: Callable[[str, int, TreeSource], Any]
    make_instances: Callable[[str, int, int, TreeSource], list[Any]]
    inner: Callable[[Any], Any]
    bare: Callable[[Any], Any]
    rows: Callable[[Any], int]
    output: tuple[str, ...] = ()
