"""Source locations of declarations, for errors that arise when the model's module is imported: in
decorators and type hints."""

from __future__ import annotations

import ast
import linecache
import sys
from pathlib import Path
from typing import NoReturn

from ..ir.span import Span
from .diagnostics import Diagnostic, ModelError

_PACKAGE = str(Path(__file__).parents[1])


def caller() -> Span | None:
    """The expression outside of this package that called into it (a decorator, a hint, a call of a
    class); None if it stands in a string, whose place is known to the code that evaluates it."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(_PACKAGE):
        if frame.f_back is None:
            return None
        frame = frame.f_back
    if frame.f_code.co_filename == "<string>":
        return None
    positions = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    line, end_line, col, end_col = positions
    if line is None or end_line is None or col is None or end_col is None:
        return Span(frame.f_code.co_filename, frame.f_lineno, 1, frame.f_lineno, 2)
    return Span(frame.f_code.co_filename, line, col + 1, end_line, end_col + 1)


def field_of(cls: type, decorator: Span | None, field: str) -> Span | None:
    """The line of a field in the class below a decorator, or the decorator's own place."""
    if decorator is None:
        return None
    try:
        tree = ast.parse("".join(linecache.getlines(decorator.file)))
    except SyntaxError:
        return decorator
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef) or node.name != cls.__name__:
            continue
        if decorator.line not in [d.lineno for d in node.decorator_list]:
            continue
        for stmt in node.body:
            names = [n.id for n in ast.walk(stmt) if isinstance(n, ast.Name)]
            if isinstance(stmt, (ast.Assign, ast.AnnAssign)) and field in names[:1]:
                end = stmt.end_col_offset or stmt.col_offset
                last = stmt.end_lineno or stmt.lineno
                return Span(decorator.file, stmt.lineno, stmt.col_offset + 1, last, end + 1)
    return decorator


def refuse(code: str, place: Span | None, message: str, hint: str) -> NoReturn:
    """Raise ModelError with one error at `place`, or ValueError if there is no place."""
    if place is None:
        raise ValueError(f"{message}: {hint}")
    raise ModelError((Diagnostic(code, place, message, hint),))
