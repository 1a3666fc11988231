"""Iterators that are read late or twice are refused: compiled, all items are computed at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import acrobat as ab
from tests.programs import late_iterator_models, passed_iterator_models
from tests.programs.test_library_calls import weights

# Of each model, its first error, and what that says to write instead.
ERRORS = (Path(__file__).parent / "late_iterators.txt").read_text().splitlines()


MODELS = [*late_iterator_models.REFUSED, *passed_iterator_models.REFUSED]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.function.__name__)
def test_late_items_are_refused(model: Any) -> None:
    with pytest.raises(ab.ModelError) as caught:
        p = weights(model.function.__globals__["P"])
        ab.compile(model, p, options=ab.Options(executor="vm"))
    lines = [line.strip() for line in caught.value.render().splitlines()]
    at = next(i for i, line in enumerate(lines) if line.startswith("AC"))
    expected = ERRORS.index(model.function.__name__) + 1
    assert lines[at : at + 2] == [line.strip() for line in ERRORS[expected : expected + 2]]
