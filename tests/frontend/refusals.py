"""Where the compiler refuses a program: the calls in its source that report an error, and which of
them a program runs into."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import acrobat
from acrobat.frontend.diagnostics import Reporter

ROOT = Path(acrobat.__file__).parent
FOLDERS = ("frontend", "transform")
REPORTS = ("error", "fail")  # Reporter.error, Context.error, Context.fail


@dataclass(frozen=True, slots=True)
class Site:
    """A call that reports an error: its file below `acrobat`, its lines, and what it says, with
    `{}` for what is filled in."""

    file: str
    code: str
    message: str
    lines: range = field(compare=False)

    def __str__(self) -> str:
        return f"{self.file}: {self.code}: {self.message}"


@cache
def sites() -> tuple[Site, ...]:
    """Every call that reports an error, in the order of the files."""
    found = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if _reports(node):
                    assert isinstance(node, ast.Call)
                    lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
                    file = str(path.relative_to(ROOT))
                    found.append(Site(file, text(node.args[0]), text(node.args[2]), lines))
    return tuple(found)


def _reports(node: ast.AST) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    return node.func.attr in REPORTS and len(node.args) > 2 and "AC" in text(node.args[0])


def text(node: ast.expr) -> str:
    """An expression that gives text, with `{}` for what is not written out in it."""
    match node:
        case ast.Constant(str(value)):
            return value
        case ast.JoinedStr(parts):
            return "".join(text(part) for part in parts)
        case ast.IfExp(_, body, orelse):
            return f"{text(body)} / {text(orelse)}"
    return "{}"


@contextmanager
def reported() -> Iterator[set[Site]]:
    """The sites that report an error inside of the `with`."""
    seen: set[Site] = set()
    before = Reporter.error

    def error(self: Reporter, *args: Any, **more: Any) -> None:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and (site := _site(frame)) is None:
            frame = frame.f_back
        if frame is not None and site is not None:
            seen.add(site)
        before(self, *args, **more)

    Reporter.error = error  # type: ignore[method-assign]
    try:
        yield seen
    finally:
        Reporter.error = before  # type: ignore[method-assign]


def _site(frame: FrameType) -> Site | None:
    path = Path(frame.f_code.co_filename)
    if not path.is_relative_to(ROOT):
        return None
    file = str(path.relative_to(ROOT))
    return next((s for s in sites() if s.file == file and frame.f_lineno in s.lines), None)
