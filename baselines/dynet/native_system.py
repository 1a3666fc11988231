"""The native build, driven from C++: graph construction and evaluation are DyNet's own speed.

The driver's form of the instances is trees and sequences of its own; they are written once, in
`prepare`. A run builds the graph of the whole mini-batch anew and evaluates it, as with the wheel.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..api import Breakdown, Problem, Supported, Unsupported
from ..clock import fastest
from ..support import check
from ..trees import LEFT, WORD, flatten_tree
from .arrays import weight_arrays
from .build import DYNET, EIGEN, built
from .native import Driver
from .wheel import STRATEGIES, Memory

WORKLOADS = ("treelstm", "treelstm_childsum", "mvrnn", "birnn", "nestedrnn")
# Of the forward pool; it grows while warming up.
_FORWARD_MIB = 512
# Copies of the weights that the forms of a model keep, each with room for its gradient.
_COPIES = 10


class System:
    """What the driver has, on one thread."""

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """If the build is there."""
        answer = check(
            problem, "dynet", workloads=WORKLOADS, variants=tuple(STRATEGIES), devices=("cpu",)
        )
        if isinstance(answer, Supported) and built() is None:
            return Unsupported(
                "DyNet has not been built natively on this machine: "
                "python -m baselines.dynet.build; or measure the wheel's variants, "
                f"'wheel-{problem.variant}'"
            )
        return answer

    def prepare(self, problem: Problem) -> None:
        """Write weights and instances, take the fastest form of the model for this mini-batch."""
        start = time.perf_counter()
        arrays, self.shapes = _FORMS[problem.workload](problem.instances, problem.params)
        self.input_ms = (time.perf_counter() - start) * 1e3
        weights = weight_arrays(problem.params)
        floats = sum(a.size for a in weights.values())
        memory = Memory(_FORWARD_MIB, 64 + _COPIES * 4 * floats // (1 << 20))
        libraries = built()
        assert libraries is not None
        self.driver = Driver(
            libraries,
            problem.workload,
            STRATEGIES[problem.variant],
            memory.descriptor(),
            weights,
            arrays,
        )

        def try_out(form: int) -> Callable[[], None]:
            return lambda: self.driver.run(form) and None

        forms = {str(form): try_out(form) for form in range(self.driver.forms)}
        self.form = int(fastest(forms, rounds=3))

    def run(self) -> None:
        """Build the graph of the whole mini-batch and evaluate it."""
        self.driver.run(self.form)

    def outputs(self) -> list[Any]:
        """The results in the reference's structure."""
        values, at = self.driver.values(), 0
        results: list[Any] = []
        for structure, sizes in self.shapes:
            parts = []
            for size in sizes:
                parts.append(values[at : at + size])
                at += size
            results.append(parts[0] if structure is None else structure(parts))
        return results

    def breakdown(self) -> Breakdown:
        """`kernel_ms` holds DyNet's own scheduling and copying, which it does not tell apart."""
        figures = self.driver.figures
        return Breakdown(
            input_ms=self.input_ms,
            graph_ms=figures.graph_ms,
            kernel_ms=figures.forward_ms,
            n_nodes=figures.nodes,
            n_syncs=figures.syncs,
            versions={
                "dynet": f"{DYNET.requirement}, {EIGEN.requirement}, -march=native",
                "form": f"{self.form} of {self.driver.forms}",
                "threads_used": "1",
            },
        )


# Per instance: what its tensors are put into (None: there is one), and their sizes.
Shapes = list[tuple[Callable[[list[np.ndarray]], Any] | None, list[int]]]
Form = tuple[dict[str, np.ndarray], Shapes]


def _trees(instances: Sequence[Any]) -> dict[str, np.ndarray]:
    flat = [flatten_tree(tree) for tree in instances]
    nodes = np.concatenate([t[:, LEFT : WORD + 1] for t in flat])
    return {"nodes": nodes, "sizes": np.array([len(t) for t in flat], np.int32)}


def _treelstm(instances: Sequence[Any], params: Any) -> Form:
    hidden = params.emb.shape[1]
    return _trees(instances), [(tuple, [hidden, hidden]) for _ in instances]


def _mvrnn(instances: Sequence[Any], params: Any) -> Form:
    return _trees(instances), [(None, [params.vectors.shape[1]]) for _ in instances]


def _birnn(instances: Sequence[Any], params: Any) -> Form:
    words = np.fromiter(itertools.chain.from_iterable(instances), np.int32)
    lengths = np.array([len(s) for s in instances], np.int32)
    classes = params.w_out.shape[1]
    return (
        {"words": words, "lengths": lengths},
        [(list, [classes] * int(n)) for n in lengths],
    )


def _nestedrnn(instances: Sequence[Any], params: Any) -> Form:
    sentences = [s for d in instances for s in d.sentences]
    arrays = {
        "words": np.fromiter(itertools.chain.from_iterable(sentences), np.int32),
        "lengths": np.array([len(s) for s in sentences], np.int32),
        "sentences": np.array([len(d.sentences) for d in instances], np.int32),
    }
    return arrays, [(None, [params.emb.shape[1]]) for _ in instances]


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
    hidden = params.emb.shape[1]
    arrays = {"nodes": np.array(rows, np.int32), "sizes": np.array(sizes, np.int32)}
    return arrays, [(tuple, [hidden, hidden]) for _ in instances]


_FORMS: dict[str, Callable[[Sequence[Any], Any], Form]] = {
    "treelstm": _treelstm,
    "treelstm_childsum": _childsum,
    "mvrnn": _mvrnn,
    "birnn": _birnn,
    "nestedrnn": _nestedrnn,
}
