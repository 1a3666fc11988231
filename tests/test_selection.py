"""What `make test` and CI leave out."""

from __future__ import annotations

import argparse

import pytest

from tests.selection import read_share, runs, some


def test_shares_divide_all_names() -> None:
    names = [f"tests/test_x.py::test[{i}]" for i in range(200)]
    shares = [read_share(f"{i}/4") for i in range(4)]
    assert all(sum(n in share for share in shares) == 1 for n in names)
    assert all(30 < sum(n in share for n in names) < 70 for share in shares)
    assert all(n in read_share("all") and n not in read_share("none") for n in names)


def test_what_compiles_the_same_is_in_one_share() -> None:
    share = read_share("0/4")
    for i in range(20):
        assert (f"tests/x.py::test_a[{i}]" in share) == (f"tests/x.py::test_b[{i}]" in share)
    assert len({f"tests/x.py::test_{i}" in share for i in range(20)}) == 2


@pytest.mark.parametrize(
    ("marks", "shares"),
    [
        ((), {"none", "0/4", "1/4", "2/4", "3/4", "all"}),
        (("slow",), {"0/4", "1/4", "2/4", "3/4", "all"}),
        (("exhaustive",), {"3/4", "all"}),
        (("slow", "exhaustive"), {"3/4", "all"}),
    ],
)
def test_what_runs(
    request: pytest.FixtureRequest, marks: tuple[str, ...], shares: set[str]
) -> None:
    item = pytest.Function.from_parent(request.node.parent, name="test_it", callobj=lambda: None)
    for mark in marks:
        item.add_marker(mark)
    found = {s for s in ("none", "0/4", "1/4", "2/4", "3/4", "all") if runs(item, read_share(s))}
    assert found == shares


@pytest.mark.parametrize("text", ["4/4", "some", "-1/4", "1/0", ""])
def test_what_is_no_share(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="is neither all nor none nor a share"):
        read_share(text)


def test_a_group_keeps_a_representative() -> None:
    marked = [bool(p.marks) for p in some([1, 2, 3], always=lambda n: n == 2)]
    assert marked == [True, False, True]
    for kept in (True, False):
        with pytest.raises(AssertionError):
            some([1, 2, 3], always=lambda _, kept=kept: kept)
