"""What a soak runs: compiled models, instances, and what must come out, to the last bit."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

import acrobat as ab
import workloads
from acrobat import Float32, Tensor, ops
from workloads.data.source import TreeSource
from workloads.results import flatten

Flat = tuple[str, list[np.ndarray]]


@ab.data
class Stop:
    pass


@ab.data
class Step:
    row: int
    rest: "Chain"


Chain = Stop | Step


@ab.params
class Rows:
    table: Float32[Tensor, "V H"]
    w: Float32[Tensor, "H H"]


@ab.model
def fold(p: Rows, chain: Chain, h: Float32[Tensor, "H"]) -> Float32[Tensor, "H"]:
    match chain:
        case Stop():
            return h
        case Step(row, rest):
            return fold(p, rest, ops.tanh(h @ p.w + p.table[row]))


@ab.model
def last_row(p: Rows, chain: Chain) -> Float32[Tensor, "H"]:
    return fold(p, chain, p.table[0])


@ab.model
def until_positive(p: Rows, words: list[int]) -> Float32[Tensor, "H"]:
    """Asks a tensor whether to go on: every instance suspends at another place."""
    h = p.table[0]
    for word in words:
        h = ops.tanh(h @ p.w + p.table[word])
        if ops.argmax(h) == 0:
            return h
    return h


VOCABULARY, WIDTH = 12, 8
Wrong = list[tuple[Any, type[Exception]]]


def chain_of(rows: Sequence[int]) -> Any:
    chain: Any = Stop()
    for row in reversed(rows):
        chain = Step(row, chain)
    return chain


@dataclasses.dataclass
class Subject:
    """A model whose results are known. `wrong` are instances that it must refuse, with the kind of
    error that it must raise."""

    name: str
    model: Any
    params: Any
    instances: list[Any]
    options: ab.Options
    wrong: list[tuple[Any, type[Exception]]]
    want: list[Flat] = dataclasses.field(default_factory=list)
    fast: Any = None

    def compile(self) -> None:
        """Compiles it and compares it with plain Python; its results are what later ones are
        compared with."""
        self.fast = ab.compile(self.model, self.params, "cpu", self.options)
        self.want = [flatten(r) for r in self.fast(self.instances)]
        for (structure, arrays), instance in zip(self.want, self.instances, strict=True):
            arguments = instance if isinstance(instance, tuple) else (instance,)
            plain_structure, plain = flatten(self.model(self.params, *arguments))
            assert plain_structure == structure, self.name
            for a, b in zip(plain, arrays, strict=True):
                np.testing.assert_allclose(b, a, rtol=1e-3, atol=1e-4, err_msg=self.name)

    def check(self, chosen: Sequence[int], results: Sequence[Any]) -> None:
        """AssertionError if results of instances differ from the first ones."""
        assert len(chosen) == len(results), f"{self.name}: {len(results)} results"
        for index, result in zip(chosen, results, strict=True):
            structure, arrays = flatten(result)
            want_structure, want = self.want[index]
            assert structure == want_structure, f"{self.name}, instance {index}: {structure}"
            for a, b in zip(want, arrays, strict=True):
                assert np.array_equal(a, b, equal_nan=True), f"{self.name}, instance {index}"


def make_subjects(names: Sequence[str], threads: int) -> list[Subject]:
    """The workloads of those names at `tiny` and two small models, compiled."""
    source, rng = TreeSource(None), np.random.default_rng(0)
    options = ab.Options(threads=threads)
    made = []
    for name in names:
        workload = workloads.get(name)
        params = workload.make_params("tiny", 0, source)
        instances = workload.make_instances("tiny", 40, 0, source)
        wrong: Wrong = [(object(), ab.InstanceError)]
        made.append(Subject(name, workload.model, params, instances, options, wrong))
    rows = Rows(
        table=rng.normal(0, 0.5, (VOCABULARY, WIDTH)).astype(np.float32),
        w=rng.normal(0, 0.5, (WIDTH, WIDTH)).astype(np.float32),
    )
    words = [rng.integers(0, VOCABULARY, rng.integers(0, 30)).tolist() for _ in range(40)]
    small = ab.Options(threads=threads, stack_mb=1)
    wrong_chains: Wrong = [
        (chain_of([0, VOCABULARY]), ab.InstanceError),
        (chain_of([0] * 100_000), ab.RecursionLimitError),
        ([1, 2], ab.InstanceError),
    ]
    wrong_words: Wrong = [([1, VOCABULARY], ab.InstanceError), ([1, "2"], ab.InstanceError)]
    chains = [chain_of(w) for w in words]
    made += [
        Subject("last_row", last_row, rows, chains, small, wrong_chains),
        Subject("until_positive", until_positive, rows, words, options, wrong_words),
        Subject(
            "until_positive, interpreted",
            until_positive,
            rows,
            words,
            ab.Options(executor="vm"),
            wrong_words,
        ),
    ]
    for subject in made:
        subject.compile()
    return made
