"""What is computed from a row of a weight alone is computed once for a mini-batch."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

import acrobat as ab

# Compiled kernels are those of the other executor.
pytestmark = pytest.mark.usefixtures("interpreted_kernels")

Load = Callable[[str], ModuleType]


def weight(*shape: int, seed: int = 0) -> np.ndarray:
    return (np.random.default_rng([seed, *shape]).standard_normal(shape) * 0.4).astype(np.float32)


TAGGER = """
@ab.params
class P:
    emb: Tensor["V", "H"]
    w: Tensor["H", "H"]
    u: Tensor["H", "H"]

@ab.model
def run(p: P, words: list[int]) -> Tensor["H"]:
    h = ops.zeros(p.u.shape[0])
    for word in words:
        x = p.emb[word] @ p.w
        h = ops.tanh(ops.where(ops.greater(x, 0.0), x, x * 0.5) + h @ p.u)
    return h
"""


# The same, the words' vectors in a list.
LIST_TAGGER = (
    TAGGER.replace("    for word in words:", "    for x in xs:")
    .replace("        x = p.emb[word] @ p.w", "        x = x @ p.w")
    .replace("def run(p: P, words: list[int])", 'def tag(p: P, xs: list[Tensor["H"]])')
    + """
@ab.model
def run(p: P, words: list[int]) -> Tensor["H"]:
    return tag(p, [p.emb[word] for word in words])
"""
)


@pytest.mark.parametrize("executor", ["aot", "vm"])
@pytest.mark.parametrize("model", [TAGGER, LIST_TAGGER], ids=["words", "vectors"])
def test_a_word_that_occurs_again_is_not_computed_again(
    load_model: Load, model: str, executor: str
) -> None:
    m = load_model(model)
    params = m.P(emb=weight(9, 6), w=weight(6, 6), u=weight(6, 6, seed=1))
    batches = [[[1, 2, 1, 1], [], [2, 2, 8]], [[3], [3, 1]]]
    nodes = {}
    for on in (True, False):
        fast = ab.compile(m.run, params, options=ab.Options(deduplication=on, executor=executor))
        for batch in batches:  # what the first has computed is nothing to the second
            for got, words in zip(fast(batch), batch, strict=True):
                np.testing.assert_allclose(got, m.run(params, words), atol=1e-5)
            nodes[on, len(batch)] = fast.last_profile.n_nodes
    assert nodes[False, 3] == 7 + 7 and nodes[True, 3] == 7 + 3
    assert nodes[False, 2] == 3 + 3 and nodes[True, 2] == 3 + 2


@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_vectors_of_weights_and_of_the_instance(load_model: Load, executor: str) -> None:
    """Rows of a weight are known again; not those of a second one, parts that are no rows, and
    tensors of the instance."""
    m = load_model(
        """
@ab.params
class P:
    emb: Tensor["V", "H"]
    more: Tensor["V", "H"]
    flat: Tensor["3H"]
    w: Tensor["H", "H"]

@ab.model
def total(p: P, xs: list[Tensor["H"]]) -> Tensor["H"]:
    h = ops.zeros(p.w.shape[0])
    for x in xs:
        h = ops.tanh(h + ops.tanh(x @ p.w))
    return h

@ab.model
def run(p: P, words: list[int], own: list[Tensor["H"]]) -> Tensor["H"]:
    n = p.w.shape[0]
    parts = [p.flat[0:n], p.flat[n : 2 * n], p.flat[1 : n + 1]]
    return total(p, [p.emb[w] for w in words] + [p.more[w] for w in words] + own + parts)
"""
    )
    params = m.P(emb=weight(9, 6), more=weight(9, 6, seed=1), flat=weight(18), w=weight(6, 6))
    x, y = weight(6, seed=2), weight(6, seed=3)
    batch = [([1, 2, 1], [x]), ([0, 8, 1], [x, y]), ([], [])]
    fast = ab.compile(m.run, params, options=ab.Options(executor=executor))
    for _ in range(2):
        for got, instance in zip(fast(batch), batch, strict=True):
            np.testing.assert_allclose(got, m.run(params, *instance), atol=1e-5)
    steps = sum(2 * len(words) + len(own) + 3 for words, own in batch)
    assert fast.last_profile.n_nodes - steps == 4 + 6 + 3 + 3 * 3


@pytest.mark.slow
def test_a_word_of_an_earlier_phase_is_there(load_model: Load) -> None:
    """The second phase may use what the first computed, but not the other way round."""
    m = load_model(
        TAGGER
        + """
@ab.model
def both(p: P, words: list[int], again: list[int]) -> tuple[Tensor["H"], Tensor["H"]]:
    first = run(p, words)
    ab.phase()
    return first, run(p, again)
"""
    )
    params = m.P(emb=weight(9, 6), w=weight(6, 6), u=weight(6, 6, seed=1))
    batch = [([1, 2], [3, 4, 5, 1]), ([5, 3, 2, 5], []), ([4], [4, 6, 1])]
    for executor in ("aot", "vm"):
        for scheduler in ("inline_depth", "runtime_depth", "agenda", "lookahead"):
            options = ab.Options(executor=executor, scheduler=scheduler)
            fast = ab.compile(m.both, params, options=options)
            for got, words in zip(fast(batch), batch, strict=True):
                for a, b in zip(got, m.both(params, *words), strict=True):
                    np.testing.assert_allclose(a, b, atol=1e-5)
