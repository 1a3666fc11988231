"""`lower_model`: a model function and everything it reaches, as a typed module."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from ..ir import typed as T
from ..ir.rewrite import calls
from ..ir.span import NOWHERE, Span
from ..ir.types import ListType, ParamsRef, TensorType, TupleType, Type, run_time_value
from ..lang.hints import function_scope, resolve_hint
from ..lang.model import Model
from .base_case import functions_without_base_case
from .declarations import Declarations, has_tuple, read_hint
from .diagnostics import Reporter
from .source import Source, SourceMissing, read_source


@dataclass(frozen=True, slots=True)
class Signature:
    """A model function's name in the module, its source, its parameters and its result."""

    name: str
    model: Model[..., Any]
    source: Source
    params: tuple[tuple[str, Type | None], ...]
    result: Type | None


class ModuleBuilder:
    """Lowers functions as they are called, so that mutual recursion needs no order."""

    def __init__(self, entry: Model[..., Any]) -> None:
        self.entry = entry
        self.reporter = Reporter()
        self.declarations = Declarations(self.reporter)
        self.signatures: dict[int, Signature | None] = {}
        self.queue: list[Signature] = []
        self.functions: dict[str, T.Function] = {}
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
                use,
                f"the source of {name} is not available ({error})",
                "define the model in a file or a notebook cell",
            )
            return None
        taken = {s.name for s in self.signatures.values() if s is not None}
        unique, n = name, 1
        while unique in taken:
            n += 1
            unique = f"{name}_{n}"
        scope = function_scope(model.function, model.around())
        result = self._signature(unique, model, source, scope)
        self.signatures[id(model)] = result
        self.queue.append(result)
        return result

    def _signature(
        self, unique: str, model: Model[..., Any], source: Source, scope: Any
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
        for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
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
                lambda hint=hint: resolve_hint(hint, scope),  # type: ignore[misc]
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
                lambda: resolve_hint(hints["return"], scope),
                self.declarations,
                source.span(source.tree.returns) if source.tree.returns else source.head(),
            )
        return Signature(unique, model, source, tuple(params), result)


def lower_model(model: Model[..., Any]) -> T.Module:
    """The typed module of `model`, symbolic dimensions kept. ModelError with all errors found."""
    from .function import FunctionLowerer

    if not isinstance(model, Model):
        raise TypeError(f"ab.compile takes a function decorated with @ab.model, not {model!r}")
    builder = ModuleBuilder(model)
    entry = builder.signature(model, NOWHERE)
    lowered: list[Signature] = []
    while builder.queue:
        signature = builder.queue.pop(0)
        function = FunctionLowerer(builder, signature).lower()
        lowered.append(signature)
        if function is not None:
            builder.functions[signature.name] = function
    if entry is not None:
        _check_entry(builder, entry)
    if not builder.reporter.errors:
        _check_symbols(builder, lowered)
        for name, span in functions_without_base_case(builder.functions):
            builder.reporter.error(
                "AC019",
                span,
                f"every path through {name} calls {name} again: it has no base case",
                "return without recursion on some path, such as a `case` for leaves",
            )
        _check_phases(builder)
    builder.reporter.finish()
    assert entry is not None and entry.result is not None
    declarations = builder.declarations
    return T.Module(
        declarations.datas, declarations.params, builder.functions, entry.name, entry.result
    )


def _check_entry(builder: ModuleBuilder, entry: Signature) -> None:
    name = entry.model.function.__name__
    if entry.result is not None and not run_time_value(entry.result):
        builder.reporter.error(
            "AC023",
            entry.source.head(),
            f"the entry function {name} cannot return a {entry.result}",
            "numbers, vectors, @ab.data values and tuples of them",
        )
    types = [t for _, t in entry.params]
    if None in types:
        return
    if not types or not isinstance(types[0], ParamsRef):
        builder.reporter.error(
            "AC023",
            entry.source.head(),
            f"the first parameter of the entry function {name} is not the weights",
            "`def model(p: <an @ab.params class>, instance: <type>) -> ...`",
        )
    elif len(types) < 2:
        builder.reporter.error(
            "AC023",
            entry.source.head(),
            f"the entry function {name} takes no instance",
            "a second parameter: what one instance of the mini-batch is",
        )
    for (param, t), node in zip(entry.params[1:], entry.source.tree.args.args[1:], strict=False):
        if isinstance(t, ParamsRef) or (t is not None and has_tuple(t)):
            builder.reporter.error(
                "AC023",
                entry.source.span(node),
                f"the parameter {param!r} of the entry function {name} cannot be a {t}",
                "an instance consists of int, float, bool, Tensor[...], @ab.data values and lists "
                "of them; nest them in an @ab.data class",
            )


def _check_phases(builder: ModuleBuilder) -> None:
    """A phase begins once for an instance: the entry function that begins it is not called."""
    entry = builder.signatures[id(builder.entry)]
    assert entry is not None
    called = {c.function for f in builder.functions.values() for c in calls(f.body)}
    for stmt in builder.functions[entry.name].body.stmts:
        if isinstance(stmt, T.Let) and isinstance(stmt.rhs, T.NextPhase) and entry.name in called:
            builder.reporter.error(
                "AC029",
                stmt.span,
                f"ab.phase() in {entry.name}, which is also called",
                f"an entry function that calls {entry.name}, and then begins the phase",
            )


def _check_symbols(builder: ModuleBuilder, signatures: list[Signature]) -> None:
    """Every named dimension of a signature must be bound by a weight."""
    fields = [t for d in builder.declarations.params.values() for _, t in d.fields]
    bound = set().union(*map(_symbols, fields))
    for data in builder.declarations.datas.values():
        for name, t in data.fields:
            for symbol in sorted(_symbols(t) - bound):
                builder.reporter.error(
                    "AC010",
                    signatures[0].source.head(),
                    f"no weight has the dimension {symbol!r} of {data.name}.{name}",
                    "a dimension of a weight, or a number",
                )
    for s in signatures:
        hints = [t for _, t in s.params if t is not None] + ([s.result] if s.result else [])
        for symbol in sorted(set().union(*map(_symbols, hints)) - bound):
            builder.reporter.error(
                "AC010",
                s.source.head(),
                f"no weight has the dimension {symbol!r} of a hint of {s.name}",
                "a dimension of a weight, or a number",
            )
    for span, name, t in builder.hints:
        for symbol in sorted(_symbols(t) - bound):
            builder.reporter.error(
                "AC010",
                span,
                f"no weight has the dimension {symbol!r} of the hint of {name!r}",
                "a dimension of a weight, or a number",
            )


def _symbols(t: Type) -> set[str]:
    if isinstance(t, TensorType):
        return {s for d in t.dims for s in d.symbols}
    if isinstance(t, ListType):
        return _symbols(t.item)
    return set().union(*map(_symbols, t.items)) if isinstance(t, TupleType) else set()


def names_assigned(body: list[ast.stmt]) -> set[str]:
    """The local names that the statements of `body` may assign. The targets of a comprehension are
    names of its own."""
    names: set[str] = set()
    work: list[ast.AST] = list(body)
    while work:
        node = work.pop()
        if isinstance(node, ast.comprehension):
            work += [node.iter, *node.ifs]
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.MatchAs) and node.name:
            names.add(node.name)
        work.extend(ast.iter_child_nodes(node))
    return names
