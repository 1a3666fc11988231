"""What makes nodes of different instances meet in one batch: where ghosts go, and that instances
which have ended wait for the others."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest

import acrobat as ab
from acrobat.ir import batched as B
from acrobat.ir import typed as T
from acrobat.ir.batched_walk import regions
from acrobat.ir.types import BOOL
from acrobat.transform.pad_branches import pad_branches
from tests.selection import some

pytestmark = pytest.mark.usefixtures("interpreted_kernels")

Load = Callable[[str], ModuleType]
WAYS = pytest.mark.parametrize(
    ("scheduler", "executor"),
    some(
        itertools.product(["inline_depth", "runtime_depth", "agenda", "lookahead"], ["aot", "vm"]),
        always=lambda scheduler, executor: executor == "vm" or scheduler == "inline_depth",
    ),
)


def region(*stmts: B.Stmt) -> B.Region:
    return B.Region(stmts, T.Yield(()))


def run(*blocks: int) -> list[B.Run]:
    return [B.Run((), b, (), ()) for b in blocks]


def choice(then: B.Region, orelse: B.Region) -> B.If:
    return B.If((), T.Const(True, BOOL), then, orelse)


def padded(stmt: B.Stmt) -> B.Stmt:
    body = B.Region((stmt,), T.Return(()))
    module = B.Module({}, {"f": B.Function("f", (), (), body)}, "f", (), BOOL, (), {})
    return pad_branches(module).functions["f"].body.stmts[0]


def steps(region: B.Region) -> list[str]:
    """Blocks by number, ghosts as dots."""
    found = []
    for s in region.stmts:
        found.append("." * s.count if isinstance(s, B.Ghost) else str(getattr(s, "block", "if")))
    return found


@pytest.mark.parametrize(
    ("short", "long", "expected"),
    [
        ([2], [1, 2], [".", "2"]),
        ([1], [1, 2], ["1", "."]),
        ([3], [1, 2], ["3", "."]),
        ([1, 3], [1, 2, 2, 3], ["1", "..", "3"]),
        ([], [1, 2], [".."]),
        ([2, 2], [1, 2, 1, 2], [".", "2", ".", "2"]),
    ],
)
def test_ghosts_go_before_what_then_meets_its_like(
    short: list[int], long: list[int], expected: list[str]
) -> None:
    for first in (True, False):
        branches = [region(*run(*short)), region(*run(*long))]
        stmt = padded(choice(*(branches if first else reversed(branches))))
        inner = list(regions(stmt))
        assert steps(inner[0 if first else 1]) == expected
        assert steps(inner[1 if first else 0]) == [str(b) for b in long]


def test_ghosts_look_into_nested_branches() -> None:
    long = region(*run(1), choice(region(*run(2)), region(*run(3))), *run(4))
    stmt = padded(choice(region(*run(3)), long))
    assert steps(regions(stmt)[0]) == [".", "3", "."]


COUNTDOWN = """
@ab.params
class P:
    w: Tensor["H", "H"]
    v: Tensor["H", 1]

@ab.model
def f(p: P, x: Tensor["H"], reads: int, rest: int) -> Tensor["H"]:
    total = 0.0
    for i in range(reads):
        x = ops.tanh(x @ p.w)
        total = total + ops.item(x @ p.v)
    for i in range(rest):
        x = ops.tanh(x @ p.w)
    return x * total
"""


@WAYS
def test_what_instances_do_at_their_end_is_one_batch(
    load_model: Load, executor: str, scheduler: str
) -> None:
    m = load_model(COUNTDOWN)
    rng = np.random.default_rng(0)
    params = m.P(
        w=rng.standard_normal((5, 5)).astype(np.float32),
        v=rng.standard_normal((5, 1)).astype(np.float32),
    )
    fast = ab.compile(m.f, params, options=ab.Options(executor=executor, scheduler=scheduler))
    one = [(rng.standard_normal(5).astype(np.float32), reads, 4) for reads in (1, 2, 3, 4)]
    for got, instance in zip(fast(one), one, strict=True):
        np.testing.assert_allclose(got, m.f(params, *instance), atol=1e-5)
    alone = []
    for instance in one:
        fast([instance])
        alone.append(fast.last_profile.n_batches)
    fast(one)
    # As many as the instance that reads most often: all run their last steps together.
    assert fast.last_profile.n_batches == max(alone)
    assert fast.last_profile.n_syncs == 4


NESTED = """
@ab.params
class P:
    w: Tensor["H", "H"]
    emb: Tensor["V", "H"]
    u: Tensor["H", "H"]
    c: Tensor["H", "C"]

@ab.model
def f(p: P, rows: list[list[int]]) -> Tensor["C"]:
    h = ops.zeros(p.w.shape[0])
    for row in rows:
        for word in row:
            h = ops.tanh(h @ p.w + p.emb[word] @ p.w)
        h = ops.tanh(h @ p.u)
    return h @ p.c
"""


def lengths(rng: np.random.Generator, iterations: int) -> list[list[int]]:
    return [rng.integers(0, 7, rng.integers(0, 5)).tolist() for _ in range(iterations)]


@WAYS
def test_the_rest_of_a_turn_is_batched(load_model: Load, executor: str, scheduler: str) -> None:
    m = load_model(NESTED)
    rng = np.random.default_rng(0)
    shapes = {"w": (6, 6), "emb": (7, 6), "u": (6, 6), "c": (6, 3)}
    params = m.P(**{k: rng.standard_normal(s).astype(np.float32) for k, s in shapes.items()})
    instances = [lengths(rng, iterations) for iterations in (0, 5, 3, 5, 1)]
    options = ab.Options(executor=executor, scheduler=scheduler)
    for aligned in (True, False):
        fast = ab.compile(m.f, params, options=replace(options, program_phases=aligned))
        assert ("align" in fast.ir("batched")) == aligned
        for got, rows in zip(fast(instances), instances, strict=True):
            np.testing.assert_allclose(got, m.f(params, rows), atol=1e-5)
        if aligned and scheduler == "inline_depth":
            # The words' projections; by iteration the longest row and the state; the result.
            iterations = [max(len(r[k]) for r in instances if k < len(r)) for k in range(5)]
            assert fast.last_profile.n_batches == 1 + sum(iterations) + 5 + 1


@pytest.mark.parametrize("executor", ["aot", "vm"])
def test_more_iterations_than_can_be_aligned(
    load_model: Load, executor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acrobat.analysis.scheduling.MAX_SUBPHASES", 3)
    m = load_model(NESTED)
    rng = np.random.default_rng(0)
    shapes = {"w": (6, 6), "emb": (7, 6), "u": (6, 6), "c": (6, 3)}
    params = m.P(**{k: rng.standard_normal(s).astype(np.float32) for k, s in shapes.items()})
    instances = [lengths(rng, iterations) for iterations in (2, 9, 4, 7)]
    fast = ab.compile(m.f, params, options=ab.Options(executor=executor))
    for got, rows in zip(fast(instances), instances, strict=True):
        np.testing.assert_allclose(got, m.f(params, rows), atol=1e-5)
