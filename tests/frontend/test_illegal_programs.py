"""Some of the programs of tests/illegal_programs.py, which tries all: each ends with source and
caret."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from tests.frontend.mistakes import programs
from tests.frontend.mutations import mutated_programs
from tests.illegal_programs import is_fault, try_all, try_source
from tests.selection import some

TABLE = sorted(programs())
PARTS = 16


def test_the_table() -> None:
    assert len(TABLE) == len(set(TABLE)) > 1500
    kinds = Counter(kind for kind, _ in TABLE)
    assert len(kinds) >= 20 and min(kinds.values()) >= 7


@pytest.mark.slow
@pytest.mark.parametrize("part", some(range(PARTS), always=lambda part: part == 0))
def test_mistakes_are_refused_with_a_caret(part: int) -> None:
    tried = list(try_all(TABLE[part::PARTS]))
    told = [f"{kind}\n{source}\n{end.text}" for kind, source, end in tried if is_fault(end, True)]
    assert told == []


@pytest.mark.slow
def test_changed_programs_are_compiled_or_refused_with_a_caret() -> None:
    tried = try_all(mutated_programs(random.Random(2), 20))
    told = [f"{kind}\n{source}\n{end.text}" for kind, source, end in tried if is_fault(end, False)]
    assert told == []


@pytest.mark.parametrize(
    ("source", "way"),
    [
        ("f = 1 +", "Python"),
        ("import acrobat as ab\nP = f = None\nraise KeyError", "Python"),
        ("f = g = 1\nwhile True:\n    g += 1", "late"),
    ],
)
def test_how_other_programs_end(
    source: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.illegal_programs.SECONDS", 0.2)
    ending = try_source(source, tmp_path, "illegal_other")
    assert ending.way == way
