"""The measured systems: `get(name)` gives a class that fulfils `baselines.api.System`, `record`
all that is known of it."""

from .registry import (
    all_variants,
    get,
    is_ours,
    names,
    problems,
    record,
    records,
    sources,
    supports,
    trainer,
    variants,
)

__all__ = [
    "all_variants",
    "get",
    "is_ours",
    "names",
    "problems",
    "record",
    "records",
    "sources",
    "supports",
    "trainer",
    "variants",
]
