"""Lines of generated source with indentation."""

from __future__ import annotations


class Text:
    """Call it with a line; `depth` is how far the next line is indented."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 0

    def __call__(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)
