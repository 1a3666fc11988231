"""The result of a table's or figure's builder (`plots.shown`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Table:
    """A table with all columns, as in CSV; `columns` are the ones most readers need. Several tables
    of one record differ in the `suffix` of their file names, and in the addition `more` to their
    captions."""

    frame: pd.DataFrame
    remarks: Sequence[str] = ()
    columns: Sequence[str] | None = None
    suffix: str = ""
    more: str = ""


@dataclass(frozen=True, slots=True)
class Content:
    """The tables and figures of one device's rows; empty if there is nothing to show."""

    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
