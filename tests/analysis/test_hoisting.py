"""What runs ahead: operations on what the instance gives, through lists and arguments."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.analysis.scheduling import hoisted_blocks
from acrobat.errors import CompilerBug
from acrobat.ir import batched as B
from acrobat.vm.interpreter import Interpreter
from tests.selection import some

# Compiled kernels are those of the other executor.
pytestmark = pytest.mark.usefixtures("interpreted_kernels")

Load = Callable[[str], ModuleType]

RNN = """
@ab.params
class P:
    emb: Tensor["V", "H"]
    w: Tensor["H", "H"]
    u: Tensor["H", "H"]

@ab.model
def rnn(p: P, xs: list[Tensor["H"]], h: Tensor["H"]) -> list[Tensor["H"]]:
    states = []
    for x in xs:
        h = ops.tanh(x @ p.w + h @ p.u)
        states.append(h)
    return states
"""

BOTH_WAYS = """
@ab.model
def run(p: P, words: list[int], extra: list[Tensor["H"]]) -> Tensor["H"]:
    xs = [p.emb[w] for w in words] + extra
    start = p.emb[0]
    there, back = ab.parallel(rnn(p, xs[1:], start), rnn(p, xs[::-1], start))
    return there[-1] + back[-1]
"""

MIXED = """
@ab.model
def run(p: P, words: list[int], extra: list[Tensor["H"]]) -> Tensor["H"]:
    xs = [p.emb[w] for w in words] + extra
    ys = [ops.tanh(x) for x in xs]
    there, back = ab.parallel(rnn(p, xs, p.emb[0]), rnn(p, ys, p.emb[0]))
    return there[-1] + back[-1]
"""

LAYERS = """
@ab.model
def run(p: P, words: list[int], extra: list[Tensor["H"]]) -> Tensor["H"]:
    xs = [p.emb[w] for w in words] + extra
    ys = rnn(p, rnn(p, xs, p.emb[0]), p.emb[0])
    return ys[-1]
"""

RECURSION = """
@ab.model
def walk(p: P, xs: list[Tensor["H"]], i: int, h: Tensor["H"]) -> Tensor["H"]:
    if i == len(xs):
        return h
    return walk(p, xs, i + 1, ops.tanh(xs[i] @ p.w + h @ p.u))

@ab.model
def run(p: P, words: list[int], extra: list[Tensor["H"]]) -> Tensor["H"]:
    return walk(p, [p.emb[w] for w in words] + extra, 0, p.emb[0])
"""

GROWING = """
@ab.model
def run(p: P, words: list[int], extra: list[Tensor["H"]]) -> Tensor["H"]:
    xs = [p.emb[w] for w in words]
    for x in extra:
        xs = xs + [ops.tanh(x)]
    ys = rnn(p, xs, p.emb[0])
    return ys[-1]
"""

HELD = """
@ab.data
class Held:
    x: Tensor["H"]

@ab.model
def unpack(p: P, held: Held, h: Tensor["H"]) -> Tensor["H"]:
    for _ in range(2):
        h = ops.tanh(held.x @ p.w + h @ p.u)
    return h

@ab.model
def run(p: P, words: list[int], extra: list[Tensor["H"]]) -> Tensor["H"]:
    return unpack(p, Held(ops.tanh(p.emb[words[0]] @ p.w)), p.emb[0])
"""
V, H = 9, 6


def weight(*shape: int, seed: int = 0) -> np.ndarray:
    return (np.random.default_rng([seed, *shape]).standard_normal(shape) * 0.4).astype(np.float32)


def instances() -> list[tuple[list[int], list[np.ndarray]]]:
    rng = np.random.default_rng(0)
    return [
        (rng.integers(0, V, n + 2).tolist(), [weight(H, seed=i) for i in range(n)])
        for n in (1, 0, 3, 2, 5)
    ]


def compiled(m: ModuleType, **options: Any) -> ab.CompiledModel[Any, Any]:
    params = m.P(emb=weight(V, H), w=weight(H, H), u=weight(H, H, seed=1))
    fast = ab.compile(m.run, params, options=ab.Options(**options))
    for got, instance in zip(fast(instances()), instances(), strict=True):
        np.testing.assert_allclose(got, m.run(params, *instance), atol=1e-5)
    return fast


MODELS = {
    "both_ways": (BOTH_WAYS, ["matmul"]),  # of a list of given vectors, passed as an argument
    "recursion": (RECURSION, ["matmul"]),  # of an argument that every call passes on
    "mixed": (MIXED, []),  # one call passes what is computed
    "layers": (LAYERS, ["matmul"]),  # both calls are inlined: of the first layer
    "growing": (GROWING, []),  # some of the list's vectors are computed
    "held": (HELD, []),  # a field of data that the model builds; what runs once per instance
}


@pytest.mark.parametrize(
    ("name", "executor"),
    some(
        itertools.product(MODELS, ["aot", "vm"]),
        always=lambda name, executor: executor == "vm" or name in ("recursion", "held"),
    ),
)
def test_what_runs_ahead(load_model: Load, name: str, executor: str) -> None:
    model, ahead = MODELS[name]
    m = load_model(RNN + model)
    module = compiled(m, executor=executor).compilation.module
    assert [module.blocks[b].name for b in hoisted_blocks(module)] == ahead
    module = compiled(m, executor=executor, hoisting=False).compilation.module
    assert not hoisted_blocks(module)


@pytest.mark.slow
def test_projections_are_few_batches(load_model: Load) -> None:
    m = load_model(RNN + BOTH_WAYS)
    steps = max(len(words) + len(extra) for words, extra in instances())
    # Of all words at once; a step of both directions; and the sum.
    assert compiled(m).last_profile.n_batches == 1 + steps + 1
    assert compiled(m, hoisting=False).last_profile.n_batches == steps + 1


def test_the_interpreter_notices_what_runs_too_early(
    load_model: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Interpreter.run

    def early(self: Interpreter, stmt: B.Run, *rest: Any) -> None:
        object.__setattr__(stmt, "hoisted", True)
        run(self, stmt, *rest)

    monkeypatch.setattr(Interpreter, "run", early)
    with pytest.raises(CompilerBug, match=r"^matmul_add_tanh runs ahead of what it reads$"):
        compiled(load_model(RNN + MIXED), executor="vm")
