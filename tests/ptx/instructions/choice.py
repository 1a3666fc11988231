"""Comparisons and selections."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ..registers import Frame, Layout
from ..syntax import Instruction
from .table import Action, Mask, instruction

_ORDERED: dict[str, Callable[..., Any]] = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
    "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip
# The comparison of which this is the opposite: true of NaN.
_UNORDERED = {"equ": "ne", "neu": "eq", "ltu": "ge", "leu": "gt", "gtu": "le", "geu": "lt"}


def compare(name: str, kind: str) -> Callable[[Any, Any], Any]:
    """A comparison as PTX names it. Without "u" it does not hold of NaN, "ne" included."""
    if name == "nan":
        return lambda a, b: np.isnan(a) | np.isnan(b)
    if name == "num":
        return lambda a, b: ~(np.isnan(a) | np.isnan(b))
    if name == "neu":
        return np.not_equal
    if name in _UNORDERED:
        if name == "equ":
            return lambda a, b: (a == b) | np.isnan(a) | np.isnan(b)
        opposite = _ORDERED[_UNORDERED[name]]
        return lambda a, b: ~opposite(a, b)
    if name == "ne" and kind == "f32":
        return lambda a, b: (a != b) & ~(np.isnan(a) | np.isnan(b))
    return _ORDERED[name]


@instruction(r"setp\.(?P<how>eq|ne|lt|le|gt|ge)(?:\.(?P<op>and|or))?\.(?P<t>[bsu](?:16|32|64)|f32)")
@instruction(r"setp\.(?P<how>equ|neu|ltu|leu|gtu|geu|num|nan)(?:\.(?P<op>and|or))?\.(?P<t>f32)")
def set_predicate(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """A comparison, alone or with a predicate."""
    kind, test = match["t"], compare(match["how"], match["t"])
    d = layout.write(i, i.operands[0], "pred").number
    a, b = (layout.read(i, o, kind).number for o in i.operands[1:3])
    join = {None: None, "and": np.logical_and, "or": np.logical_or}[match["op"]]
    c = layout.read(i, i.operands[3], "pred").number if join else 0

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        rows, predicates = frame.rows[kind], frame.rows["pred"]
        found = test(rows[a], rows[b])
        if join is not None:
            found = join(found, predicates[c])
        np.copyto(predicates[d], found, where=mask)

    return run


@instruction(r"selp\.(?P<t>[bsu](?:16|32|64)|f32|f64)")
def select(match: re.Match[str], i: Instruction, layout: Layout) -> Action:
    """One of two, by a predicate."""
    kind = match["t"]
    d = layout.write(i, i.operands[0], kind).number
    a, b = (layout.read(i, o, kind).number for o in i.operands[1:3])
    p = layout.read(i, i.operands[3], "pred").number

    def run(team: Any, frame: Frame, mask: Mask) -> None:
        rows = frame.rows[kind]
        np.copyto(rows[d], np.where(frame.rows["pred"][p], rows[a], rows[b]), where=mask)

    return run
