"""Reports whose figures nobody looks at."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are made, but not drawn, which is most of what a report costs: test_figure_files.py
    draws all of them."""

    def save(figure: Figure, path: Path, **kwargs: object) -> None:
        Path(path).write_text("not drawn")

    monkeypatch.setattr(Figure, "savefig", save)
