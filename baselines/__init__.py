"""The measured systems: `get(name)` gives a class that fulfils `baselines.api.System`."""

from .registry import all_variants, get, names, sources, variants

__all__ = ["all_variants", "get", "names", "sources", "variants"]
