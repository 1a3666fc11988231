"""What instructions mean, by family."""

from . import arithmetic, choice, conversion, memory, warp
from .table import TABLE, Action, build, entry

__all__ = [
    "TABLE", "Action", "arithmetic", "build", "choice", "conversion", "entry", "memory", "warp",
]  # fmt: skip
