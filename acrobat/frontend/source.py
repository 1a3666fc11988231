"""The syntax tree of a model function, at its place in its file."""

from __future__ import annotations

import ast
import inspect
import linecache
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..ir.span import NOWHERE, Span
from ..lang.model import Model
from .attempts import without_try

# Where functions are not the author's.
_PATHS = sysconfig.get_paths()
ELSEWHERE = (
    str(Path(__file__).parents[1]),
    *{_PATHS[name] for name in ("stdlib", "purelib", "platlib")},
)
# `linecache` is where Python's own tracebacks look, too, for lines of code that is in no file.
_NO_TEXT = (
    "a plain `def` in a file or a notebook cell; for text that `exec` runs, "
    "`code = compile(text, name, 'exec')` with a name of its own, and before ab.compile "
    "`linecache.cache[name] = (len(text), None, text.splitlines(True), name)`"
)


class SourceMissing(Exception):
    """The source of a function cannot be read (defined at a prompt, or from a string); `instead`
    says what to do."""

    def __init__(
        self, why: str, instead: str = "a plain `def` in a file or a notebook cell"
    ) -> None:
        super().__init__(why)
        self.instead = instead


@dataclass(frozen=True, slots=True)
class Source:
    """`tree` is the function definition, parsed from `lines`, the first of which is line `line` of
    the file."""

    tree: ast.FunctionDef
    file: str
    line: int
    lines: tuple[str, ...]

    def span(self, node: ast.AST) -> Span:
        """The location of `node` in the file."""
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
    function: Any = model.function
    if not hasattr(function, "__code__"):
        raise SourceMissing("it is no `def`", _NO_TEXT)
    if function.__code__.co_name == "<lambda>":
        return _of_lambda(function)
    try:
        # What `functools.wraps` has decorated says that its source is the function inside, which is
        # what libraries' decorators stand for.
        own = not function.__code__.co_filename.startswith(ELSEWHERE)
        whole = function if own else inspect.unwrap(function)
        code = getattr(whole, "__code__", function.__code__)
        decorated = hasattr(whole, "__wrapped__")
        lines, first = inspect.getsourcelines(code if decorated else whole)
        tree = _definition(lines)
    except (OSError, TypeError) as error:
        raise SourceMissing(str(error), _NO_TEXT) from error
    except (SyntaxError, IndexError) as error:
        raise SourceMissing("it is no definition of its own") from error
    if lines[0][:1].isspace():
        lines, first = ["if True:\n", *lines], first - 1
    if isinstance(tree, ast.AsyncFunctionDef):
        raise SourceMissing("it is `async`: a model function is a plain one")
    if not isinstance(tree, ast.FunctionDef):
        raise SourceMissing("it is no `def`")
    if tree.name != code.co_name:
        raise SourceMissing("its file has been changed since it was imported")
    without_try(tree, whole)
    return Source(tree, inspect.getsourcefile(whole) or "?", first, tuple(lines))


def _of_lambda(function: Any) -> Source:
    """The source of a lambda, as a function with one statement. It is found in its file by the
    positions of its instructions."""
    code = function.__code__
    try:
        lines, _ = inspect.findsource(function)
        tree = ast.parse("".join(lines))
    except (OSError, TypeError) as error:
        raise SourceMissing(str(error), _NO_TEXT) from error
    except SyntaxError as error:
        raise SourceMissing("it is no definition of its own") from error
    positions = {
        (line, column)
        for line, _, column, _ in code.co_positions()
        if line is not None and column is not None and (line, column) != (code.co_firstlineno, 0)
    }
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Lambda)
        and [a.arg for a in node.args.args] == [*code.co_varnames[: code.co_argcount]]
        and all(_first(node.body) <= p <= _last(node.body) for p in positions)
    ]
    if not found:
        raise SourceMissing("its file has been changed since it was imported")
    if not positions and len(found) > 1:
        # As PYTHONNODEBUGRANGES has it: there is no way to tell one from another.
        found = [node for node in found if node.lineno == code.co_firstlineno]
        if len(found) != 1:
            raise SourceMissing("it is one of several lambdas", "a function with a name, `def`")
    node = min(found, key=lambda n: (_last(n)[0] - _first(n)[0], _last(n)[1] - _first(n)[1]))
    body = ast.copy_location(ast.Return(node.body), node.body)
    definition = ast.FunctionDef("lambda", node.args, [body], [], None)
    file = inspect.getsourcefile(function) or "?"
    return Source(ast.copy_location(definition, node), file, 1, tuple(lines))


def _first(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _last(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def _definition(lines: list[str]) -> ast.stmt:
    if not lines[0][:1].isspace():
        return ast.parse("".join(lines)).body[0]
    # Not dedented: a docstring may have lines that are indented less than the function.
    block = ast.parse("".join(["if True:\n", *lines])).body[0]
    assert isinstance(block, ast.If)
    return block.body[0]


def first_line(model: Model[..., object]) -> Span:
    """Where the code of `model` begins, for when its source is missing."""
    code = getattr(model.function, "__code__", None)
    if code is None:
        return NOWHERE
    text = linecache.getline(code.co_filename, code.co_firstlineno).rstrip("\n")
    indent = len(text) - len(text.lstrip())
    return Span(
        code.co_filename, code.co_firstlineno, indent + 1, code.co_firstlineno, len(text) + 1
    )
