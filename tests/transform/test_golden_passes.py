"""Single passes: what they make of small models, as text. tests/golden/passes/README.md says how a
case is written; `--update-golden` writes the texts anew."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from golden_case import PASSES, SAME, read_case, run_case

FOLDER = Path(__file__).parents[1] / "golden" / "passes"
CASES = sorted(FOLDER.glob("*.txt"))

# Their products are compared elsewhere: tests/golden/*.typed.txt, and the kernels' own tests.
ELSEWHERE = {"typed", "specifications"}


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_pass(
    path: Path, load_model: Callable[[str], ModuleType], pytestconfig: pytest.Config
) -> None:
    case = read_case(path.read_text())
    now = run_case(case, load_model)
    if pytestconfig.getoption("--update-golden"):
        path.write_text(now.text())
        return
    if now.text() != case.text():
        lines = (t.splitlines(keepends=True) for t in (case.text(), now.text()))
        diff = "".join(difflib.unified_diff(*lines, path.name, "now"))
        pytest.fail(
            f"the pass {case.step.name} makes another module than {path.name} says. If that is "
            f"what you want, write the file anew and read its diff:\n\n"
            f"    pytest {Path(__file__).relative_to(FOLDER.parents[2])} --update-golden\n\n{diff}",
            pytrace=False,
        )


def test_every_pass_has_a_case_that_shows_what_it_is_for() -> None:
    cases = [read_case(p.read_text()) for p in CASES]
    changing = {c.step.function for c in cases if c.after != SAME}
    left_out = {"check_shapes"}  # its case reports an error
    for name, step in PASSES.items():
        assert step.function in changing or name in ELSEWHERE | left_out, name
