"""Networks that were written from their papers compile as they are, and agree with plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acrobat as ab
from acrobat.errors import ParamsError
from workloads.results import flatten

from .further_papers import FURTHER
from .later_papers import LATER
from .newest_papers import NEWEST
from .paper import Paper
from .paper_cases import PAPERS
from .recent_papers import RECENT

ALL = (*PAPERS, *LATER, *RECENT, *FURTHER, *NEWEST)
COMPILED = [p for p in ALL if not p.refused]


def agree(paper: Paper, results: list[Any], instances: list[Any], weights: Any) -> None:
    for got, instance in zip(results, instances, strict=True):
        structure, arrays = flatten(paper.model(weights, instance))
        got_structure, got_arrays = flatten(got)
        # The sum of an empty list of tensors is a tensor here, and the number 0 in plain Python.
        assert got_structure.replace("float", "tensor[]") == structure.replace("float", "tensor[]")
        for a, b in zip(arrays, got_arrays, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-3, atol=1e-4)


@pytest.mark.usefixtures("interpreted_kernels")
@pytest.mark.parametrize("paper", COMPILED, ids=lambda p: p.name)
def test_compiles_as_it_is(paper: Paper) -> None:
    weights, instances = paper.weights(), [paper.instance() for _ in range(4)]
    fast = ab.compile(paper.model, weights, options=ab.Options(executor="vm"))
    agree(paper, fast(instances), instances, weights)


@pytest.mark.parametrize("paper", [p for p in ALL if p.refused], ids=lambda p: p.name)
def test_refused(paper: Paper) -> None:
    with pytest.raises((ab.ModelError, ParamsError)) as caught:
        ab.compile(paper.model, paper.weights(), options=ab.Options(executor="vm"))
    error = caught.value
    assert paper.refused in (error.render() if isinstance(error, ab.ModelError) else str(error))


def test_how_many_compile() -> None:
    """docs/measurements.md has these numbers."""
    first, more = PAPERS[:11], PAPERS[11:]
    assert sum(not p.refused for p in first) == 10
    assert sum(not p.refused for p in more) == len(more) == 5
    assert sum(not p.refused for p in LATER) == 10
    assert len(LATER) == 10
    assert sum(not p.refused for p in RECENT) == 4
    assert len(RECENT) == 5
    assert sum(not p.refused for p in FURTHER) == 2
    assert len(FURTHER) == 3
    assert sum(not p.refused for p in NEWEST) == 5
    assert len(NEWEST) == 5
