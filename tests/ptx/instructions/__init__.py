"""What instructions mean, by family."""

from . import arithmetic, choice, conversion, dependence, memory, warp
from .table import TABLE, Action, build, entry

__all__ = [
    "TABLE", "Action", "arithmetic", "build", "choice", "conversion", "dependence", "entry",
    "memory", "warp",
]  # fmt: skip
