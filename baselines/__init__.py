"""The measured systems: `get(name)` returns a class that implements `baselines.api.System`,
`record(name)` its record."""

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
