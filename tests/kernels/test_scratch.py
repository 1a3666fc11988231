"""Temporaries share their place only while at most one of them is needed. (In whole plans
`verify_plan` sees to it.)"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acrobat.kernels.lowering.scratch import Life, place_lives

lives = st.builds(
    lambda floats, first, more: Life(floats, first, first + more),
    st.integers(1, 100),
    st.integers(0, 9),
    st.integers(0, 4),
)


@given(st.lists(lives, max_size=20))
def test_what_is_needed_at_the_same_time_does_not_overlap(found: list[Life]) -> None:
    places, total = place_lives(dict(enumerate(found)))
    assert sorted(places) == list(range(len(found)))
    taken = np.full((15, total), -1)
    for n, life in enumerate(found):
        assert places[n] % 16 == 0
        room = taken[life.first : life.last + 1, places[n] : places[n] + life.floats]
        assert room.shape[1] == life.floats
        assert (room == -1).all()
        room[:] = n


@pytest.mark.parametrize(
    ("found", "places", "total"),
    [
        ([], {}, 0),
        # One after the other: the same place.
        ([Life(20, 0, 1), Life(30, 2, 3)], {0: 0, 1: 0}, 32),
        # Read while the next is written.
        ([Life(20, 0, 1), Life(30, 1, 2)], {0: 32, 1: 0}, 64),
        # In the gap between two others.
        (
            [Life(64, 0, 5), Life(32, 0, 1), Life(16, 1, 5), Life(16, 2, 3)],
            {0: 0, 1: 64, 2: 96, 3: 64},
            112,
        ),
    ],
)
def test_places(found: list[Life], places: dict[int, int], total: int) -> None:
    assert place_lives(dict(enumerate(found))) == (places, total)
