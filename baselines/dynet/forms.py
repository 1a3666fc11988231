"""The driver's form of a workload's instances, and its results in the reference's structure: one
function per workload, and one source file of the driver (cpp)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from workloads.drnn import Nothing, Tree

from ..shared.trees import LEFT, WORD, flatten_tree


class Parts:
    """The tensors of a run, taken one after the other."""

    def __init__(self, values: np.ndarray) -> None:
        self.values, self.at = values, 0

    def take(self, size: int) -> np.ndarray:
        """The next tensor, of `size` elements."""
        self.at += size
        return self.values[self.at - size : self.at]


# The arrays that the driver reads, and the results in the reference's structure from what it gives.
Form = tuple[dict[str, np.ndarray], Callable[[Parts, list[int]], list[Any]]]


def tree_arrays(instances: Sequence[Any]) -> dict[str, np.ndarray]:
    """Of binary trees, as cpp/trees.h reads them."""
    flat = [flatten_tree(tree) for tree in instances]
    nodes = np.concatenate([t[:, LEFT : WORD + 1] for t in flat])
    return {"nodes": nodes, "sizes": np.array([len(t) for t in flat], np.int32)}


def _treelstm(instances: Sequence[Any], params: Any) -> Form:
    h = params.emb.shape[1]
    return tree_arrays(instances), lambda p, _: [(p.take(h), p.take(h)) for _ in instances]


def _mvrnn(instances: Sequence[Any], params: Any) -> Form:
    h = params.vectors.shape[1]
    return tree_arrays(instances), lambda p, _: [p.take(h) for _ in instances]


def sentence_arrays(sentences: Sequence[list[int]]) -> dict[str, np.ndarray]:
    """The words of sentences, and how many each has."""
    return {
        "words": np.fromiter(itertools.chain.from_iterable(sentences), np.int32),
        "lengths": np.array([len(s) for s in sentences], np.int32),
    }


def _birnn(instances: Sequence[Any], params: Any) -> Form:
    c = params.w_out.shape[1]
    return sentence_arrays(instances), lambda p, _: [[p.take(c) for _ in s] for s in instances]


def _nestedrnn(instances: Sequence[Any], params: Any) -> Form:
    h = params.emb.shape[1]
    arrays = sentence_arrays([s for d in instances for s in d.sentences])
    arrays["sentences"] = np.array([len(d.sentences) for d in instances], np.int32)
    return arrays, lambda p, _: [p.take(h) for _ in instances]


def _childsum(instances: Sequence[Any], params: Any) -> Form:
    rows: list[tuple[int, int]] = []
    sizes: list[int] = []
    for tree in instances:
        before = len(rows)
        # Post-order, children in order: the reverse of parents first, children from the right.
        stack = [tree]
        while stack:
            node = stack.pop()
            rows.append((node.word, len(node.children)))
            stack.extend(node.children)
        rows[before:] = rows[before:][::-1]
        sizes.append(len(rows) - before)
    h = params.emb.shape[1]
    arrays = {"nodes": np.array(rows, np.int32), "sizes": np.array(sizes, np.int32)}
    return arrays, lambda p, _: [(p.take(h), p.take(h)) for _ in instances]


def _doubles(name: str, values: Sequence[Sequence[float]]) -> dict[str, np.ndarray]:
    exact = np.array(values, np.float64)
    high = exact.astype(np.float32)
    return {f"{name}.high": high, f"{name}.low": (exact - high).astype(np.float32)}


def _drnn(instances: Sequence[Any], params: Any) -> Form:
    arrays = {
        "tokens": np.array([s.token for s in instances], np.int32),
        **_doubles("child", [s.child for s in instances]),
        **_doubles("sibling", [s.sibling for s in instances]),
    }
    c = params.w_label.shape[1]

    def rebuild(parts: Parts, numbers: list[int]) -> list[Any]:
        flags = iter(numbers)

        def tree() -> Any:
            label, child, sibling = parts.take(c), next(flags), next(flags)
            return Tree(label, tree() if child else Nothing(), tree() if sibling else Nothing())

        return [tree() for _ in instances]

    return arrays, rebuild


def _berxit(instances: Sequence[Any], params: Any) -> Form:
    arrays = {
        "tokens": np.stack([s.tokens for s in instances]),
        **_doubles("thresholds", [s.thresholds for s in instances]),
    }
    c = params.w_class.shape[1]
    return arrays, lambda p, numbers: [(p.take(c), n) for n in numbers]


def _stackrnn(instances: Sequence[Any], params: Any) -> Form:
    h = params.emb.shape[1]
    return sentence_arrays(instances), lambda p, numbers: [(p.take(h), n) for n in numbers]


FORMS: dict[str, Callable[[Sequence[Any], Any], Form]] = {
    "treelstm": _treelstm,
    "treelstm_childsum": _childsum,
    "mvrnn": _mvrnn,
    "birnn": _birnn,
    "nestedrnn": _nestedrnn,
    "drnn": _drnn,
    "berxit": _berxit,
    "stackrnn": _stackrnn,
}
