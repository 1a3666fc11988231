"""The syntax tree of a model function, at its place in its file."""

from __future__ import annotations

import ast
import inspect
import textwrap
from dataclasses import dataclass

from ..ir.span import Span
from ..lang.model import Model


class SourceMissing(Exception):
    """The source of a function cannot be read (defined at a prompt, or from a string)."""


@dataclass(frozen=True, slots=True)
class Source:
    """`tree` is the function definition; positions in it are relative to `line` and `indent`."""

    tree: ast.FunctionDef
    file: str
    line: int
    indent: int

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
            col + self.indent + 1,
            end_line + shift,
            end_col + self.indent + 1,
        )

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
    text = "".join(lines)
    dedented = textwrap.dedent(text)
    indent = len(text.splitlines()[0]) - len(dedented.splitlines()[0])
    tree = ast.parse(dedented).body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise SourceMissing("not a plain function")
    return Source(tree, inspect.getsourcefile(function) or "?", first, indent)
