"""What `:=` binds, and what an iteration reads before that."""

from __future__ import annotations

import ast

import pytest

from acrobat.frontend.surely_bound import read_unbound, surely_bound


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("(a := 1) + (b := 2)", {"a", "b"}),
        ("(a := 1) and (b := 2)", {"a"}),
        ("((a := 1), (b := 2)) if (c := 3) else (a := 4)", {"a", "c"}),
        ("0 < (a := 1) < (b := 2)", {"a"}),
        ("[(a := x) for x in xs]", set()),
        ("lambda x=(a := 1): (b := x)", {"a"}),
    ],
)
def test_bound_whatever_the_values_are(text: str, names: set[str]) -> None:
    assert surely_bound(ast.parse(text, mode="eval").body) == names


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("[t + (t := x) for x in xs]", True),
        ("[(t := x) + t for x in xs]", False),
        ("[(x > 0 and (t := x)) or t for x in xs]", True),
        ("[(lambda y=t: y)() + (t := x) for x in xs]", True),
        ("[(t := x) + (lambda y=t: y)() for x in xs]", False),
    ],
)
def test_read_before_an_iteration_binds_it(text: str, read: bool) -> None:
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.ListComp)
    assert ("t" in read_unbound(node)) is read
