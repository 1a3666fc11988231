"""The result of a table's or figure's builder (`plots.shown`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Table:
    """A table with all its columns, which CSV has; `columns` are those that people read first.
    Several tables of one record differ in the `suffix` of their files' names, and in what their
    captions say `more`."""

    frame: pd.DataFrame
    remarks: Sequence[str] = ()
    columns: Sequence[str] | None = None
    suffix: str = ""
    more: str = ""


@dataclass(frozen=True, slots=True)
class Content:
    """Of one device's rows; empty if there is nothing to show."""

    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
