"""What is refused says what to write instead, and that compiles: for every message there is.

The programs of `remedies/` stand in pairs: one that is refused, and below `-- instead` what to
write, which the compiler takes. With those of docs/errors.md and tests/idioms they cover every call
in the compiler that reports an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import acrobat as ab
from acrobat import Float32, Tensor
from acrobat.frontend.module import lower_model
from acrobat.limits import MAX_NESTING
from tests.frontend.mistakes import entries, in_function, module
from tests.frontend.refusals import Site, reported, sites
from tests.frontend.test_error_examples import ENTRIES, load
from tests.idioms.agreement import load_idiom
from tests.idioms.cases import read_idioms
from tests.illegal_programs import try_source

HERE = Path(__file__).parent / "remedies"
IMPORTS = "import collections\nimport functools\nimport math\n\n"


@dataclass(frozen=True, slots=True)
class Pair:
    """A program that is refused, and what to write instead."""

    name: str
    refused: str
    remedy: str


def _pairs() -> Iterator[Pair]:
    for stem, between, whole in (
        ("expressions", "\n\n", in_function),
        ("statements", "\n\n", in_function),
        ("modules", "\n%%\n", module),
        ("objects", "\n%%\n", module),
    ):
        for text in entries(HERE / f"{stem}.txt", between):
            refused, remedy = text.split("\n-- instead\n")
            name = refused.strip().splitlines()[-1].strip()
            yield Pair(f"{stem}: {name}", IMPORTS + whole(refused), IMPORTS + whole(remedy))
    deep = "n" + " + n" * (MAX_NESTING + 1)
    yield Pair("deep", in_function(f"y = {deep}"), in_function("y = n * 1001"))


PAIRS = list(_pairs())

# What reports nothing today, and why it stands there all the same.
GUARDS = {
    "frontend/objects_in_lists.py: AC030: {}": (
        "objects that it refuses are numbered in a second attempt, whose errors say more"
    ),
    "frontend/places.py: AC030: {} changes in a comprehension, whose iterations are independent": (
        "a comprehension whose items change something becomes a loop before"
    ),
    "frontend/constructs/dict_changes.py: AC030: {} changes in a comprehension, whose iterations "
    "are independent": "likewise",
    "frontend/constructs/comprehensions.py: AC002: `async` is not part of the language": (
        "Python has `async for` in `async def` alone, which is refused before"
    ),
    "frontend/constructs/lists.py: AC017: `*` of a {} in a list": (
        "`+` of a list and of something else, which it is made of, is refused before"
    ),
    "frontend/rows.py: AC010: a {} for every row: tensors have rank 2 at most": (
        "every operation on rows makes a vector or a number of each"
    ),
    "frontend/sizes.py: AC002: {} is {}, a size that only operations can use: `ops.zeros`, "
    "`ops.reshape`, `ops.one_hot` and slices": "with weights, sizes are numbers",
}


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: p.name)
def test_the_remedy_compiles(pair: Pair, tmp_path: Path) -> None:
    ending = try_source(pair.refused, tmp_path, "refused")
    assert ending.way == "caret", ending.text
    ending = try_source(pair.remedy, tmp_path, "remedy")
    assert ending.way == "accepted", ending.text


def _reported(folder: Path) -> set[Site]:
    """The sites that report the errors of all programs that have a remedy."""
    with reported() as seen:
        for n, pair in enumerate(PAIRS):
            try_source(pair.refused, folder, f"refused_{n}")
        for n, (_, _, failing, _, _) in enumerate(ENTRIES):
            (place := folder / f"entry_{n}").mkdir()
            with pytest.raises(ab.ModelError):
                lower_model(load(place, failing))
        for n, idiom in enumerate(i for i in read_idioms() if not i.accepted):
            (place := folder / f"idiom_{n}").mkdir()
            with pytest.raises(ab.ModelError):
                loaded = load_idiom(idiom, place)
                ab.compile(loaded.f, loaded.WEIGHTS, options=ab.Options(executor="vm"))
    return seen


@pytest.mark.slow
def test_every_message_has_a_remedy(tmp_path: Path) -> None:
    """A new error fails here until a program of `remedies/` runs into it."""
    with_remedy = {str(s) for s in _reported(tmp_path)}
    without = [str(s) for s in sites() if str(s) not in with_remedy]
    assert without == sorted(GUARDS)


def test_sites_are_found() -> None:
    """What looks for them finds the calls that report an error, and tells which one did."""
    assert len(sites()) > 250
    with reported() as seen, pytest.raises(ab.ModelError):
        _unknown_name()
    assert {s.code for s in seen} == {"AC011"}


@ab.params
class Weights:
    b: Float32[Tensor, "H"]


def _unknown_name() -> None:
    @ab.model
    def f(p: Weights, n: int) -> int:
        return unknown  # type: ignore[name-defined]

    lower_model(f)
