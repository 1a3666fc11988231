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

from acrobat.runtime.gpu import find_gpu

from ..api import Breakdown, Problem, Supported, Unsupported
from ..clock import fastest
from ..support import check
from ..trees import LEFT, WORD, flatten_tree
from . import LOCKSTEP
from .arrays import weight_arrays
from .blas import described
from .build import RELEASE_FLAGS, built
from .cuda import HOST_FLAGS, built_cuda, load_libraries
from .native import Driver
from .sources import DYNET, EIGEN
from .wheel import STRATEGIES, Memory

WORKLOADS = (
    "treelstm",
    "treelstm_childsum",
    "mvrnn",
    "birnn",
    "nestedrnn",
    "drnn",
    "berxit",
    "stackrnn",
)
# Those that wait for values, which may be batched across instances by hand: variants in lockstep.
DECIDING = ("drnn", "berxit", "stackrnn")
# On which DyNet 2.1.2 reads outside of an array with strategy 3, at two instances and more.
_CRASHES = ("nestedrnn", "treelstm_childsum")

# Of the pool of the nodes' values: enough for one instance of the models that revert, which needs
# a pool that has not grown; for the others it grows to what the mini-batch needs in its first run.
_FORWARD_MIB = 128
# Of the pool of the weights, besides them.
_SLACK_MIB = 64
# Copies of the weights that the forms of a model keep; DyNet adds a gradient to each.
_COPIES = {"treelstm": 4}


