"""Collects the errors of one run of the front end (lang/diagnostics.py has the errors)."""

from __future__ import annotations

from ..ir.span import Span
from ..lang.diagnostics import CODES, Diagnostic, ModelError

RECURSIVE = "calls itself, and has no hint for its result"


class Reporter:
    """Collects the errors of one run."""

    def __init__(self) -> None:
        self.errors: list[Diagnostic] = []

    def error(
        self,
        code: str,
        span: Span,
        message: str,
        hint: str = "",
        notes: tuple[str, ...] = (),
        of_nothing: bool = False,
    ) -> None:
        """Record one error, even if it has been found before: callers that count errors must see
        it."""
        assert code in CODES, code
        self.errors.append(Diagnostic(code, span, message, hint, notes, of_nothing))

    def finish(self) -> None:
        """Raise what was collected, in source order, each error once. Only if there are no others:
        errors about items of empty lists, and that a recursive function needs a hint, which other
        errors in it may be the reason for."""
        if self.errors:
            roots = [e for e in self.errors if not e.of_nothing] or self.errors
            roots = [e for e in roots if RECURSIVE not in e.message] or roots
            ordered = sorted(
                dict.fromkeys(roots), key=lambda e: (e.span.file, e.span.line, e.span.col)
            )
            raise ModelError(tuple(ordered))
