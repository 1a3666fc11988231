"""Tuples that are equal but for a part without an order: the instance is at fault, as in Python."""

from __future__ import annotations

import pytest

import acrobat as ab
from tests.programs import tie_models
from tests.programs.listed_object_models import P
from tests.programs.test_library_calls import weights


def test_a_tie_is_an_error() -> None:
    p = weights(P)
    fast = ab.compile(tie_models.tied, p, options=ab.Options(executor="vm"))
    assert fast([[0], [2]]) == [1, 2]
    with pytest.raises(TypeError, match="not supported between instances of 'Item' and 'Item'"):
        tie_models.tied(p, [1])
    with pytest.raises(ab.InstanceError) as caught:
        fast([[0], [1]])
    assert str(caught.value) == (
        "instances[1]: TypeError: tuples that differ in a Item alone, which has no order"
    )
