"""C++ text that is being written: lines and their indentation."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager


class Writer:
    """Call it with a line to write that line. `numbers` yields the numbers for unique names."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.numbers = itertools.count(1)
        self._depth = 0

    def __call__(self, line: str = "") -> None:
        self.lines.append("  " * self._depth + line if line else "")

    @contextmanager
    def indented(self, levels: int = 1) -> Iterator[None]:
        """Indent what is written inside."""
        self._depth += levels
        yield
        self._depth -= levels

    @property
    def text(self) -> str:
        """The whole text, as the contents of a file."""
        return "\n".join(self.lines) + "\n"
