"""Compute the values of the weights that `specialise` made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from ...ir import typed as T
from ...ir.ops import OPS


def fold_weights(
    weights: Mapping[str, np.ndarray],
    folded: Mapping[str, T.FoldedWeight],
    kept: Mapping[str, np.ndarray] | None = None,
) -> dict[str, np.ndarray]:
    """The values of `weights` and `folded`, by path. `kept`: values of folded weights that need
    not be computed again."""
    values: dict[str, np.ndarray] = {**weights, **(kept or {})}
    # Without recursion: folding may nest as deeply as a function has statements.
    work = list(folded.values())[::-1]
    while work:
        value = work[-1]
        args = [a for a in value.args if isinstance(a, T.FoldedWeight) and a.path not in values]
        if args:
            work += reversed(args)
            continue
        work.pop()
        if value.path not in values:
            known = [a.value if isinstance(a, T.Const) else values[a.path] for a in value.args]
            result = OPS[value.op].numpy(*known, **dict(value.attrs))
            values[value.path] = np.ascontiguousarray(result, dtype=np.float32)
    return values


def made_of(changed: Iterable[str], folded: Mapping[str, T.FoldedWeight]) -> frozenset[str]:
    """The `changed` weights, and those of `folded` that are computed from them."""
    changed = frozenset(changed)

    def changes(value: T.FoldedWeight) -> bool:
        work: list[T.FoldedWeight | T.Weight] = [value]
        seen: set[str] = set()
        while work:
            at = work.pop()
            if at.path in changed:
                return True
            if at.path not in seen and isinstance(at, T.FoldedWeight):
                seen.add(at.path)
                work += [a for a in at.args if not isinstance(a, T.Const)]
        return False

    return changed | {path for path, value in folded.items() if changes(value)}
