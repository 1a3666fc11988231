"""Selecting a part of a configuration: `--config workloads='[treelstm]' batch_sizes='[8]'`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .cell import Cell
from .config_file import ConfigError
from .config_shape import short

# The property of a cell by which each key selects.
CHOOSES: Mapping[str, Callable[[Cell], str]] = {
    "workloads": lambda cell: cell.workload,
    "model_sizes": lambda cell: cell.size,
    "batch_sizes": lambda cell: str(cell.batch),
    "thread_counts": lambda cell: cell.label,
}


def narrowed(config: Mapping[str, Any], cells: Sequence[Cell]) -> list[Cell]:
    """The cells that all keys of CHOOSES in `config` select. ConfigError for a value that no cell
    has, or if no cell is left."""
    left = list(cells)
    for key, of in CHOOSES.items():
        if key not in config:
            continue
        known = list(dict.fromkeys(map(of, cells)))
        given = config[key] if isinstance(config[key], list) else [config[key]]
        for value in given:
            if str(value) not in known:
                raise ConfigError(
                    f"{key}: {short(value)} is not in the configuration; there is "
                    f"{', '.join(known)}"
                )
        left = [cell for cell in left if of(cell) in map(str, given)]
    if not left:
        raise ConfigError(f"no cell has all of {', '.join(k for k in CHOOSES if k in config)}")
    return left
