"""Comparison of a system's outputs with the reference's, from the files that workers wrote."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import baselines
from baselines.api import FORWARD

from .printable import printable
from .row import Row, within

# Characters of a structure in a reason.
_LONGEST = 57
# Exceptions that reading and comparing untrusted arrays may raise.
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
    """The row with its error relative to the reference, and a reason if that exceeds the tolerance.
    A limit has no outputs to check."""
    if baselines.record(row.system).is_limit:
        return row
    with np.load(reference) as file:
        want = {name: file[name] for name in file.files}
    trains = row.mode == "train"
    if trains and row.variant == FORWARD:
        # The losses, which come first.
        want = {name: want[name] for name in ("0", "0.0")}
    column = "max_rel_err" if trains else "max_abs_err"
    try:
        with np.load(outputs) as got:
            error, why = compare(want, got, relative=trains)
    except _UNREADABLE as problem:
        what = printable(f"{type(problem).__name__}: {problem}", 300)
        reason = f"its outputs cannot be read: {what}"
        return replace(row, reason=reason, **{column: float("inf")})  # type: ignore[arg-type]
    if not why and not within(error, row.tolerance):
        why = f"{column} {error:.2e} over tolerance {row.tolerance:g}"
    return replace(row, reason=why, **{column: error})  # type: ignore[arg-type]


def compare(
    want: Mapping[str, np.ndarray], got: Mapping[str, np.ndarray], relative: bool = False
) -> tuple[float, str]:
    """The largest error (NaN if any is NaN), with `relative` divided by the largest element of each
    array; and a description of the first mismatch in structure, or ""."""
    structures = [n for n in want if "." not in n]
    instances = sum("." not in n for n in got)
    if instances != len(structures):
        return float("inf"), f"results of {instances} instances instead of {len(structures)}"
    for n in structures:
        if n not in got or str(got[n]) != str(want[n]):
            found = _short(got, n)
            return float("inf"), f"instance {n}: {found} instead of {_short(want, n)}"
    errors = []
    for n in want:
        if "." in n:
            array = got[n]
            if array.shape != want[n].shape:
                return float("inf"), f"instance {n.partition('.')[0]}: an array of {array.shape}"
            error = np.abs(array - want[n]).max(initial=0.0)
            largest = np.abs(want[n]).max(initial=0.0) if relative else 1.0
            # If all elements are zero, the error stays absolute.
            errors.append(error / largest if largest else error)
    return float(np.max(errors, initial=0.0)), ""


def _short(outputs: Any, name: str) -> str:
    return printable(str(outputs[name]), _LONGEST) if name in outputs else "nothing"
