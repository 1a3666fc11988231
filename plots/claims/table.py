"""Table T9: a line per claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from ..content import Content, Table
from ..shown import Shown
from .record import read_claims
from .verdict import Verdict, verdict

_HEADLINE = ("claim", "what", "measured", "verdict", "why")


def build(rows: pd.DataFrame, shown: Shown) -> Content:
    """T9, with every claim, whether or not these rows say anything about it."""
    verdicts = [verdict(claim, rows) for claim in read_claims()]
    return Content([Table(claims_table(verdicts), [counts(verdicts)], _HEADLINE)])


def claims_table(verdicts: Sequence[Verdict]) -> pd.DataFrame:
    """A line per claim with everything known about it, in words."""
    return pd.DataFrame([_line(v) for v in verdicts])


def _line(found: Verdict) -> dict[str, str]:
    claim = found.claim
    return {
        "claim": claim.code,
        "what": claim.text,
        "said in": claim.said,
        "kind": "open question" if claim.question else "claim",
        "measured": found.measured,
        "reproduced if": claim.rule,
        "verdict": found.word,
        "why": found.why or "-",
        "shown in": ", ".join(claim.shown) or "-",
        "command": claim.command or "-",
        "minutes": "-" if claim.minutes is None else str(claim.minutes),
        "needs": claim.needs,
    }


def counts(verdicts: Sequence[Verdict]) -> str:
    """The number of claims per verdict, in a sentence."""
    found = Counter(v.word for v in verdicts)
    return "; ".join(f"{word}: {n}" for word, n in found.most_common()) + "."
