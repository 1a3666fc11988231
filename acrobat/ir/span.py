"""Source locations; every IR node carries one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """`line` and `end_line` count from 1, `col` and `end_col` from 1 (as Python's carets do)."""

    file: str
    line: int
    col: int
    end_line: int
    end_col: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.col}"


NOWHERE = Span("<compiler>", 0, 0, 0, 0)
