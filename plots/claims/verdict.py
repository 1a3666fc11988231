"""A claim's verdict, computed only from rows."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from ..cells import ratio_text
from .measures import MEASURES, Finding, Number
from .record import Claim, Condition

REPRODUCED, PARTLY, NOT = "reproduced", "partly", "not reproduced"
# A deciding bound lies within an interval; there are no rows; the claim is about another device.
UNSURE, OPEN, ELSEWHERE = "not certain", "not measured", "not on this device"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a claim: `word` is one of the constants above, `measured` the numbers in
    words, `short` the first of them, `why` the deciding reason, or "" if the numbers speak for
    themselves."""

    claim: Claim
    word: str
    why: str
    measured: str = "-"
    short: str = "-"


def verdict(claim: Claim, rows: pd.DataFrame) -> Verdict:
    """The verdict on a claim from one device's rows."""
    if claim.command is None:
        return Verdict(claim, OPEN, "no configuration measures it yet")
    device = rows["device"].iloc[0]
    if claim.device != device:
        return Verdict(claim, ELSEWHERE, f"needs {claim.needs}: {claim.command}")
    finding = MEASURES[claim.measure](rows, **claim.given)
    missing = [c.number for c in claim.reproduced_if if c.number not in finding.numbers]
    if missing:
        return Verdict(claim, OPEN, f"no rows for it: {claim.command}")
    word, why = _judged(claim, finding)
    first = claim.reproduced_if[0].number
    short = f"{_text(first, finding.numbers[first])}; {finding.count} {finding.things}"
    return Verdict(claim, word, why, _measured(claim, finding), short)


def _judged(claim: Claim, finding: Finding) -> tuple[str, str]:
    found = [(c, c.met_by(finding.numbers[c.number].interval)) for c in claim.reproduced_if]
    if all(met for _, met in found):
        return REPRODUCED, ""
    missed = "; ".join(_missed(c, finding.numbers[c.number], met) for c, met in found if not met)
    partly = [c.met_by(finding.numbers[c.number].interval) for c in claim.partly_if]
    if partly and all(partly):
        return PARTLY, missed
    sure = any(met is False for _, met in found) and (not partly or False in partly)
    return (NOT if sure else UNSURE), missed


def _missed(condition: Condition, number: Number, met: bool | None) -> str:
    how = "is not certain" if met is None else "does not hold"
    return f"{condition} {how}" + (f" ({number.of})" if number.of else "")


def _measured(claim: Claim, finding: Finding) -> str:
    named = dict.fromkeys([c.number for c in (*claim.reproduced_if, *claim.partly_if)])
    others = [n for n in finding.numbers if n not in named]
    parts = [_part(name, finding.numbers[name]) for name in (*named, *others)]
    return f"{', '.join(parts)}; {finding.count} {finding.things}"


def _part(name: str, number: Number) -> str:
    return _text(name, number) + (f" ({number.of})" if number.of else "")


def _text(name: str, number: Number) -> str:
    return f"{name} {ratio_text(number.interval).removesuffix(' [?]')}"
