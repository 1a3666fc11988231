"""Functions and types that the forms of several workloads share."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...shared.trees import LEFT, WORD, flatten_tree


class Parts:
    """The tensors of a run, taken one after the other."""

    def __init__(self, values: np.ndarray) -> None:
        self.values, self.at = values, 0

    def take(self, size: int) -> np.ndarray:
        """The next tensor, of `size` elements."""
        self.at += size
        return self.values[self.at - size : self.at]


# The arrays that the driver reads, and the function that turns its tensors and ints into results in
# the reference's structure.
Form = tuple[dict[str, np.ndarray], Callable[[Parts, list[int]], list[Any]]]
# The arrays that the driver reads, and the number of terms in the loss of each instance.
LossForm = tuple[dict[str, np.ndarray], np.ndarray]


def tree_arrays(instances: Sequence[Any]) -> dict[str, np.ndarray]:
    """The arrays of binary trees, as cpp/trees.h reads them."""
    flat = [flatten_tree(tree) for tree in instances]
    nodes = np.concatenate([t[:, LEFT : WORD + 1] for t in flat])
    return {"nodes": nodes, "sizes": np.array([len(t) for t in flat], np.int32)}


def sentence_arrays(sentences: Sequence[list[int]]) -> dict[str, np.ndarray]:
    """The arrays of sentences: all words, and the number of words of each sentence."""
    return {
        "words": np.fromiter(itertools.chain.from_iterable(sentences), np.int32),
        "lengths": np.array([len(s) for s in sentences], np.int32),
    }


def double_arrays(name: str, values: Sequence[Sequence[float]]) -> dict[str, np.ndarray]:
    """Float64 numbers as two arrays of float32 that add up to them."""
    exact = np.array(values, np.float64)
    high = exact.astype(np.float32)
    return {f"{name}.high": high, f"{name}.low": (exact - high).astype(np.float32)}


def with_labels(
    form: Callable[[Sequence[Any], Any], Form], bare: str
) -> Callable[[Sequence[Any], Any], LossForm]:
    """The loss form of labelled instances, each with the workload's instance in the field `bare`;
    `form` is the workload's form. Each loss has one term."""

    def loss_form(instances: Sequence[Any], params: Any) -> LossForm:
        arrays, _ = form([getattr(given, bare) for given in instances], params)
        arrays["labels"] = np.array([given.label for given in instances], np.int32)
        return arrays, np.ones(len(instances), np.int64)

    return loss_form
