"""The verifier after every pass, and what the passes promise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.ir import typed as T
from acrobat.ir.rewrite import statements
from acrobat.ir.typed_verify import Verified, verify_typed
from acrobat.ir.types import TupleType
from acrobat.pipeline import run_pipeline
from workloads.data.source import TreeSource
from workloads.treelstm import encode, make_params

BRANCHES = """
@ab.data
class Nil:
    pass

@ab.data
class Cons:
    head: int
    tail: "List"

List = Nil | Cons

@ab.params
class P:
    w: Tensor["H", "H"]
    b: Tensor["H"]

@ab.model
def step(p: P, x: Tensor["H"], n: int) -> tuple[Tensor["H"], int]:
    if n > 3:
        return x, n
    y = ops.tanh(x @ p.w) if n > 1 else x + p.b
    return y, n + 1

@ab.model
def f(p: P, xs: List) -> Tensor["H"]:
    match xs:
        case Nil():
            return p.b
        case Cons(head, tail):
            h = f(p, tail)
            if head == 0:
                return h
            y, m = step(p, h, head)
            if m > 2:
                z = y * 2.0
            else:
                z = y - p.b
            return z
"""


def verified(model: Any, params: object, options: ab.Options) -> dict[str, T.Module]:
    """The typed modules, verified by the driver (ACROBAT_VERIFY in conftest.py)."""
    stages = run_pipeline(model, params, options).stages
    return {name: module for name, module in stages.items() if isinstance(module, T.Module)}


@pytest.mark.parametrize("options", [ab.Options(), ab.Options.all_off()], ids=["on", "off"])
def test_treelstm(options: ab.Options) -> None:
    seen = verified(encode, make_params("tiny", 0, TreeSource(None)), options)
    assert set(seen["inline_calls"].functions) == {"encode"}
    final = seen["prune_dead_2"].functions["encode"]
    assert [v.name for v in final.params] == ["tree"]
    assert not any(isinstance(v.type, TupleType) for s in statements(final.body) for v in s.outs)


@pytest.mark.slow
def test_early_returns_are_inlined(load_model: Callable[[str], ModuleType]) -> None:
    m = load_model(BRANCHES)
    params = m.P(w=np.eye(4, dtype=np.float32), b=np.ones(4, np.float32))
    seen = verified(m.f, params, ab.Options())
    assert set(seen["inline_calls"].functions) == {"f"}
    fast = ab.compile(m.f, params)
    xs = m.Nil()
    lists = [xs]
    for head in (0, 1, 2, 3, 4, 5):
        lists.append(m.Cons(head, lists[-1]))
    for got, instance in zip(fast(lists), lists, strict=True):
        np.testing.assert_allclose(got, m.f(params, instance), atol=1e-5)


def test_a_broken_module_is_found() -> None:
    module = verified(encode, make_params("tiny", 0, TreeSource(None)), ab.Options())
    good = module["prune_dead_2"]
    f = good.functions["encode"]
    match = f.body.stmts[-1]
    assert isinstance(match, T.Match)
    arms = (replace(match.arms[0], region=T.Region((), match.arms[0].region.end)), match.arms[1])
    broken = replace(f, body=T.Region((replace(match, arms=arms),), f.body.end))
    with pytest.raises(ab.CompilerBug, match="is used where it is not defined"):
        verify_typed(replace(good, functions={"encode": broken}))
    missing = replace(f, body=T.Region((replace(match, arms=match.arms[:1]),), f.body.end))
    with pytest.raises(ab.CompilerBug, match="the arms are not the members"):
        verify_typed(replace(good, functions={"encode": missing}))


CALLS = """
@ab.params
class P:
    w: Tensor["4"]


def doubled(x: Tensor["4"]) -> Tensor["4"]:
    return x + x


@ab.model
def f(p: P, n: int) -> Tensor["4"]:
    return doubled(p.w)
"""


def test_what_passes_leave_as_it_is_is_verified_once(
    load_model: Callable[[str], ModuleType],
) -> None:
    """And again, as soon as what it calls has another signature, or it is another function."""
    m = load_model(CALLS)
    seen = verified(m.f, m.P(w=np.ones(4, np.float32)), ab.Options.all_off())
    module = next(s for s in seen.values() if len(s.functions) > 1)
    known: dict[str, Verified] = {}
    verify_typed(module, known)
    before = dict(known)
    verify_typed(module, known)
    assert set(known) == set(module.functions)
    assert all(known[name] is before[name] for name in known)
    f = module.functions[module.entry]
    (name,) = before[f.name].callees
    fewer = replace(module.functions[name], params=())
    with pytest.raises(ab.CompilerBug, match="is used where it is not defined"):
        verify_typed(replace(module, functions={name: fewer, f.name: f}), dict(known))
    constant = replace(fewer, body=T.Region((), T.Raise(("no",), ())))
    changed = replace(module, functions={name: constant, f.name: f})
    with pytest.raises(ab.CompilerBug, match=f"{f.name} .* values for 0"):
        verify_typed(changed, dict(known))
    empty = replace(f, body=T.Region((), T.Yield(())))
    with pytest.raises(ab.CompilerBug, match="a path ends without a return"):
        verify_typed(replace(module, functions={**module.functions, f.name: empty}), known)
