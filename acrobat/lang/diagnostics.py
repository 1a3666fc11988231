"""Errors in a model's source: stable codes, source line, caret, and what to write instead.

`ModelError` is a `SyntaxError`, so Python, pytest and notebooks draw the source and the caret
themselves. A run collects every error it can find; the first is raised, the others follow as
notes, each with its own source and caret, and all of them are in `ModelError.errors`.
Every code has an entry with a failing and a fixed example in docs/errors.md.
"""

from __future__ import annotations

import linecache
from dataclasses import dataclass, field

from ..errors import AcrobatError
from ..ir.span import Span

CODES = {
    "AC001": "unsupported statement",
    "AC002": "unsupported expression",
    "AC003": "missing type hint",
    "AC004": "unusable type hint",
    "AC005": "match is not exhaustive",
    "AC006": "unreachable case",
    "AC007": "unsupported pattern",
    "AC008": "branches of different type",
    "AC009": "variable may be undefined",
    "AC010": "shape mismatch",
    "AC011": "unknown name",
    "AC012": "call of something that is not part of the model",
    "AC013": "unknown operation",
    "AC014": "unknown field",
    "AC015": "mutation",
    "AC016": "wrong number of arguments",
    "AC017": "wrong type of argument",
    "AC018": "condition is not a bool",
    "AC019": "recursion without a base case",
    "AC020": "missing return",
    "AC021": "result of the wrong type",
    "AC022": "ab.parallel of something that is not a call",
    "AC023": "unusable entry function",
    "AC024": "split into unequal parts",
    "AC025": "wrong number of targets",
    "AC026": "numpy call inside a model",
    "AC027": "operator on unsuitable types",
    "AC028": "source not available",
    "AC029": "phase inside of something",
    "AC030": "append to a shared list",
    "AC031": "unusable declaration",
    "AC032": "more than the compiler takes",
    "AC033": "a loop without a way out",
}


def drawn(span: Span) -> list[str]:
    """A place in a source as Python draws it: the file, the line, carets below."""
    source = linecache.getline(span.file, span.line).rstrip("\n")
    stripped = source.lstrip()
    shift = len(source) - len(stripped)
    end = span.end_col if span.end_line == span.line else len(source) + 1
    carets = " " * (span.col - 1 - shift) + "^" * max(1, end - span.col)
    lines = [f'  File "{span.file}", line {span.line}']
    return [*lines, f"    {stripped}", f"    {carets}"] if stripped else lines


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One error: its code, where it is, what is wrong, and what to write instead.

    `of_nothing`: it is about an item of an empty list. If there are other errors, it may follow
    from one of them, such as one in the call that puts an item into the list."""

    code: str
    span: Span
    message: str
    hint: str = ""
    notes: tuple[str, ...] = field(default=())
    of_nothing: bool = field(default=False, compare=False)

    def render(self) -> str:
        """The error with its source line and caret, as Python draws a SyntaxError."""
        lines = [*drawn(self.span), f"{self.code}: {self.message}"]
        lines += [f"  note: {n}" for n in self.notes]
        if self.hint:
            lines.append(f"  instead: {self.hint}")
        return "\n".join(lines)


class ModelError(AcrobatError, SyntaxError):
    """A model's source is not in the language. `errors` holds every error found, in order."""

    def __init__(self, errors: tuple[Diagnostic, ...]) -> None:
        first = errors[0]
        span = first.span
        text = linecache.getline(span.file, span.line)
        # A span over several lines is clamped to its first, or Python draws no caret.
        end_col = span.end_col if span.end_line == span.line else len(text.rstrip("\n")) + 1
        super().__init__(
            f"{first.code}: {first.message}",
            (span.file, span.line, span.col, text, span.line, end_col),
        )
        self.errors = errors
        for note in first.notes:
            self.add_note(f"note: {note}")
        if first.hint:
            self.add_note(f"instead: {first.hint}")
        if len(errors) > 1:
            self.add_note(f"\n{len(errors) - 1} more:")
            for error in errors[1:]:
                self.add_note("\n" + error.render())

    @property
    def code(self) -> str:
        """The code of the first error."""
        return self.errors[0].code

    def render(self) -> str:
        """All errors, as text."""
        return "\n\n".join(e.render() for e in self.errors)
