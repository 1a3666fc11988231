"""Who waits longer than a budget is told for what."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.driver import slow
from acrobat.driver.run import Compilation
from acrobat.driver.slow import slow_compilation
from acrobat.pipeline import run_pipeline

MODEL = """
@ab.params
class P:
    w: Tensor["H", "H"]
    u: Tensor["H", "H"]

@ab.model
def cell(p: P, x: Tensor["H"]) -> Tensor["H"]:
    return ops.tanh(x @ p.w)

@ab.model
def f(p: P, x: Tensor["H"], n: int) -> Tensor["H"]:
    x = cell(p, x)
    for i in range(n):
        x = x @ p.u
    return x
"""


@pytest.fixture
def model(load_model: Callable[[str], ModuleType]) -> tuple[ab.Model[..., Any], Any]:
    m = load_model(MODEL)
    return m.f, m.P(w=np.eye(4), u=np.eye(4))


def with_times(done: Compilation, times: dict[str, float], kernels: list[float]) -> Compilation:
    """As if its passes and kernels had taken so long, and g++ 6 s for them."""
    steps = [replace(s, seconds=times.get(s.name, 0.0)) for s in done.steps]
    names = [k.name for plan in done.plans for k in plan.kernels]
    kernel_s = dict(zip(names, kernels, strict=False))
    return replace(done, steps=steps, kernel_s=kernel_s, program_s=6.0 if kernels else 0.0)


def test_kernels_took_longest(model: tuple[Any, Any]) -> None:
    done = run_pipeline(*model, ab.Options())
    times = {"typed": 1.2, "specialise": 2.0}
    said = slow_compilation(with_times(done, times, [30.4, 2.0]), "f", 41.7)
    file = model[0].function.__code__.co_filename
    assert said == (
        f"f took 42 s to compile, more than 30 s: passes 3 s (of which specialise 2 s), 2 kernels "
        f"32 s, g++ 6 s; most of it for cell ({file}:11). The next time it comes from the cache. "
        f"ACROBAT_DUMP=<folder> writes what every pass made and how long it took"
    )
    other = slow_compilation(with_times(done, times, [3.4, 20.0]), "f", 41.7)
    assert other is not None and f"most of it for f ({file}:15)." in other


def test_a_pass_took_longest(model: tuple[Any, Any]) -> None:
    done = with_times(run_pipeline(*model, ab.Options()), {"inline_calls": 61.0}, [])
    said = slow_compilation(done, "f", 62.0)
    file = model[0].function.__code__.co_filename
    assert said == (
        f"f took 62 s to compile, more than 30 s: passes 61 s (of which inline_calls 61 s), 0 "
        f"kernels 0 s, g++ 0 s; most of it for cell ({file}:11). The next time it comes from the "
        f"cache. ACROBAT_DUMP=<folder> writes what every pass made and how long it took"
    )


def test_within_the_budget_nothing_is_said(model: tuple[Any, Any]) -> None:
    done = run_pipeline(*model, ab.Options())
    assert slow_compilation(done, "f", 30.0) is None


def test_compile_warns(
    model: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    budget = slow.BUDGET_S
    options = ab.Options(executor="vm")
    with caplog.at_level(logging.WARNING, "acrobat"):
        fast = ab.compile(*model, target="cpu", options=options)
        assert fast.compile_s > 0 and (caplog.text != "") == (fast.compile_s > budget)
        caplog.clear()
        monkeypatch.setattr(slow, "BUDGET_S", 0.0)
        ab.compile(*model, target="cpu", options=options)
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert record.getMessage().startswith("f took 0 s to compile, more than 0 s: passes 0 s")


def test_blocks_that_only_copy_are_nobodys(load_model: Callable[[str], ModuleType]) -> None:
    m = load_model(
        '@ab.params\nclass P:\n    w: Tensor["H", "H"]\n\n\n@ab.model\n'
        'def f(p: P, n: int) -> Tensor["H"]:\n    return ops.tanh(p.w[n])\n'
    )
    done = run_pipeline(m.f, m.P(w=np.eye(4)), ab.Options(grain_size_coarsening=False))
    assert not all(b.ops for b in done.module.blocks)
    said = slow_compilation(with_times(done, {}, [30.4, 2.0]), "f", 41.7)
    assert said is not None and "2 kernels 32 s" in said
