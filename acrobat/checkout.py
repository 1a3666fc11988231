"""The checkout that contains this package: measuring and reporting are part of it, not of the
wheel."""

from __future__ import annotations

import sys
from pathlib import Path

_PACKAGES = ("baselines", "harness", "plots", "workloads")


def find_checkout() -> Path | None:
    """The checkout from which this package was imported, or None for an installed wheel."""
    root = Path(__file__).resolve().parents[1]
    return root if all((root / name / "__init__.py").is_file() for name in _PACKAGES) else None


def use_checkout() -> None:
    """Make `harness` and the other packages importable; FileNotFoundError outside a checkout."""
    root = find_checkout()
    if root is None:
        raise FileNotFoundError(
            "measuring needs a checkout of the project, and this is the compiler alone, installed "
            f"in {Path(__file__).resolve().parents[1]}; git clone the project, and in its folder: "
            "make setup"
        )
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
