"""Collects the errors of one run of the front end (lang/diagnostics.py has the errors)."""

from __future__ import annotations

from ..ir.span import Span
from ..lang.diagnostics import CODES, Diagnostic, ModelError


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
        """Raise what was collected, in source order, each error once; errors about items of empty
        lists only if there are no others."""
        if self.errors:
            roots = [e for e in self.errors if not e.of_nothing] or self.errors
            ordered = sorted(
                dict.fromkeys(roots), key=lambda e: (e.span.file, e.span.line, e.span.col)
            )
            raise ModelError(tuple(ordered))
