"""The outputs of a system against those of the reference, from the files that workers wrote."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import baselines

from .printable import printable
from .row import Row, within

# Of a structure, in a reason.
_LONGEST = 57
# What reading and comparing arrays of anybody may end in.
_UNREADABLE = (
    OSError,
    ValueError,
    TypeError,
    KeyError,
    EOFError,
    MemoryError,
    zipfile.BadZipFile,
    zlib.error,
)


def checked(row: Row, reference: Path, outputs: Path) -> Row:
    """The row with its error against the reference; marked where that is over the tolerance. A
    limit has no outputs to check."""
    if baselines.record(row.system).is_limit:
        return row
    with np.load(reference) as file:
        want = {name: file[name] for name in file.files}
    try:
        with np.load(outputs) as got:
            error, why = _compare(want, got)
    except _UNREADABLE as problem:
        what = printable(f"{type(problem).__name__}: {problem}", 300)
        return replace(row, reason=f"its outputs cannot be read: {what}", max_abs_err=float("inf"))
    if not why and not within(error, row.tolerance):
        why = f"max_abs_err {error:.2e} over tolerance {row.tolerance:g}"
    return replace(row, max_abs_err=error, reason=why)


def _compare(want: Mapping[str, np.ndarray], got: Any) -> tuple[float, str]:
    """The largest error (NaN if any is), and what is of another structure."""
    structures = [n for n in want if "." not in n]
    instances = sum("." not in n for n in got.files)
    if instances != len(structures):
        return float("inf"), f"results of {instances} instances instead of {len(structures)}"
    for n in structures:
        if n not in got.files or str(got[n]) != str(want[n]):
            found = _short(got, n)
            return float("inf"), f"instance {n}: {found} instead of {_short(want, n)}"
    errors = []
    for n in want:
        if "." in n:
            array = got[n]
            if array.shape != want[n].shape:
                return float("inf"), f"instance {n.partition('.')[0]}: an array of {array.shape}"
            errors.append(np.abs(array - want[n]).max(initial=0.0))
    return float(np.max(errors, initial=0.0)), ""


def _short(outputs: Any, name: str) -> str:
    return printable(str(outputs[name]), _LONGEST) if name in outputs else "nothing"
