"""The whole compiler on TreeLSTM: right with every option, at every batch size, on any shape."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import acrobat as ab
import workloads
from tests.selection import some
from workloads.data.source import TreeSource
from workloads.treelstm import Leaf, Node, TreeLSTM, encode

SOURCE = TreeSource(None)
WORKLOAD = workloads.get("treelstm")


def small_params(hidden: int = 16, vocabulary: int = 50, seed: int = 0) -> TreeLSTM:
    rng = np.random.default_rng(seed)

    def weight(*shape: int) -> np.ndarray:
        return (rng.standard_normal(shape) * 0.3).astype(np.float32)

    return TreeLSTM(
        emb=weight(vocabulary, hidden),
        w_leaf=weight(hidden, 3 * hidden),
        b_leaf=weight(3 * hidden),
        w=weight(2 * hidden, 5 * hidden),
        b=weight(5 * hidden),
    )


def random_tree(rng: np.random.Generator, leaves: int) -> Leaf | Node:
    if leaves == 1:
        return Leaf(int(rng.integers(50)))
    left = int(rng.integers(1, leaves))
    return Node(random_tree(rng, left), random_tree(rng, leaves - left))


def error(got: list[Any], want: list[Any]) -> float:
    assert [len(g) for g in got] == [len(w) for w in want]
    return max(
        float(np.abs(a - b).max())
        for g, w in zip(got, want, strict=True)
        for a, b in zip(g, w, strict=True)
    )


OPTIONS = {
    "all on": ab.Options(),
    "no kernel fusion": ab.Options(kernel_fusion=False),
    "no horizontal fusion": ab.Options(horizontal_fusion=False),
    "no coarsening": ab.Options(grain_size_coarsening=False),
    "runtime depth": ab.Options(scheduler="runtime_depth"),
    "no instance parallelism": ab.Options(instance_parallelism=False),
    "no gather fusion": ab.Options(gather_fusion=False),
    "context-insensitive": ab.Options(parameter_reuse="context-insensitive"),
    "all off": ab.Options.all_off(),
    "one thread": ab.Options(threads=1),
}


# Of every option by itself another workload has a test (test_workloads_compiled.py).
@pytest.fixture(
    scope="module",
    params=some(
        OPTIONS, always=lambda name: name in ("all on", "no gather fusion", "all off", "one thread")
    ),
    ids=str,
)
def compiled(request: pytest.FixtureRequest) -> ab.CompiledModel[Any, Any]:
    return ab.compile(encode, small_params(), options=OPTIONS[request.param])


@pytest.mark.parametrize("batch", [1, 2, 7, 64])
def test_agrees_with_plain_python(compiled: ab.CompiledModel[Any, Any], batch: int) -> None:
    rng = np.random.default_rng(batch)
    trees = [random_tree(rng, int(rng.integers(1, 30))) for _ in range(batch)]
    assert error(compiled(trees), WORKLOAD.reference(compiled.params, trees)) < 1e-5


def test_a_batch_is_its_instances_run_alone_to_the_last_bit(
    compiled: ab.CompiledModel[Any, Any],
) -> None:
    rng = np.random.default_rng(5)
    trees = [random_tree(rng, n) for n in (1, 2, 3, 9, 20, 31)]
    together = compiled(trees)
    alone = [compiled([t])[0] for t in trees]
    assert error(together, alone) == 0.0


def test_permuting_the_instances_permutes_the_results(compiled: ab.CompiledModel[Any, Any]) -> None:
    rng = np.random.default_rng(6)
    trees = [random_tree(rng, int(rng.integers(1, 20))) for _ in range(13)]
    order = rng.permutation(13)
    results, permuted = compiled(trees), compiled([trees[i] for i in order])
    assert error(permuted, [results[i] for i in order]) == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("hidden", some([1, 7, 17, 48, 50], always=lambda n: n == 17))
def test_odd_widths(hidden: int) -> None:
    params = small_params(hidden)
    trees = [random_tree(np.random.default_rng(i), 11) for i in range(9)]
    for options in (ab.Options(), ab.Options.all_off()):
        fast = ab.compile(encode, params, options=options)
        assert error(fast(trees), WORKLOAD.reference(params, trees)) < 1e-5


@pytest.fixture(scope="module")
def fast() -> ab.CompiledModel[Any, Any]:
    return ab.compile(encode, small_params())


def test_no_instances_no_results(fast: ab.CompiledModel[Any, Any]) -> None:
    assert fast([]) == []


@pytest.mark.slow
def test_a_chain_100000_deep(fast: ab.CompiledModel[Any, Any]) -> None:
    tree: Leaf | Node = Leaf(0)
    for i in range(100_000):
        tree = Node(tree, Leaf(i % 50))
    ((h, c),) = fast([tree])
    # The recurrence itself, from the leaves up; plain Python would need a frame per level.
    p = fast.params
    want = encode(p, Leaf(0))
    from workloads.treelstm import leaf_cell, node_cell

    leaves = [leaf_cell(p, p.emb[i]) for i in range(50)]
    for _ in range(100_000 // 50):
        before = want
        for leaf in leaves:
            want = node_cell(p, want, leaf)
        if error([before], [want]) < 1e-7:  # a cycle from here on, for a cell forgets
            break
    else:
        pytest.fail("the recurrence does not settle")
    assert error([(h, c)], [want]) < 1e-5
    # Freeing nested objects is recursive in Python itself: take the chain apart.
    while isinstance(tree, Node):
        tree = tree.left


def test_the_interpreter_recurses_as_deep(fast: ab.CompiledModel[Any, Any]) -> None:
    """Deeper than Python's limit, and than generators in one another can be on a usual stack."""
    interpreted = ab.compile(encode, small_params(), options=ab.Options(executor="vm"))
    tree: Leaf | Node = Leaf(0)
    for i in range(5_000):
        tree = Node(tree, Leaf(i % 50))
    assert error(interpreted([tree]), fast([tree])) < 1e-5
    while isinstance(tree, Node):
        tree = tree.left


