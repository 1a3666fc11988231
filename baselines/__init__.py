"""The measured systems: `get(name)` gives a class that fulfils `baselines.api.System`."""

from .registry import get, names, sources, variants

__all__ = ["get", "names", "sources", "variants"]
