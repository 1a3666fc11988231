"""Separating the rows of CPU and GPU: each device has its own tables and figures."""

from __future__ import annotations

import pandas as pd

_KIND = {"cpu": "CPU", "cuda": "GPU"}


def by_device(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """(device, its rows), the CPU first."""
    groups = rows.groupby("device", sort=True)
    return [(str(device), part.reset_index(drop=True)) for device, part in groups]


def of_mode(rows: pd.DataFrame, mode: str = "inference") -> pd.DataFrame:
    """The rows of one mode, inference or training steps: no table combines them."""
    return rows[rows["mode"] == mode].reset_index(drop=True)


def file_name(name: str, device: str) -> str:
    """The name of a table's or figure's files, without suffix; a CPU's omits the device."""
    return name if device == "cpu" else f"{name}.{device}"


def device_title(rows: pd.DataFrame) -> str:
    """The device of the rows for titles: "GPU: NVIDIA H200"."""
    names = rows["device_name"].drop_duplicates()
    # A row that found no GPU says so instead of its name.
    found = [name for name in names if not name.startswith("none: ")]
    kind = _KIND[rows["device"].iloc[0]]
    return f"{kind}: {' and '.join(found) or 'not found'}"


def threads_of(device: str, threads: object) -> str:
    """The end of a title, such as ", 2 threads"; empty on a GPU, where a row's thread is the
    host's."""
    if device != "cpu":
        return ""
    return f", {threads} thread{'' if threads == 1 else 's'}"
