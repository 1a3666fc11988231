"""The syntax tree of a model function, at its place in its file."""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass

from ..ir.span import Span
from ..lang.model import Model


class SourceMissing(Exception):
    """The source of a function cannot be read (defined at a prompt, or from a string)."""


@dataclass(frozen=True, slots=True)
class Source:
    """`tree` is the function definition, parsed from `lines`, of which the first stands at `line`
    of the file."""

    tree: ast.FunctionDef
    file: str
    line: int
    lines: tuple[str, ...]

    def span(self, node: ast.AST) -> Span:
        """Where `node` stands in the file."""
        line, col = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        end_line = getattr(node, "end_lineno", None) or line
        end_col = getattr(node, "end_col_offset", None)
        end_col = col + 1 if end_col is None else end_col
        shift = self.line - 1
        return Span(
            self.file,
            line + shift,
            self._column(line, col),
            end_line + shift,
            self._column(end_line, end_col),
        )

    def _column(self, line: int, offset: int) -> int:
        """The column, from 1, in characters; `ast` counts bytes of UTF-8."""
        return len(self.lines[line - 1].encode()[:offset].decode(errors="replace")) + 1

    def head(self) -> Span:
        """The name in `def name`."""
        whole = self.span(self.tree)
        col = whole.col + len("def ")
        return Span(self.file, whole.line, col, whole.line, col + len(self.tree.name))


def read_source(model: Model[..., object]) -> Source:
    """The source of `model`; SourceMissing if there is none."""
    function = model.function
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError) as error:
        raise SourceMissing(str(error)) from error
    tree = ast.parse("".join(lines)).body[0] if not lines[0][:1].isspace() else None
    if tree is None:
        # Not dedented: a docstring may have lines that are indented less than the function.
        lines, first = ["if True:\n", *lines], first - 1
        block = ast.parse("".join(lines)).body[0]
        assert isinstance(block, ast.If)
        tree = block.body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise SourceMissing("not a plain function")
    return Source(tree, inspect.getsourcefile(function) or "?", first, tuple(lines))
