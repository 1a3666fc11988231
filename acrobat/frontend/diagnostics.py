"""Collects the errors of one run of the front end (lang/diagnostics.py has the errors)."""

from __future__ import annotations

from ..ir.span import Span
from ..lang.diagnostics import CODES, Diagnostic, ModelError


class Reporter:
    """Collects the errors of one run."""

    def __init__(self) -> None:
        self.errors: list[Diagnostic] = []

    def error(
        self, code: str, span: Span, message: str, hint: str = "", notes: tuple[str, ...] = ()
    ) -> None:
        """Record one error, even if it has been found before: callers that count errors must see
        it."""
        assert code in CODES, code
        self.errors.append(Diagnostic(code, span, message, hint, notes))

    def finish(self) -> None:
        """Raise what was collected, in source order, each error once."""
        if self.errors:
            ordered = sorted(
                dict.fromkeys(self.errors), key=lambda e: (e.span.file, e.span.line, e.span.col)
            )
            raise ModelError(tuple(ordered))