class System:
    """What the driver has, on one thread."""

    @staticmethod
    def supports(problem: Problem) -> Supported | Unsupported:
        """If the build is there."""
        variants = (*STRATEGIES, *(s + LOCKSTEP for s in STRATEGIES))
        answer = check(
            problem, "dynet", workloads=WORKLOADS, variants=variants, devices=("cpu", "cuda")
        )
        if problem.variant == "autobatch3" and problem.workload in _CRASHES:
            return Unsupported(
                f"DyNet's strategy 3 crashes on {problem.workload}: it runs a kind of node only "
                f"when none of it is left at its depth, and finds no such kind (exec.cc)"
            )
        if problem.variant.endswith(LOCKSTEP) and problem.workload not in DECIDING:
            return Unsupported(
                f"{problem.workload} takes no decisions from values: there is nothing to do in "
                f"lockstep"
            )
        if isinstance(answer, Supported) and problem.device == "cuda":
            arch = f"sm_{find_gpu().arch}"
            if built_cuda(arch) is None:
                return Unsupported(
                    f"DyNet has not been built for this GPU: "
                    f"python -m baselines.dynet.build --cuda {arch}"
                )
            return answer
        if isinstance(answer, Supported) and built() is None:
            return Unsupported(
                "DyNet has not been built natively on this machine: "
                "python -m baselines.dynet.build; or measure the wheel's variants, "
                f"'wheel-{problem.variant.removesuffix(LOCKSTEP)}'"
            )
        return answer

    def prepare(self, problem: Problem) -> None:
        """Write weights and instances, take the fastest form of the model for this mini-batch."""
        start = time.perf_counter()
        arrays, self.rebuild = _FORMS[problem.workload](problem.instances, problem.params)
        self.input_ms = (time.perf_counter() - start) * 1e3
        weights = weight_arrays(problem.params)
        floats = 2 * _COPIES.get(problem.workload, 1) * sum(a.size for a in weights.values())
        memory = Memory(_FORWARD_MIB, _SLACK_MIB + 4 * floats // (1 << 20))
        if problem.device == "cuda":
            load_libraries()
            libraries = built_cuda(f"sm_{find_gpu().arch}")
        else:
            libraries = built()
        assert libraries is not None
        self.flags = " ".join(HOST_FLAGS)
        if problem.device == "cpu":
            self.flags = f"{RELEASE_FLAGS}, {described()}"
        self.driver = Driver(
            libraries,
            problem.workload,
            STRATEGIES[problem.variant.removesuffix(LOCKSTEP)],
            problem.variant.endswith(LOCKSTEP),
            memory.descriptor(),
            weights,
            arrays,
        )

        def try_out(form: int) -> Callable[[], object]:
            return lambda: self.driver.run(form)

        forms = {name: try_out(form) for form, name in enumerate(self.driver.forms)}
        self.form = self.driver.forms.index(fastest(forms, rounds=3))

    def run(self) -> None:
        """Build the graph of the whole mini-batch and evaluate it."""
        self.driver.run(self.form)

    def outputs(self) -> list[Any]:
        """The results in the reference's structure."""
        return self.rebuild(_Parts(self.driver.values()), self.driver.numbers().tolist())

    def breakdown(self) -> Breakdown:
        """`graph_ms` is building the graph and clearing the last one; `kernel_ms` holds DyNet's own
        scheduling and copying, which it does not tell apart."""
        figures = self.driver.figures
        return Breakdown(
            input_ms=self.input_ms,
            graph_ms=figures.clear_ms + figures.graph_ms,
            kernel_ms=figures.forward_ms,
            n_nodes=figures.nodes,
            n_batches=figures.batches,
            n_syncs=figures.syncs,
            peak_mem_mb=figures.bytes / 2**20,
            threads_used=1,
            versions={
                "dynet": DYNET.requirement,
                "eigen": EIGEN.requirement,
                "compiler": f"{self.driver.compiler} {self.flags}",
                "form": self.driver.forms[self.form],
            },
        )


class _Parts:
    """The tensors of a run, taken one after the other."""

    def __init__(self, values: np.ndarray) -> None:
        self.values, self.at = values, 0

    def take(self, size: int) -> np.ndarray:
        """The next tensor, of `size` elements."""
        self.at += size
        return self.values[self.at - size : self.at]


# The arrays that the driver reads, and the results in the reference's structure from what it gives.
Form = tuple[dict[str, np.ndarray], Callable[[_Parts, list[int]], list[Any]]]


def _trees(instances: Sequence[Any]) -> dict[str, np.ndarray]:
    flat = [flatten_tree(tree) for tree in instances]
    nodes = np.concatenate([t[:, LEFT : WORD + 1] for t in flat])
    return {"nodes": nodes, "sizes": np.array([len(t) for t in flat], np.int32)}


def _treelstm(instances: Sequence[Any], params: Any) -> Form:
    h = params.emb.shape[1]
    return _trees(instances), lambda p, _: [(p.take(h), p.take(h)) for _ in instances]


def _mvrnn(instances: Sequence[Any], params: Any) -> Form:
    h = params.vectors.shape[1]
    return _trees(instances), lambda p, _: [p.take(h) for _ in instances]


def _sentences(sentences: Sequence[list[int]]) -> dict[str, np.ndarray]:
    return {
        "words": np.fromiter(itertools.chain.from_iterable(sentences), np.int32),
        "lengths": np.array([len(s) for s in sentences], np.int32),
    }


def _birnn(instances: Sequence[Any], params: Any) -> Form:
    c = params.w_out.shape[1]
    return _sentences(instances), lambda p, _: [[p.take(c) for _ in s] for s in instances]


def _nestedrnn(instances: Sequence[Any], params: Any) -> Form:
    h = params.emb.shape[1]
    arrays = _sentences([s for d in instances for s in d.sentences])
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
    from workloads.drnn import Nothing, Tree

    arrays = {
        "tokens": np.array([s.token for s in instances], np.int32),
        **_doubles("child", [s.child for s in instances]),
        **_doubles("sibling", [s.sibling for s in instances]),
    }
    c = params.w_label.shape[1]

    def rebuild(parts: _Parts, numbers: list[int]) -> list[Any]:
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
    return _sentences(instances), lambda p, numbers: [(p.take(h), n) for n in numbers]


_FORMS: dict[str, Callable[[Sequence[Any], Any], Form]] = {
    "treelstm": _treelstm,
    "treelstm_childsum": _childsum,
    "mvrnn": _mvrnn,
    "birnn": _birnn,
    "nestedrnn": _nestedrnn,
    "drnn": _drnn,
    "berxit": _berxit,
    "stackrnn": _stackrnn,
}
