"""The state that the emitters of statements share: the text so far, the program's layout, and the
emitters of other statements, which are looked up by type (`program.py` has the table)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..ir import batched as B
from ..ir import typed as T
from ..ir.types import TextType
from ..layout import Layout
from ..options import Options
from .cpp import atom, cpp_type, name_of, variable
from .identifiers import identifier
from .literals import string
from .writer import Writer


@dataclass(slots=True)
class Loop:
    """A loop that is being written: its number, its variables, and whether something jumps to the
    end of its iteration or past the loop."""

    number: int
    carried: tuple[T.Var, ...]
    next_used: bool = False
    done_used: bool = False


class BareList(NamedTuple):
    """The identifiers of a list's items and of their number; empty until its map is written."""

    items: str = ""
    length: str = ""


@dataclass(frozen=True, slots=True)
class ProgramContext:
    """The state for one program. `statements` and `bindings` are the emitters by the type of a
    statement, and of the right-hand side of a `Let`. `loops` are the enclosing loops, innermost
    last; `weight_references` are the variables that refer to a whole weight; `bare_lists` those of
    lists without a header (analysis/bare_lists.py); `functions` are the numbers of the module's
    functions, `host_functions` those of the host functions."""

    layout: Layout
    options: Options
    statements: Mapping[type, Callable[[ProgramContext, Any], None]]
    bindings: Mapping[type, Callable[[ProgramContext, tuple[T.Var, ...], Any], None]]
    write: Writer = field(default_factory=Writer)
    loops: list[Loop] = field(default_factory=list)
    weight_references: dict[T.Var, str] = field(default_factory=dict)
    bare_lists: dict[T.Var, BareList] = field(default_factory=dict)
    functions: Mapping[str, int] = field(init=False)
    host_functions: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        numbers = {name: n for n, name in enumerate(self.module.functions, 1)}
        object.__setattr__(self, "functions", numbers)
        host = {name: n for n, name in enumerate(self.layout.host_functions)}
        object.__setattr__(self, "host_functions", host)

    @property
    def module(self) -> B.Module:
        """The program's module."""
        return self.layout.module

    def function(self, name: str) -> str:
        """The identifier of a function."""
        return identifier("fn", self.functions[name], name)

    def results_of(self, name: str) -> str:
        """The struct of a function's results."""
        return identifier("out", self.functions[name], name)

    def number(self) -> int:
        """A number that nothing else in the text has."""
        return next(self.write.numbers)

    def region(self, region: B.Region, outs: tuple[T.Var, ...]) -> None:
        """Write the statements of `region`; the values that it yields go to `outs`."""
        for stmt in region.stmts:
            self.statements[type(stmt)](self, stmt)
        match region.end:
            case T.Yield(values):
                self.assign(outs, values)
            case T.Return(values):
                self.write(f"return {{{', '.join(atom(v) for v in values)}}};")
            case T.Break(values):
                self._leave(values, "done")
            case T.Continue(values):
                self._leave(values, "next")
            case T.Raise(texts, values):
                parts = [string(texts[0])]
                for value, text in zip(values, texts[1:], strict=True):
                    shown = atom(value)
                    if isinstance(value.type, TextType):
                        shown = f"MessagePart::of_string({shown})"
                    parts += [shown, string(text)]
                self.write(f"fail_with({{{', '.join(parts)}}});")
            case T.Unreachable():
                self.write("__builtin_unreachable();")

    def nested(self, region: B.Region, outs: tuple[T.Var, ...]) -> None:
        """Write a region, indented, between braces that the caller writes."""
        with self.write.indented():
            self.region(region, outs)

    def declare(self, outs: tuple[T.Var, ...]) -> None:
        """Declare the variables that a region will assign."""
        for v in outs:
            self.write(f"{variable(v)}{{}};")

    def assign(self, outs: tuple[T.Var, ...], values: tuple[T.Atom, ...]) -> None:
        """Write `outs = values`, all at once: a value may be one of the outs."""
        pairs = [(o, v) for o, v in zip(outs, values, strict=True) if o != v]
        if len(pairs) > 1 and any(v in outs for _, v in pairs):
            number = self.number()
            self.write("{")
            for i, (out, value) in enumerate(pairs):
                self.write(f"  {cpp_type(out.type)} t{number}_{i} = {atom(value)};")
            for i, (out, _) in enumerate(pairs):
                self.write(f"  {name_of(out)} = t{number}_{i};")
            self.write("}")
            return
        for out, value in pairs:
            self.write(f"{name_of(out)} = {atom(value)};")

    def _leave(self, values: tuple[T.Atom, ...], label: str) -> None:
        """Break out of the innermost loop (`done`), or go to the end of its iteration (`next`)."""
        loop = self.loops[-1]
        self.assign(loop.carried, values)
        loop.done_used |= label == "done"
        loop.next_used |= label == "next"
        self.write(f"goto {label}_{loop.number};")

    def begin_loop(self, carried: tuple[T.Var, ...], inits: tuple[T.Atom, ...]) -> Loop:
        """Declare a loop's variables."""
        for var, init in zip(carried, inits, strict=True):
            self.write(f"{variable(var)} = {atom(init)};")
        self.loops.append(Loop(self.number(), carried))
        return self.loops[-1]

    def end_loop(self, outs: tuple[T.Var, ...]) -> None:
        """Write what follows a loop: its results are the last values of its variables."""
        loop = self.loops.pop()
        if loop.done_used:
            self.write(f"done_{loop.number}:;")
        for out, var in zip(outs, loop.carried, strict=True):
            self.write(f"{variable(out)} = {name_of(var)};")
