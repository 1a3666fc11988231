"""Reading rows from untrusted files: a complete and plausible row, or an error that says why.

A row is accepted only if everything in it could have been written by the harness, in this version
or an older one: no truncated or unrelated file, no impossible time.
"""

from __future__ import annotations

import math
import os
import stat
from dataclasses import fields
from pathlib import Path
from types import NoneType
from typing import Any

from .json_text import parse
from .printable import printable
from .row import MODES, STATUSES, Row, renamed

# In bytes: enough for 5,000,000 samples, more than any configuration asks for.
_LARGEST = 1 << 27
_MOST_COUNT = 10**15

_TEXTS = (
    "system",
    "variant",
    "workload",
    "model_size",
    "device",
    "device_name",
    "status",
    "reason",
)
_NAMES = _TEXTS[:-1]
# Some of these may be missing in old rows; None means unknown.
_MORE_TEXTS = (
    *("doubt", "precision", "data", "git_sha", "source_hash", "started_at"),
    "optimiser",
)
_SIZES = ("batch_size", "threads")
_NEEDED = (*_TEXTS, "batch_size", "median_ms")
_COUNTS = (
    *("n_warmup", "n_samples", "n_nodes", "n_batches", "n_kernel_calls", "min_batches", "n_syncs"),
    *("threads_used", "seed"),
)
_AMOUNTS = (
    *("median_ms", "iqr_ms", "min_ms", "throughput_inst_s", "input_ms", "graph_ms", "schedule_ms"),
    *("forward_ms", "backward_ms", "update_ms", "rate"),
    *("copy_ms", "kernel_ms", "profiled_ms", "peak_mem_mb", "compile_s", "tune_s", "energy_j"),
    "tolerance",
)


class DamagedRow(ValueError):
    """A file that is not a row; the message names it and says why."""

    def __init__(self, path: Path, why: str) -> None:
        self.path, self.why = path, printable(why, 300)
        super().__init__(f"{path}: {self.why}")


def read_row(path: Path) -> Row:
    """The row in `path`, in the present version. FileNotFoundError if there is none, DamagedRow if
    it cannot be used."""
    values = row_values(path)
    unknown = sorted(values.keys() - {f.name for f in fields(Row)})
    if unknown:
        raise DamagedRow(path, f"unknown columns {', '.join(unknown)}")
    try:
        return Row(**values)
    except (TypeError, ValueError) as error:
        raise DamagedRow(path, str(error)) from error


def row_values(path: Path) -> dict[str, Any]:
    """The columns of a row of any version under their present names; raises like `read_row`."""
    text = _text(path)
    try:
        values = parse(text)
    except ValueError as error:
        what = f"no JSON: {error}" if text.strip() else "it is empty"
        raise DamagedRow(path, what) from None
    if not isinstance(values, dict):
        raise DamagedRow(path, f"no row but a {type(values).__name__}")
    values = renamed(values)
    if why := _problem(values):
        raise DamagedRow(path, why)
    return {name: _clean(name, value) for name, value in values.items()}


def _clean(name: str, value: Any) -> Any:
    """The value with its text made printable; a name is put on one line."""
    if isinstance(value, str):
        return printable(" ".join(value.split()) if name in _NAMES else value)
    if name == "host":
        return {k: _clean(_NAMES[0], v) for k, v in value.items()}
    return value


def _text(path: Path) -> str:
    try:
        # Nonblocking, so that opening a pipe does not wait.
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise DamagedRow(path, f"it cannot be read ({error.strerror})") from None
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise DamagedRow(path, "it is no file")
        if status.st_size > _LARGEST:
            raise DamagedRow(path, f"over {_LARGEST >> 20} MiB")
        with os.fdopen(file, "rb", closefd=False) as opened:
            data = opened.read()
    finally:
        os.close(file)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise DamagedRow(path, f"not UTF-8 (byte {error.start})") from None


def _problem(values: dict[str, Any]) -> str | None:
    """A description of the first invalid column; None if the row is valid."""
    for name in _NEEDED:
        if name not in values:
            return f"{name} is missing"
    for name, value in values.items():
        if not _may_be(name, value):
            return f"{name} is {printable(_shown(value), 60)}"
    samples, rounds = values.get("samples_ms") or [], values.get("rounds") or []
    if rounds and sum(rounds) != len(samples):
        return f"rounds of {sum(rounds)} samples, but there are {len(samples)}"
    if values["status"] == "ok" and values["median_ms"] is None:
        return "it is ok, and has no time"
    return None


def _may_be(name: str, value: Any) -> bool:
    if name == "device":
        return value in ("cpu", "cuda")
    if name == "mode":
        return value in MODES
    if name == "status":
        return value in STATUSES
    if name == "median_ms":
        return value is None or (_is_number(value) and value > 0)
    if name in _TEXTS:
        return isinstance(value, str) and bool(value or name == "reason")
    if name in _MORE_TEXTS:
        return value is None or isinstance(value, str)
    if name in _SIZES:
        return type(value) is int and 0 < value < _MOST_COUNT
    if name in _COUNTS:
        return value is None or (type(value) is int and 0 <= value < _MOST_COUNT)
    if name in _AMOUNTS:
        return value is None or (_is_number(value) and value >= 0)
    if name == "samples_ms":
        return isinstance(value, list) and all(_is_number(v) and v > 0 for v in value)
    if name == "rounds":
        return isinstance(value, list) and all(type(v) is int and v > 0 for v in value)
    if name in ("max_abs_err", "max_rel_err"):  # NaN or infinite for wrong outputs.
        return value is None or (isinstance(value, (int, float)) and type(value) is not bool)
    if name == "host":
        return isinstance(value, dict) and (not value or _is_host(value))
    if name in ("versions", "alone"):
        return value is None or isinstance(value, dict)
    return True


def _is_host(value: dict[str, Any]) -> bool:
    texts = all(isinstance(value.get(name), str) for name in ("name", "cpu"))
    texts = texts and isinstance(value.get("design", ""), (str, NoneType))
    counts = all(type(value.get(name)) is int for name in ("lanes", "cores"))
    loads = (value.get("load_before"), value.get("load_during"))
    return texts and counts and all(v is None or _is_number(v) for v in loads)


def _is_number(value: object) -> bool:
    if type(value) not in (int, float):
        return False
    return abs(value) < 1e300 and math.isfinite(value)  # type: ignore[arg-type]


def _shown(value: Any) -> str:
    """The value as shown in a message: of a list, only the first invalid element."""
    if isinstance(value, list):
        bad = [v for v in value if not (_is_number(v) and v > 0)]
        return f"a list with {bad[0]!r}" if bad else repr(value)
    return repr(value)
