"""Which of many similar tests run by default.

`make test` leaves out what is marked `exhaustive`, and `make test-all` does not: combinations of
what other tests show in kind. Every group of them has some that are not marked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from _pytest.mark import ParameterSet


def some(values: Iterable[Any], *, always: Callable[..., bool]) -> list[ParameterSet]:
    """The values of a parametrised test, or tuples of them; those for which `always` does not hold
    are marked `exhaustive`. AssertionError if that would be all or none."""
    found = []
    for value in values:
        parts = value if isinstance(value, tuple) else (value,)
        marks = () if always(*parts) else (pytest.mark.exhaustive,)
        found.append(pytest.param(*parts, marks=marks))
    assert 0 < sum(bool(p.marks) for p in found) < len(found)
    return found
