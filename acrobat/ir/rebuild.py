"""Rebuilding nodes: what has not changed stays the same object.

A pass that finds nothing to do returns the module that it was given, so that its caller can tell by
`is`, and nothing is copied without need.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

N = TypeVar("N")


def rebuilt(node: N, **parts: Any) -> N:
    """The dataclass `node` with other `parts`; `node` itself if it has these very objects. Tuples
    and mappings count as the same if they hold the same objects in the same order."""
    changed = {k: part for k, part in parts.items() if not _is_same(getattr(node, k), part)}
    return replace(node, **changed) if changed else node  # type: ignore[type-var]


def _is_same(old: Any, new: Any) -> bool:
    if old is new:
        return True
    if isinstance(old, tuple) and isinstance(new, tuple):
        return len(old) == len(new) and all(map(_is_identical, old, new))
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return list(old) == list(new) and all(map(_is_identical, old.values(), new.values()))
    return False


def _is_identical(a: object, b: object) -> bool:
    return a is b
