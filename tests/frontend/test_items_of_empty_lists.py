"""Which errors are reported where a list is still empty, so that its items have no type."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontend.mistakes import in_function
from tests.illegal_programs import try_source

UNKNOWN = "AC011: the name 'missing' is not defined"

# What is written in a function, and the first line of every error that is reported.
CASES = {
    "an item": ("xs = []\ny = xs[0] @ m", ["AC027: an item of an empty list"]),
    "two items": (
        "xs = []\ny = xs[0] @ m\nz = xs[1]",
        ["AC027: an item of an empty list", "AC027: an item of an empty list"],
    ),
    "what the item's list waits for": (
        "xs = []\nfor i in range(n):\n    if xs:\n        y = xs[-1] @ m\n"
        "    xs.append(missing(x))\nz = xs[0] @ m",
        [UNKNOWN],
    ),
    "something else": ("xs = []\ny = xs[0] @ m\nz = missing(x)", [UNKNOWN]),
    "inside a loop without iterations": ("xs = []\nfor y in xs:\n    z = y.missing(x)", []),
    "behind a loop without iterations": (
        "xs = []\nfor y in xs:\n    z = y @ m\nw = missing(x)",
        [UNKNOWN],
    ),
    "a target of a loop without iterations": (
        "xs = []\nfor y in xs:\n    z = y @ m\nw = z @ m",
        ["AC009: 'z' is assigned on some paths only"],
    ),
    "inside a loop with iterations": (
        "xs = []\nfor i in range(n):\n    for y in xs:\n        z = y @ missing(x)\n"
        "    xs.append(x)",
        [UNKNOWN],
    ),
    "inside a comprehension with items": (
        "xs = []\nfor i in range(n):\n    ys = [missing(y) for y in xs]\n    xs.append(x)",
        [UNKNOWN],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_errors(name: str, tmp_path: Path) -> None:
    body, expected = CASES[name]
    ending = try_source(in_function(body), tmp_path, "program")
    found = [line.strip() for line in ending.text.splitlines() if line.strip().startswith("AC")]
    assert ending.way == ("caret" if expected else "accepted"), ending.text
    assert [line.split(" (")[0] for line in found] == expected
