"""The README's table of claims, from committed rows.

python -m plots.claims ROWS [ROWS ...]     prints it
    --into README.md                       or inserts it there, between its marks

Each folder is evaluated separately; a claim takes its verdict from the first folder with a result
for it, and the table shows which one that is.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ..devices import by_device, of_mode
from ..markdown import escape
from ..rows import load_rows
from .record import Claim, read_claims
from .table import counts
from .verdict import ELSEWHERE, OPEN, Verdict, verdict

BEGIN, END = "<!-- claims: begin -->", "<!-- claims: end -->"


def claims_section(folders: Sequence[Path]) -> str:
    """The short table, the number of claims per verdict, and the list of folders with the numbers
    that the table uses for them, as Markdown."""
    folds = [(n, of_mode(load_rows(folder))) for n, folder in enumerate(folders, 1)]
    parts = [(n, part) for n, rows in folds for _, part in by_device(rows)]
    found = [_first(claim, parts) for claim in read_claims()]
    lines = [
        {
            "": v.claim.code,
            "claim or open question": v.claim.text,
            "measured": v.short,
            "rows": str(number or "-"),
            "verdict": v.word,
        }
        for number, v in found
    ]
    table = pd.DataFrame(lines).map(escape).to_markdown(index=False, disable_numparse=True)
    names = "; ".join(f"{n} {folder.name}" for n, folder in enumerate(folders, 1))
    return f"{table}\n\n{counts([v for _, v in found])} Rows: {names}."


def _first(claim: Claim, parts: Sequence[tuple[int, pd.DataFrame]]) -> tuple[int, Verdict]:
    """The verdict, and the number of the folder that it comes from; 0 if there is none."""
    found = [(number, verdict(claim, part)) for number, part in parts]
    said = (pair for pair in found if pair[1].word not in (OPEN, ELSEWHERE))
    return next(said, (0, found[0][1]))


def between_marks(text: str, section: str) -> str:
    """`text` with `section` between its marks; ValueError if it has no marks."""
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.S)
    if not pattern.search(text):
        raise ValueError(f"no {BEGIN} ... {END}")
    return pattern.sub(lambda _: f"{BEGIN}\n{section}\n{END}", text)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m plots.claims", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("rows", nargs="+", type=Path, help="folders of rows")
    parser.add_argument("--into", type=Path, help="a file with the marks")
    arguments = parser.parse_args()
    section = claims_section(arguments.rows)
    if arguments.into is None:
        print(section)
        return
    text = between_marks(arguments.into.read_text(encoding="utf-8"), section)
    arguments.into.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
