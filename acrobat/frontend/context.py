"""`FunctionContext`: the state of lowering one function, and the dispatch to its handlers.

Handlers are functions `(ctx, node, env)`. They lower the nodes inside theirs through
`ctx.expression` and `ctx.statement`, which find the handler in a table by the node's class, so no
handler has to import another one only to recurse.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ..ir import typed as T
from ..ir.span import Span
from ..ir.type_queries import run_time_value
from ..ir.types import NOTHING, NothingType, Type
from ..lang.hints import NameScope, UnknownName, function_scope, resolve_hint
from .array_flow import Flow
from .class_methods import interned
from .diagnostics import Reporter
from .function_values import FunctionValue, Named
from .known_parts import known_part
from .numpy_scalars import note_value
from .row_facts import Rows
from .scope import ITEMS, Env, Loop, Recover, Unsettled
from .signatures import ModuleBuilder, Signature
from .source import Source
from .syntax import has_effect, owner_name, viewed
from .written import readable

MISSING = object()

ExpressionHandler = Callable[["FunctionContext", Any, Env], T.Atom]
StatementHandler = Callable[["FunctionContext", Any, Env], T.End | None]
# `(ctx, name, node, operands, attrs)`: an operation on what is not one tensor after the front end.
RowsHandler = Callable[
    ["FunctionContext", str, ast.AST, list[tuple[ast.AST, T.Atom]], dict[str, T.AttrValue]], T.Var
]


class Continuation(ast.Pass):
    """A statement that no source contains: in its place, `lower` is called with the bindings."""

    def __init__(self, lower: Callable[[Env], T.End | None]) -> None:
        super().__init__()
        self.lower = lower


@dataclass(frozen=True, slots=True)
class Handlers:
    """The handlers by the class of the nodes that they lower; `other_*` take classes without one.
    `rows` has those of operations on tensors of unknown size, `stacks` that of stacks.
    `made_function` finds the functions that calls make. `unwrapped` takes a value of a union whose
    member is known for what it is."""

    expressions: Mapping[type[ast.expr], ExpressionHandler]
    statements: Mapping[type[ast.stmt], StatementHandler]
    other_expression: ExpressionHandler
    other_statement: StatementHandler
    rows: Mapping[str, RowsHandler]
    stacks: RowsHandler
    made_function: Callable[[FunctionContext, ast.Call, Env], FunctionValue | None]
    unwrapped: Callable[[FunctionContext, T.Atom, ast.AST, Env], T.Atom]


@dataclass(slots=True)
class FunctionContext:
    """What handlers share while they lower one function.

    `stmts` is the statement list of the region being built. `locals` are all names that the
    function assigns somewhere; `declared` the types of those that have a hint. `origins` says where
    a variable got its type, for the notes of errors. `iterated` names the lists that enclosing
    loops run over, and `apart` the lists and dicts from outside of the enclosing comprehensions:
    neither may change meanwhile. `level` counts the enclosing blocks: 1 in the function's own body.
    `nothings` counts the expressions without a value (of type nothing), and `nothings_before` says
    how many there were before the innermost expression or statement: an error in one with such an
    operand is an error about that. `rows` is what is known of tensors whose size only the instance
    knows, by the number of the variable.
    """

    builder: ModuleBuilder
    signature: Signature
    handlers: Handlers
    scope: NameScope = field(init=False)
    stmts: list[T.Stmt] = field(default_factory=list)
    locals: set[str] = field(default_factory=set)
    declared: dict[str, Type] = field(default_factory=dict)
    origins: dict[int, str] = field(default_factory=dict)
    loops: list[Loop] = field(default_factory=list)
    iterated: list[str] = field(default_factory=list)
    # The dicts and keys of the lists and dicts inside dicts that enclosing loops run over.
    loop_keys: list[tuple[str, T.Atom]] = field(default_factory=list)
    # The numbers that `enumerate` gives the current items of lists that enclosing loops run over.
    counters: dict[str, T.Atom] = field(default_factory=dict)
    apart: set[str] = field(default_factory=set)
    # The names of dicts with defaults that were rewritten; for a dict, queue or set that was not,
    # by the `id` of the expression that makes it, the use that prevented it.
    defaults: set[str] = field(default_factory=set)
    given_away: dict[int, ast.AST] = field(default_factory=dict)
    level: int = 0
    nothings: int = 0
    nothings_before: int = 0
    rows: dict[int, Rows] = field(default_factory=dict)
    # Reductions of such tensors over their last axis, and what they reduce.
    reductions: dict[int, tuple[str, T.Var]] = field(default_factory=dict)
    # What tuples were made of, by the numbers of their variables.
    parts: dict[int, tuple[T.Atom, ...]] = field(default_factory=dict)
    # What weights were read from, by the numbers of their variables.
    made: dict[int, T.Rhs] = field(default_factory=dict)
    # The fields of records that are lists which nothing else has, by the records' numbers.
    fresh_records: dict[int, frozenset[str]] = field(default_factory=dict)
    # The items of lists whose length is known, by the numbers of their variables; and lengths.
    items: dict[int, tuple[T.Atom, ...]] = field(default_factory=dict)
    lengths: dict[int, int] = field(default_factory=dict)
    # The values of unions that others were unwrapped from, by the numbers of the latter.
    wrapped: dict[int, T.Var] = field(default_factory=dict)
    # The numbers of variables that stand for weights which may be missing.
    optional: set[int] = field(default_factory=set)
    # The numbers of variables for what might have been None, and has been found not to be.
    found: set[int] = field(default_factory=set)
    # Names that a loop may have left unassigned, and which may be None elsewhere (unassigned.py).
    unassigned: set[str] = field(default_factory=set)
    may_be_none: set[str] = field(default_factory=set)
    # The expression whose value may be one that is unsettled, and that (unsettled.py).
    asked: tuple[ast.expr | None, Unsettled | None] = (None, None)
    # Where the function mentions its names; found when a statement changes an array in place.
    flow: Flow | None = None
    # Statements for which the weights decide what is lowered.
    decided: set[ast.stmt | None] = field(default_factory=set)

    def __post_init__(self) -> None:
        model = self.signature.model
        self.scope = function_scope(model.function, model.around())

    @property
    def source(self) -> Source:
        """The source of the function."""
        return self.signature.source

    @property
    def reporter(self) -> Reporter:
        """Where errors are collected."""
        return self.builder.reporter

    # -- lowering -----------------------------------------------------------------------------

    def expression(self, node: ast.expr, env: Env) -> T.Atom:
        """The value of `node`; raises Recover if it has an error, which has been reported.

        What is computed from an item of a list that is still empty has type nothing, too: the
        enclosing loop may find the type of the items later in its body, which it then lowers again
        without the error.
        """
        handlers = self.handlers
        handler = handlers.expressions.get(type(node), handlers.other_expression)
        errors, nothings = len(self.reporter.errors), self.nothings
        outer, self.nothings_before = self.nothings_before, nothings
        try:
            value = handler(self, node, env)
        except Recover:
            if self.nothings == nothings:
                raise
            del self.reporter.errors[errors + 1 :]  # they follow from the first
            value = T.Var("nothing", NOTHING)
        finally:
            self.nothings_before = outer
        if isinstance(value.type, NothingType):
            self.nothings += 1
        value = handlers.unwrapped(self, value, node, env)
        note_value(self.builder, node, value.type)
        return value

    def statement(self, node: ast.stmt, env: Env) -> T.End | None:
        """Lower one statement; returns what ends the region if nothing after it is reached."""
        if isinstance(node, Continuation):
            return node.lower(env)
        handlers = self.handlers
        handler = handlers.statements.get(type(node), handlers.other_statement)
        outer = self.nothings - self.nothings_before
        self.nothings_before = self.nothings
        try:
            return handler(self, node, env)
        finally:
            # What is inside this statement is no operand of the one around it.
            self.nothings_before = self.nothings - outer

    def peek(self, node: ast.expr, env: Env) -> T.Atom:
        """The value of `node`, which is only read: a list is still owned by its name."""
        view = viewed(node)
        name = view or owner_name(node)
        owned = env.owned & {name, f"{name}{ITEMS}", *env.lent.get(name or "", ())}
        value = self.expression(node, env)
        read = view is not None and not has_effect(node)
        if isinstance(node, ast.Name) or read or name in env.owned or name in env.lent:
            env.owned |= owned
        return value

    def static(self, node: ast.expr, env: Env) -> Any:
        """The Python object that a dotted name stands for outside the function; `MISSING` if `node`
        is not such a name."""
        match node:
            case ast.Name(name) if isinstance(named := env.names.get(name), Named):
                return named.found
            case ast.Name(name) if name not in env.names and name not in self.locals:
                return self.outside(name, MISSING)
            case ast.Constant(value) if callable(value):  # which the compiler has written
                return interned(self.builder, value)
            case ast.Subscript(value, ast.Constant(str() as key)):  # `Kind["A"]`
                owner = self.static(value, env)
                if isinstance(owner, enum.EnumType):
                    return owner.__members__.get(key, MISSING)
            case ast.Attribute(value, attr):
                owner = self.static(value, env)
                if owner is not MISSING:
                    return interned(self.builder, getattr(owner, attr, MISSING))
        return known_part(self.builder, node, env, MISSING)

    def outside(self, name: str, otherwise: Any = None) -> Any:
        """What a name stands for outside of the function; `otherwise` if it is not known."""
        try:
            return self.scope[name]
        except UnknownName:
            return otherwise

    def hint(self, node: ast.expr) -> Any:
        """The Python object that a hint inside the function stands for; one that the compiler has
        written is the object itself."""
        if isinstance(node, ast.Constant) and not isinstance(node.value, str):
            return node.value
        return resolve_hint(ast.unparse(node), self.scope)

    # -- building statements ------------------------------------------------------------------

    @contextmanager
    def region(self, before: tuple[T.Stmt, ...] = ()) -> Iterator[list[T.Stmt]]:
        """A statement list of its own, begun with `before`, for what is lowered inside `with`."""
        outer, self.stmts = self.stmts, list(before)
        try:
            yield self.stmts
        finally:
            self.stmts = outer

    def let(self, rhs: T.Rhs, t: Type, node: ast.AST, name: str = "t") -> T.Var:
        """A new variable of type `t` for the value of `rhs`."""
        out = self.computed(name, t, node)
        self.stmts.append(T.Let((out,), rhs, self.span(node)))
        if isinstance(rhs, T.ParamRead) or not run_time_value(t):
            self.made[out.number] = rhs
        return out

    def computed(self, name: str, t: Type, node: ast.AST) -> T.Var:
        """A new variable whose origin is the line of `node`."""
        out = T.Var(name, t)
        self.origins[out.number] = f"computed in line {self.span(node).line}"
        return out

    # -- diagnostics --------------------------------------------------------------------------

    def span(self, node: ast.AST) -> Span:
        """The location of `node`."""
        return self.source.span(node)

    def error(
        self, code: str, node: ast.AST, message: str, hint: str = "", notes: tuple[str, ...] = ()
    ) -> None:
        """Report an error at `node` and go on."""
        of_nothing = self.nothings > self.nothings_before
        message, hint = readable(message), readable(hint)
        self.reporter.error(code, self.span(node), message, hint, notes, of_nothing)

    def no_item(self, code: str, node: ast.AST, message: str, hint: str) -> T.Var:
        """Report that `node` needs an item of a list that is still empty; returns its value, which
        has type nothing."""
        self.nothings += 1
        self.error(code, node, message, hint)
        return T.Var("nothing", NOTHING)

    def fail(
        self, code: str, node: ast.AST, message: str, hint: str = "", notes: tuple[str, ...] = ()
    ) -> NoReturn:
        """Report an error at `node` and give up its statement."""
        self.error(code, node, message, hint, notes)
        raise Recover

    def origin_notes(self, *operands: tuple[ast.AST, T.Atom]) -> tuple[str, ...]:
        """One note per operand: its source text, its type, and where that came from."""
        notes = []
        for node, atom in operands:
            origin = self.origins.get(atom.number, "") if isinstance(atom, T.Var) else ""
            notes.append(
                f"`{ast.unparse(node)}` is {atom.type}" + (f", {origin}" if origin else "")
            )
        return tuple(notes)
