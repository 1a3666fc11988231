"""Networks that the paper did not try, as plain Python: seeded, alive, decisions that spread, and
the equations of some in float64."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
import pytest

import workloads
from workloads.api import OTHER
from workloads.data.source import TreeSource
from workloads.other import decoder, experts
from workloads.other.lattice_lstm import Lattice
from workloads.results import flatten
from workloads.treelstm import Leaf

SOURCE = TreeSource(None)
NAMES = workloads.of_study(OTHER)


@functools.cache
def run(name: str, batch: int, seed: int) -> tuple[Any, list[Any], list[Any]]:
    """Weights, instances and results at `tiny`."""
    workload = workloads.get(name)
    params = workload.make_params("tiny", seed, SOURCE)
    instances = workload.make_instances("tiny", batch, seed, SOURCE)
    return params, instances, workload.reference(params, instances)


def test_lists_do_not_have_them_unless_they_are_named() -> None:
    assert len(NAMES) == 8
    assert not {*NAMES} & {*workloads.NAMES}
    assert {*NAMES, *workloads.NAMES} <= {*workloads.ALL}
    assert all(workloads.get(name).implementation == name for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_result(name: str) -> None:
    def bits(seed: int) -> list[Any]:
        found = [flatten(result) for result in run(name, 7, seed)[2]]
        return [(structure, [a.tobytes() for a in arrays]) for structure, arrays in found]

    first = bits(3)
    run.cache_clear()
    assert bits(3) == first
    assert bits(4) != first


@pytest.mark.parametrize("name", NAMES)
def test_results_are_finite_and_alive(name: str) -> None:
    tensors = [a for result in run(name, 16, 0)[2] for a in flatten(result)[1]]
    assert all(a.dtype == np.float32 and np.isfinite(a).all() for a in tensors)
    values = np.concatenate([a.ravel() for a in tensors])
    assert 0.01 < np.abs(values).mean() < 0.8
    assert np.abs(values).max() < 4
    # Instances differ: nothing swamps the input. (A word is the same token in every sentence.)
    assert len({a.tobytes() for a in tensors}) > 0.95 * len(tensors)


@pytest.mark.parametrize("name", NAMES)
def test_sizes_grow(name: str) -> None:
    sizes = workloads.get(name).sizes
    assert list(sizes) == ["tiny", "small", "large"]
    dims = [list(of.values()) for of in sizes.values()]
    for smaller, larger in itertools.pairwise(dims):
        assert smaller < larger
        assert all(a <= b for a, b in zip(smaller, larger, strict=True))


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def gate(p: Any, k: int, x: np.ndarray) -> np.ndarray:
    """Gate number k of [x] W + b in float64."""
    H = p.emb.shape[1]
    columns = slice(k * H, (k + 1) * H)
    return x @ p.w[:, columns].astype(float) + p.b[columns]


def gru(p: Any, tree: Any) -> np.ndarray:
    """The equations of the TreeGRU, gate by gate."""
    H = p.emb.shape[1]
    if isinstance(tree, Leaf):
        z, u = np.split(p.emb[tree.word].astype(float) @ p.w_leaf + p.b_leaf, 2)
        return sigmoid(z) * np.tanh(u)
    left, right = gru(p, tree.left), gru(p, tree.right)
    z, r_l, r_r = (sigmoid(gate(p, k, np.concatenate([left, right]))) for k in range(3))
    u = np.tanh((r_l * left) @ p.u[:H] + (r_r * right) @ p.u[H:] + p.d)
    return z * u + (1 - z) * (left + right) / 2


def test_treegru_is_as_stated() -> None:
    params, trees, found = run("treegru", 7, 0)
    for tree, got in zip(trees, found, strict=True):
        np.testing.assert_allclose(got, gru(params, tree), atol=2e-6)


def lattice_states(p: Any, lattice: Lattice) -> tuple[np.ndarray, np.ndarray]:
    """The equations of the lattice LSTM, gate by gate, from the last arc backwards."""
    H = p.emb.shape[1]

    @functools.cache
    def state(n: int) -> tuple[np.ndarray, np.ndarray]:
        if n == 0:
            return np.zeros(H), np.zeros(H)
        arc = lattice.arcs[n - 1]
        x, before = p.emb[arc.word].astype(float), [state(k) for k in arc.before]
        h_sum = np.sum([h for h, _ in before], axis=0)
        i, o, u = (gate(p, k, x) + h_sum @ p.u[:, k * H : (k + 1) * H] for k in range(3))
        kept = [sigmoid(gate(p, 3, x) + h @ p.u_f) * c for h, c in before]
        c = sigmoid(i) * np.tanh(u) + np.mean(kept, axis=0)
        return sigmoid(o) * np.tanh(c), c

    return state(len(lattice.arcs))


def test_lattice_lstm_is_as_stated() -> None:
    params, lattices, found = run("lattice_lstm", 7, 0)
    for lattice, result in zip(lattices, found, strict=True):
        for got, want in zip(result, lattice_states(params, lattice), strict=True):
            np.testing.assert_allclose(got, want, atol=2e-6)


def test_lattices_share_their_arcs() -> None:
    _, lattices, _ = run("lattice_lstm", 64, 0)
    readers = [np.bincount([k for arc in x.arcs for k in arc.before]) for x in lattices]
    assert all((r[1:] >= 1).all() for r in readers)
    assert np.concatenate(readers).max() == 3
    # A path through a lattice would be as long as there are paths: exponentially many.
    assert all(len(arc.before) <= 3 for x in lattices for arc in x.arcs)
    longer = [len(x.arcs) / max(1, len(x.arcs[-1].before)) for x in lattices]
    assert max(longer) > 10


def test_tokens_choose_all_experts() -> None:
    params, sentences, _ = run("experts", 64, 0)
    words = [w for s in sentences for w in s]
    x = params.emb[words]
    y = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    chosen = np.bincount(
        np.argmax((y * params.one.g + params.one.b) @ params.one.router, 1),
        minlength=experts.EXPERTS,
    )
    assert (chosen > 0.02 * len(words)).all()


def test_searches_end_early_or_at_their_limit() -> None:
    _, sentences, found = run("beam_search", 64, 0)
    lengths = [len(words) - 1 for words, _ in found]
    assert all(1 <= n <= s.limit for n, s in zip(lengths, sentences, strict=True))
    early = [n < s.limit for n, s in zip(lengths, sentences, strict=True)]
    assert 0.05 < np.mean(early) < 0.9
    assert len(set(lengths)) > 12


def test_decoders_stop_at_different_lengths() -> None:
    _, prompts, found = run("decoder", 64, 0)
    for prompt, (words, _) in zip(prompts, found, strict=True):
        assert words[: len(prompt.words)] == prompt.words
        # A stop symbol is the last word, or there is none.
        assert decoder.STOP not in words[:-1]
        assert words[-1] == decoder.STOP or len(words) == decoder.POSITIONS + 1
    written = [len(words) - len(p.words) for p, (words, _) in zip(prompts, found, strict=True)]
    assert 5 < np.mean(written) < 20
    assert len(set(written)) > 12


def test_parsers_are_as_different_as_sentences() -> None:
    _, sentences, found = run("spinn", 64, 0)
    ratios = [deepest / len(s) for s, (_, deepest) in zip(sentences, found, strict=True)]
    assert np.quantile(ratios, 0.1) < 0.3 < 0.6 < np.quantile(ratios, 0.9)


def test_puzzles_halt_at_every_step() -> None:
    _, puzzles, found = run("trm", 64, 0)
    steps = np.bincount([n for _, n in found], minlength=5)
    assert steps[0] == 0
    assert (steps[1:] > 0).all()
    assert steps[1] / 64 == pytest.approx(1 / 4, abs=0.12)
    for symbols, _ in found:
        np.testing.assert_allclose(symbols.sum(1), 1, atol=1e-5)
    assert len(puzzles[0].thresholds) == workloads.get("trm").dims("tiny")["steps"]


def test_pondering_takes_different_numbers_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    from acrobat import ops
    from workloads.other import act

    params, documents, _ = run("act", 16, 0)
    counts: list[int] = []

    def ponder(p: Any, x: Any, state: Any) -> Any:
        counts.append(0)
        return original(p, x, state)

    def item(x: Any) -> float:
        counts[-1] += 1
        return ops.item(x)

    original = act.ponder
    operations = {n: getattr(ops, n) for n in dir(ops) if n[0] != "_"}
    monkeypatch.setattr(act, "ponder", ponder)
    monkeypatch.setattr(act, "ops", SimpleNamespace(**{**operations, "item": item}))
    for document in documents:
        act.encode(params, document)
    assert len(counts) == sum(len(d.sentences) for d in documents)
    assert {2, 3, 4, 5} <= set(counts) <= set(range(1, act.MOST_STEPS + 1))