@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_a_chain_deeper_than_the_stack_is_an_error(executor: Any) -> None:
    options = ab.Options(executor=executor, stack_mb=1)
    shallow = ab.compile(encode, small_params(), options=options)
    tree: Leaf | Node = Leaf(0)
    for _ in range(30_000):
        tree = Node(tree, Leaf(1))
    with pytest.raises(ab.RecursionLimitError) as caught:
        shallow([tree])
    assert str(caught.value) == (
        "the model recursed deeper than its stack holds (1 MiB); raise Options.stack_mb, or make "
        "the instances shallower"
    )
    assert len(shallow([Leaf(1)])) == 1
    while isinstance(tree, Node):
        tree = tree.left


def test_results_outlive_later_calls(fast: ab.CompiledModel[Any, Any]) -> None:
    first = fast([Leaf(1), Node(Leaf(2), Leaf(3))])
    kept = [tuple(a.copy() for a in r) for r in first]
    for i in range(20):
        fast([Node(Leaf(i), Leaf(4))] * 5)
    assert error(first, kept) == 0.0


def test_small_results_are_copies_and_large_ones_views(fast: ab.CompiledModel[Any, Any]) -> None:
    ((h, _),) = fast([Node(Leaf(1), Leaf(2))])
    assert h.dtype == np.float32 and h.shape == (16,)
    assert type(h.base).__name__ == "Floats" and h.base.__sizeof__() < 1024
    for h, _ in fast([Node(Leaf(1), Leaf(2)) for _ in range(1000)]):
        assert type(h.base).__name__ == "PyCapsule"


