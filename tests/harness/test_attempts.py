"""A native build that failed is tried again in the next run, one that succeeded is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.attempts import attempt, is_possible


@pytest.mark.parametrize(
    ("marker", "possible", "number"),
    [
        (None, True, 0),
        ("", True, 0),
        ("built 0\n", True, 0),
        ("failed 0\n", True, 1),
        ("failed 0\n", False, 0),
        ("built 1\n", True, 1),
        ("failed 1\n", True, 2),
    ],
)
def test_which_attempt_counts(
    marker: str | None, possible: bool, number: int, tmp_path: Path
) -> None:
    path = tmp_path / "dynet.tried"
    if marker is not None:
        path.write_text(marker)
    assert attempt(path, possible) == number


def test_a_build_is_possible_where_its_programs_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("baselines.needs.shutil.which", lambda name, path=None: f"/bin/{name}")
    assert is_possible("dynet") and not is_possible("floor")
    monkeypatch.setattr("baselines.needs.shutil.which", lambda name, path=None: None)
    assert not is_possible("dynet")
