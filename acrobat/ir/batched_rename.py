"""Renaming variables in the batched IR."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import TypeVar

from . import typed as T
from .rebuild import rebuilt

Node = TypeVar("Node")


def renamed(node: Node, f: Callable[[T.Var], T.Var]) -> Node:
    """`node` (a statement, region, function, block, or a tuple or mapping of such) with every
    variable in it, defined or used, replaced by `f`. What does not change stays the same object."""
    new: object = node
    if isinstance(node, T.Var):
        new = f(node)
    elif isinstance(node, tuple):
        parts = tuple(renamed(part, f) for part in node)
        if any(a is not b for a, b in zip(parts, node, strict=True)):
            new = parts
    elif isinstance(node, Mapping):
        new = {k: renamed(v, f) for k, v in node.items()}
    elif is_dataclass(node) and not isinstance(node, type):
        new = rebuilt(node, **{x.name: renamed(getattr(node, x.name), f) for x in fields(node)})
    return new  # type: ignore[return-value]


def with_names(node: Node, names: Mapping[T.Var, T.Var]) -> Node:
    """`node` with the variables of `names` replaced."""
    return renamed(node, lambda v: names.get(v, v)) if names else node
