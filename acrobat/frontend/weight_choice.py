"""Weights that the instance chooses: `p.experts[k]`, `p.cells[kind]`, `a if c else b`."""

from __future__ import annotations

from dataclasses import dataclass

from ..ir import typed as T


@dataclass(frozen=True, slots=True, eq=False)
class WeightChoice:
    """The one of `weights` (each an `@ab.params` object, a list or dict of these, or a tensor)
    whose key equals `selector`, an int or a string that is one of `keys`. `texts` is what errors
    call each of them."""

    selector: T.Atom
    keys: tuple[int | str, ...]
    weights: tuple[T.Var, ...]
    texts: tuple[str, ...]
