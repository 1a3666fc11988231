"""What a system needs that may be missing where tests run: an environment that a command makes, or
packages that not every Python has."""

from __future__ import annotations

import baselines

# In the set `bench`, but not for all Pythons, and added after environments had been made.
PACKAGES = ("torchfold", "dgl")


def lacking(system: str) -> str | None:
    """Why a system cannot run here; None if it can, or if that is to be an error."""
    record = baselines.record(system)
    if record.environment is not None:
        return record.environment.lack()
    if system not in PACKAGES:
        return None
    found = [needs.examine(compiler=True, headers=True) for needs in record.needs]
    return next((detail for ok, detail in found if not ok), None)
