"""What a workload provides: a model, its sizes, its weights, its instances, its reference."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from acrobat.lang.model import Model

from .data.source import TreeSource

# The separate studies.
OTHER, DIVERGENCE = "other networks", "divergence"

# Plain Python recurses with about one frame per tree level: room for a chain of 100,000 nodes.
_RECURSION_LIMIT = 1_000_000
_STACK_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class Workload:
    """The record of a measured model, `WORKLOAD` in its module: everything that the harness, the
    systems and the report know about it.

    `order` is its place among the workloads in messages, tables and figures; `label` is its name in
    figures, `narrow_label` the name on two short lines, for the axis of a panel with many.
    `decides` says that control flow reads values of tensors, for which a system must wait.
    `study` is "" for the networks of the paper and of other distributions, which lists contain by
    default; the others are measured only if a configuration names them, in a separate study: OTHER
    networks than the paper's, or DIVERGENCE, where instances differ from each other to a given
    degree. `shares` names the workload whose model and weights this one uses with different
    instances: every system runs it with its implementation of that workload.
    `sizes` maps a size name to the model's dimensions. `make_params(size, seed, source)` returns
    the `@ab.params` object, `make_instances(size, batch, seed, source)` the list of instances.
    """

    name: str
    order: int
    label: str
    title: str
    control_flow: str
    sizes: Mapping[str, Mapping[str, int]]
    model: Model[..., Any]
    make_params: Callable[[str, int, TreeSource], Any]
    make_instances: Callable[[str, int, int, TreeSource], list[Any]]
    narrow_label: str = ""
    decides: bool = False
    study: str = ""
    shares: str = ""

    @property
    def implementation(self) -> str:
        """The name by which systems know its model."""
        return self.shares or self.name

    def dims(self, size: str) -> Mapping[str, int]:
        """The dimensions of `size`; the ValueError for an unknown size lists what exists."""
        if size not in self.sizes:
            raise ValueError(f"{self.name} has no size {size!r}; it has {', '.join(self.sizes)}")
        return self.sizes[size]

    def reference(self, params: Any, instances: Sequence[Any]) -> list[tuple[np.ndarray, ...]]:
        """The model's results in plain Python, instance by instance; every system must match."""
        results: list[tuple[np.ndarray, ...]] = deep(
            lambda: [self.model(params, instance) for instance in instances]
        )
        return results


def deep(function: Callable[[], Any]) -> Any:
    """Run `function` in a thread in which Python may recurse 100,000 calls deep."""
    result: list[Any] = []
    failure: list[BaseException] = []

    def body() -> None:
        try:
            result.append(function())
        except BaseException as error:
            failure.append(error)

    old_stack, old_limit = threading.stack_size(_STACK_BYTES), sys.getrecursionlimit()
    sys.setrecursionlimit(_RECURSION_LIMIT)
    try:
        thread = threading.Thread(target=body)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(old_stack)
        sys.setrecursionlimit(old_limit)
    if failure:
        raise failure[0]
    return result[0]
