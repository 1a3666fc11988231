"""Separating the rows of CPU and GPU: each device has its own tables and figures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

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
    """The device of the rows for titles: "GPU: NVIDIA H200", "CPU: AMD EPYC, 2 cores (znver4,
    512-bit vectors)"."""
    device = rows["device"].iloc[0]
    # A row that found no GPU says so instead of its name.
    found = {
        name + (_design(host) if device == "cpu" else ""): None
        for name, host in zip(rows["device_name"], rows["host"], strict=True)
        if not name.startswith("none: ")
    }
    return f"{_KIND[device]}: {' and '.join(found) or 'not found'}"


def _design(host: Mapping[str, Any]) -> str:
    """What tells apart CPUs of one name, which is all that some hypervisors give; nothing of old
    rows, which have no `host`. Rows that lack LLVM's name have the numbers of family and model."""
    if not host:
        return ""
    numbers = re.search(r"\((family \d+, model \d+)", host["cpu"])
    design = host.get("design") or (numbers and numbers[1])
    return " (" + ", ".join([*filter(None, [design]), f"{32 * host['lanes']}-bit vectors"]) + ")"


def threads_of(device: str, threads: object) -> str:
    """The end of a title, such as ", 2 threads"; empty on a GPU, where a row's thread is the
    host's."""
    if device != "cpu":
        return ""
    return f", {threads} thread{'' if threads == 1 else 's'}"
