"""The places in the author's source that record nodes: the innermost loop, or else the function."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ..ir import batched as B
from ..ir.batched_walk import regions
from ..ir.span import Span
from ..ir.types import TensorType

# The longest excerpt of a loop's header that is shown.
_WIDTH = 60


@dataclass(frozen=True, slots=True)
class Place:
    """A loop, or a function outside its loops. `span`: that of the loop, or of the function.
    `carried`: the names of the tensors that an iteration passes to the next one. Places with the
    same position in the source are the same place."""

    function: str
    span: Span
    loop: bool
    carried: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[bool, str, int, int]:
        """A key that is equal for the same place."""
        return self.loop, self.span.file, self.span.line, self.span.col

    def __str__(self) -> str:
        where = f"{Path(self.span.file).name}:{self.span.line}"
        if not self.loop:
            return f"{self.function} ({where})"
        return f"{self.function}, `{excerpt(self.span)}` ({where})"


def places(module: B.Module) -> Mapping[int, Place]:
    """Return the place of every `Run` of the module, by the identity of the `Run`."""
    found: dict[int, Place] = {}
    known: dict[object, Place] = {}
    for function in module.functions.values():
        name = enclosing_function(function.span) or function.name
        place = Place(name, function.span, False)
        for run, inner in _runs(function.body, place):
            found[id(run)] = known.setdefault(inner.key, inner)
    return found


def _runs(region: B.Region, place: Place) -> Iterator[tuple[B.Run, Place]]:
    work: list[tuple[B.Region, Place]] = [(region, place)]
    while work:
        inner, at = work.pop()
        for stmt in inner.stmts:
            if isinstance(stmt, B.Run):
                yield stmt, at
            below = _loop(stmt, at) if isinstance(stmt, (B.For, B.While, B.Map)) else at
            work += [(r, below) for r in regions(stmt)]


def _loop(stmt: B.For | B.While | B.Map, outside: Place) -> Place:
    vectors = [] if isinstance(stmt, B.Map) else stmt.carried
    names = (v.name for v in vectors if isinstance(v.type, TensorType))
    function = enclosing_function(stmt.span) or outside.function
    return Place(function, stmt.span, True, tuple(dict.fromkeys(names)))


def excerpt(span: Span) -> str:
    """Return the source at `span`, as far as it is on the span's first line."""
    line = linecache.getline(span.file, span.line).rstrip("\n")
    end = span.end_col - 1 if span.end_line == span.line else len(line)
    text = line[span.col - 1 : end].strip()
    if text.startswith(("for ", "while ")):
        # If a loop's body is on the same line, it is left out.
        text = text.split(": ")[0].rstrip(":")
    return text if len(text) <= _WIDTH else text[: _WIDTH - 3].rstrip() + "..."


def enclosing_function(span: Span) -> str | None:
    """Return the innermost function of the source that contains `span`; None if there is none."""
    best: tuple[int, str] | None = None
    for first, last, name in _functions(span.file, _text(span.file)):
        if first <= span.line <= last and (best is None or first > best[0]):
            best = first, name
    return None if best is None else best[1]


def _text(file: str) -> str:
    return "".join(linecache.getlines(file))


@lru_cache(maxsize=8)
def _functions(file: str, text: str) -> Sequence[tuple[int, int, str]]:
    """Return the first line, last line and name of every function in a file."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ()
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [
        (n.lineno, n.end_lineno or n.lineno, n.name) for n in ast.walk(tree) if isinstance(n, kinds)
    ]
