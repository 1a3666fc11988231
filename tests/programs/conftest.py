"""Fixtures of small models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.lang.model import Model
from tests.selection import some

Check = Callable[[Model[..., Any], object, list[Any]], None]


OPTIONS = {
    "on": ab.Options(),
    "all off": ab.Options.all_off(),
    "vm": ab.Options(executor="vm"),
    "no kernel fusion": ab.Options(kernel_fusion=False),
}


@pytest.fixture(params=some(OPTIONS, always=lambda name: name in ("on", "vm")), ids=str)
def check(request: pytest.FixtureRequest) -> Check:
    """Compiled in one way, a model computes what plain Python does. (All options at once and each
    by itself, always: test_workloads_compiled.py.)"""

    def compare(model: Model[..., Any], params: object, instances: list[Any]) -> None:
        got = ab.compile(model, params, options=OPTIONS[request.param])(instances)
        want = [model(params, i) for i in instances]
        for g, w in zip(got, want, strict=True):
            np.testing.assert_allclose(
                np.concatenate([np.ravel(a) for a in _flat(g)]),
                np.concatenate([np.ravel(a) for a in _flat(w)]),
                atol=1e-5,
            )

    return compare


def _flat(value: object) -> list[Any]:
    return [x for v in value for x in _flat(v)] if isinstance(value, tuple) else [value]


@pytest.fixture
def without_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """No second attempt, with numbers for objects, to compile what is refused."""
    monkeypatch.setattr("acrobat.frontend.module.with_numbered_objects", lambda *_: None)
