"""Steps over instances that were prepared before."""

from __future__ import annotations

import re

import numpy as np
import pytest

import acrobat as ab
from acrobat.lang.params import weights as arrays
from tests.training.models import (
    INSTANCES,
    loss,
    weights,
)

VM = ab.Options(executor="vm")
# Compiled, with the interpreter, and plain Python.
WAYS = pytest.mark.parametrize("disabled", ["0", "1"])


@pytest.fixture(autouse=True)
def interpreted(interpreted_kernels: None) -> None:
    """No kernel is compiled."""


@WAYS
def test_prepared_instances(disabled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACROBAT_DISABLE", disabled)
    p = weights()
    step = ab.gradients(loss, p, options=VM)
    given = list(INSTANCES)
    ready = step.prepare(given)
    assert len(ready) == len(INSTANCES)
    given.clear()
    for _ in range(2):
        want_losses, want = step(INSTANCES)
        losses, got = step(ready)
        np.testing.assert_array_equal(losses, want_losses)
        np.testing.assert_array_equal(got.out, want.out)
        np.testing.assert_array_equal(np.asarray(got.emb), np.asarray(want.emb))
        arrays(p)["out"][...] += 0.5  # what is prepared are the instances, not the weights


def test_prepared_instances_stay_as_they_were() -> None:
    p = weights()
    step = ab.gradients(loss, p, options=VM)
    words = [1, 2]
    want, _ = step([(words, 0)])
    ready = step.prepare([(words, 0)])
    words.append(5)
    np.testing.assert_array_equal(step(ready)[0], want)
    # What runs them beside the compiled program has them as they were, too.
    assert ready.instances == (([1, 2], 0),)


def test_prepared_by_another() -> None:
    p = weights()
    ready = ab.gradients(loss, p, options=VM).prepare(INSTANCES)
    other = ab.gradients(loss, p, options=VM)
    said = (
        "these instances were prepared by another compiled model than this one (loss), or before "
        "it was compiled anew; call prepare() of the compiled model that runs them"
    )
    with pytest.raises(ab.InstanceError, match=re.escape(said)):
        other(ready)
    with pytest.raises(ab.InstanceError, match=re.escape(said)):
        other(ab.compile(loss, p, options=VM).prepare(INSTANCES))  # type: ignore[arg-type]
