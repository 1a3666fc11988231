"""Gradients of the workloads by torch's autograd, in float64."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from acrobat.lang.mapped_params import mapped_params
from acrobat.lang.params import weights
from acrobat.training.cotangents import tensors_of
from baselines.torch_eager.weights import instance_as_torch
from workloads.api import Workload, deep


def torch_gradients(
    workload: Workload, params: Any, instances: Sequence[Any], cotangents: Sequence[Any]
) -> tuple[list[list[np.ndarray]], dict[str, np.ndarray]]:
    """The tensors of the results, and the gradients of all weights by path."""
    net = importlib.import_module(f"baselines.torch_eager.{workload.name}").Net
    doubled = mapped_params(params, lambda path, w: w.astype(np.float64))
    torch.set_default_dtype(torch.float64)
    try:
        run = net(doubled, "cpu")
        leaves = dict(_leaves(run.p, ""))
        for leaf in leaves.values():
            leaf.requires_grad_()
        results = deep(lambda: [run(_double(instance_as_torch(i, "cpu"))) for i in instances])
    finally:
        torch.set_default_dtype(torch.float32)
    tensors = [list(tensors_of_torch(r)) for r in results]
    total: Any = sum(
        (t * torch.from_numpy(np.asarray(c, np.float64))).sum()
        for ts, cs in zip(tensors, cotangents, strict=True)
        for t, c in zip(ts, tensors_of(cs), strict=True)
    )
    total.backward()
    return [[t.detach().numpy() for t in ts] for ts in tensors], {
        path: _gradient(leaves[path], weight) for path, weight in weights(params).items()
    }


def _gradient(leaf: torch.Tensor, weight: np.ndarray) -> np.ndarray:
    """In the weight's layout: the baselines transpose some."""
    got: np.ndarray = (torch.zeros_like(leaf) if leaf.grad is None else leaf.grad).numpy()
    return got if np.array_equal(leaf.detach().numpy(), weight) else got.T


def _leaves(p: SimpleNamespace, prefix: str) -> Iterator[tuple[str, torch.Tensor]]:
    for name, value in vars(p).items():
        if isinstance(value, SimpleNamespace):
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def tensors_of_torch(result: Any) -> Iterator[torch.Tensor]:
    """As `tensors_of`."""
    if isinstance(result, torch.Tensor):
        yield result
    elif isinstance(result, (list, tuple)):
        for value in result:
            yield from tensors_of_torch(value)
    elif hasattr(result, "__dataclass_fields__"):
        for name in result.__dataclass_fields__:
            yield from tensors_of_torch(getattr(result, name))


def _double(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.double() if value.is_floating_point() else value
    if isinstance(value, SimpleNamespace):
        return SimpleNamespace(**{n: _double(v) for n, v in vars(value).items()})
    return value
