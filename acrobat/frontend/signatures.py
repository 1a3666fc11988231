"""Signatures of model functions, read when a call first mentions them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from ..ir import typed as T
from ..ir.names import Names
from ..ir.span import NOWHERE, Span
from ..ir.types import Type
from ..lang.hints import NameScope, function_scope, resolve_hint
from ..lang.model import Model
from .declarations import Declarations, read_hint
from .diagnostics import Reporter
from .source import Source, SourceMissing, first_line, read_source
from .syntax import parameters


@dataclass(frozen=True, slots=True)
class Signature:
    """A model function's name in the module, its source, its parameters and its result."""

    name: str
    model: Model[..., Any]
    source: Source
    params: tuple[tuple[str, Type | None], ...]
    result: Type | None


class ModuleBuilder:
    """A module while it is lowered. A call enters the function that it mentions into `queue`, so
    that mutual recursion needs no order."""

    def __init__(self, entry: Model[..., Any]) -> None:
        self.entry = entry
        self.reporter = Reporter()
        self.declarations = Declarations(self.reporter)
        self.signatures: dict[int, Signature | None] = {}
        self.queue: list[Signature] = []
        self.functions: dict[str, T.Function] = {}
        self.names = Names()
        # The hints of local names: where, of which name, which type.
        self.hints: list[tuple[Span, str, Type]] = []

    def signature(self, model: Model[..., Any], use: Span) -> Signature | None:
        """The signature of `model`; None if it cannot be had (reported, at `use` if it has no
        source)."""
        if id(model) in self.signatures:
            return self.signatures[id(model)]
        self.signatures[id(model)] = None
        name = model.function.__name__
        try:
            source = read_source(model)
        except SourceMissing as error:
            self.reporter.error(
                "AC028",
                first_line(model) if use == NOWHERE else use,
                f"the source of {name} is not available ({error})",
                "a plain `def` in a file or a notebook cell",
            )
            return None
        scope = function_scope(model.function, model.around())
        result = self._signature(self.names.free(name), model, source, scope)
        self.signatures[id(model)] = result
        self.queue.append(result)
        return result

    def _signature(
        self, unique: str, model: Model[..., Any], source: Source, scope: NameScope
    ) -> Signature:
        hints = model.function.__annotations__
        arguments = source.tree.args
        for extra in (arguments.vararg, arguments.kwarg):
            if extra is not None:
                self.reporter.error(
                    "AC001",
                    source.span(extra),
                    f"{model.function.__name__} takes a variable number of arguments",
                    "name each argument, with its type",
                )
        params: list[tuple[str, Type | None]] = []
        for arg in parameters(source.tree):
            span = source.span(arg)
            if arg.arg not in hints:
                self.reporter.error(
                    "AC003",
                    span,
                    f"the parameter {arg.arg!r} of {model.function.__name__} has no type hint",
                    f"`{arg.arg}: <type>`, such as int, Float32[Tensor, 'H'], or a data class",
                )
                params.append((arg.arg, None))
                continue
            hint = hints[arg.arg]
            read = read_hint(
                f"the hint of {arg.arg!r}",
                partial(resolve_hint, hint, scope),
                self.declarations,
                span,
            )
            params.append((arg.arg, read))
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.reporter.error(
                    "AC001",
                    source.span(default),
                    "default arguments are not supported",
                    "pass the value at every call",
                )
        result: Type | None = None
        if "return" not in hints:
            self.reporter.error(
                "AC003",
                source.head(),
                f"{model.function.__name__} has no result hint",
                "`-> <type>`, such as Float32[Tensor, 'H'] or tuple[int, int]",
            )
        else:
            result = read_hint(
                "the result hint",
                partial(resolve_hint, hints["return"], scope),
                self.declarations,
                source.span(source.tree.returns) if source.tree.returns else source.head(),
            )
        return Signature(unique, model, source, tuple(params), result)
