"""The table of docs/measurements.md, from fewer operands: no operation is worse than it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.accuracy import WIDTH, measure_all, table

DOC = Path(__file__).parents[2] / "docs" / "measurements.md"


@pytest.mark.slow
def test_no_operation_is_less_accurate_than_documented() -> None:
    found = measure_all(2 * WIDTH)
    rows = table(found).splitlines()
    text = DOC.read_text()
    assert rows[0] in text
    for accuracy, row in zip(found, rows[2:], strict=True):
        name = row.split(" | ")[0]
        lines = [d for d in text.splitlines() if d.startswith(f"{name} | ")]
        assert lines, f"`python -m tests.accuracy` writes the table, which lacks {name}"
        [line] = lines
        numbers = [float(x) for x in re.findall(r"(?<=\| )[\d.]+(?:e[-+]\d+)?(?= \|)", line)]
        ulps, relative, absolute = numbers[0], numbers[1], numbers[-2]
        assert accuracy.ulps <= ulps + 0.01, name
        assert accuracy.relative <= relative * 1.06, name
        assert accuracy.absolute <= absolute * 1.06, name