@pytest.mark.parametrize(
    ("instances", "message"),
    [
        ([Leaf(1), 5], "instances[1]: expected Leaf or Node, got int (5)"),
        (
            [Leaf(1), Leaf(1), Leaf(1), Node(Node(Leaf(1), Leaf("abc")), Leaf(2))],  # type: ignore[arg-type]
            "instances[3].left.right.word: expected int, got str ('abc')",
        ),
        ([Node(Leaf(1), None)], "instances[0].right: expected Leaf or Node, got NoneType (None)"),  # type: ignore[arg-type]
        ([Leaf(True)], "instances[0].word: expected int, got bool (True)"),
        ([Leaf(2**70)], "instances[0].word: 1180591620717411303424 does not fit into 64 bits"),
        ([Leaf(1), Leaf(50)], "instances[1]: row 50 of emb does not exist: it has rows 0 to 49"),
        ([Leaf(-51)], "instances[0]: row -51 of emb does not exist: it has rows 0 to 49"),
        (
            Leaf(1),
            "expected a list of instances, got Leaf; for one instance pass a list of one",
        ),
    ],
)
def test_wrong_instances(fast: ab.CompiledModel[Any, Any], instances: object, message: str) -> None:
    with pytest.raises(ab.InstanceError) as caught:
        fast(instances)  # type: ignore[arg-type]
    assert str(caught.value) == message
    assert len(fast([Leaf(1)])) == 1  # and nothing is lost


def test_two_threads_may_call_one_model(fast: ab.CompiledModel[Any, Any]) -> None:
    rng = np.random.default_rng(8)
    batches = [[random_tree(rng, int(rng.integers(1, 25))) for _ in range(9)] for _ in range(2)]
    want = [WORKLOAD.reference(fast.params, b) for b in batches]
    errors: list[float] = []

    def work(i: int) -> None:
        errors.extend(error(fast(batches[i]), want[i]) for _ in range(50))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(errors) == 100 and max(errors) < 1e-5


@pytest.mark.usefixtures("interpreted_kernels")
def test_the_profile_counts(fast: ab.CompiledModel[Any, Any]) -> None:
    fast([Node(Node(Leaf(1), Leaf(2)), Leaf(3)), Leaf(4)])
    p = fast.last_profile
    assert (p.n_nodes, p.n_batches, p.n_kernel_calls) == (6, 3, 3)
    inputs = fast.prepare([Node(Node(Leaf(1), Leaf(2)), Leaf(3)), Leaf(4)])
    assert fast.count_least_batches(inputs) == 3
    leaves, inner = sorted(p.nodes, key=p.nodes.__getitem__, reverse=True)
    assert (p.nodes, p.batches) == ({leaves: 4, inner: 2}, {leaves: 1, inner: 2})
    assert p.alone == {inner: 2}
    interpreted = ab.compile(encode, small_params(), options=ab.Options(executor="vm"))
    interpreted([Node(Node(Leaf(1), Leaf(2)), Leaf(3)), Leaf(4)])
    q = interpreted.last_profile
    assert (q.nodes, q.batches, q.alone) == (p.nodes, p.batches, p.alone)
    again = interpreted.prepare([Node(Node(Leaf(1), Leaf(2)), Leaf(3)), Leaf(4)])
    assert interpreted.count_least_batches(again) == 3


def test_without_parallelism_instances_still_batch_with_each_other() -> None:
    options = ab.Options(instance_parallelism=False, hoisting=False)
    serial = ab.compile(encode, small_params(), options=options)
    serial([Node(Leaf(1), Leaf(2))] * 4)
    assert serial.last_profile.n_batches == 3


def test_explain_names_what_is_shared_and_what_serves_it(fast: ab.CompiledModel[Any, Any]) -> None:
    text = fast.explain()
    assert "entry encode: 1 function, 2 static blocks" in text
    assert "shared by the mini-batch: w Tensor[32, 80], b Tensor[80]" in text
    assert "per instance, a row of: emb Tensor[16]" in text
    assert "5 contractions" in text and "3 contractions" in text
