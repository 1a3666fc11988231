"""Models that use every construct of the language, with instances for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.frontend.construct_data import (
    Leaf,
    make_chain,
    make_tree,
)
from tests.frontend.control_constructs import (
    arithmetic,
    decisions,
    for_loops,
    linked,
    logic,
    mutual,
    narrowed,
    recursion,
    walk_down,
    while_loops,
    wildcard,
)
from tests.frontend.value_constructs import (
    calculated,
    changed,
    comprehensions,
    folded,
    growing,
    keyed,
    lists,
    matrices,
    pointwise,
    rowwise,
    shapes,
)

# -- functions, data, branches ---------------------------------------------------------------------


# -- numbers ---------------------------------------------------------------------------------------


# -- loops and lists -------------------------------------------------------------------------------


# -- None ------------------------------------------------------------------------------------------


# -- decisions, phases -----------------------------------------------------------------------------


# -- tensors ---------------------------------------------------------------------------------------


# -- instances -------------------------------------------------------------------------------------


def make_instances() -> dict[str, list[Any]]:
    """Instances by the name of the model's instance parameter and its type."""
    rng = np.random.default_rng(1)
    chains = [make_chain(rng, 1 + n % 4) for n in range(24)]
    trees = [make_tree(rng, n % 5) for n in range(16)]
    leaves = [t for t in trees if isinstance(t, Leaf)]
    return {"Chain": chains, "Optional[Chain]": [None, *chains], "Tree": trees, "Leaf": leaves}


MODELS: dict[Callable[..., Any], str] = {
    recursion: "Tree",
    wildcard: "Tree",
    mutual: "Chain",
    arithmetic: "Chain",
    logic: "Chain",
    for_loops: "Chain",
    while_loops: "Chain",
    walk_down: "Tree",
    growing: "Chain",
    lists: "Chain",
    comprehensions: "Chain",
    changed: "Chain",
    rowwise: "Chain",
    folded: "Chain",
    keyed: "Chain",
    calculated: "Chain",
    narrowed: "Optional[Chain]",
    linked: "Chain",
    decisions: "Tree",
    pointwise: "Leaf",
    matrices: "Leaf",
    shapes: "Leaf",
}
