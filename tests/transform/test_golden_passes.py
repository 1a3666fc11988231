"""Single passes: what they make of small models, as text. tests/golden/passes/README.md says how a
case is written; `--update-golden` writes the texts anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.transform.golden_case import PASSES, SAME, read_case, run_case

FOLDER = Path(__file__).parents[1] / "golden" / "passes"
CASES = sorted(FOLDER.glob("*.txt"))

# Their products are compared elsewhere: tests/golden/*.typed.txt, and the kernels' own tests.
ELSEWHERE = {"typed", "specifications"}


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_pass(
    path: Path,
    load_model: Callable[[str], ModuleType],
    golden: Callable[[Path, str], None],
) -> None:
    golden(path, run_case(read_case(path.read_text()), load_model).text())


def test_every_pass_has_a_case_that_shows_what_it_is_for() -> None:
    cases = [read_case(p.read_text()) for p in CASES]
    changing = {c.step.function for c in cases if c.after != SAME}
    left_out = {"check_shapes"}  # its case reports an error
    for name, step in PASSES.items():
        assert step.function in changing or name in ELSEWHERE | left_out, name
