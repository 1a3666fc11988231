"""The tables of the model language: which handler lowers which syntax, function or method.

    @expression(ast.IfExp)         an expression, by the class of its node
    @statement(ast.For)            a statement, by the class of its node
    @pattern(ast.MatchClass)       a pattern of `match`, by the class of its node
    @function(len, Arity(1, 1))    a call of a Python function
    @operation("split", sized=True)
                                   a call `ops.split(...)` that the general rule does not cover
    @rows_operation("sum")         the operation on a tensor whose size only the instance knows
    @method(TensorType, "sum")     a call `x.sum(...)`, by the type of `x`
    @mutation(ListType, "append", Arity(1, 1))
                                   a statement `xs.append(x)`, by the type of `xs`
    @field(TensorType, "shape")    `x.shape`, by the type of `x`
    @subscript(ListType)           `xs[...]`, by the type of `xs`
    @iterable(zip, Arity(1))       a call `zip(...)` after the `in` of a loop
    @iterated(ListType)            any other value there, by its type
    @truth_of(RecordType)          `if x`, by the type of `x`

A construct is one decorated function in a file of `constructs/`. Each decorator enters its function
into a table, once: two handlers of the same thing are a bug.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from ..ir import typed as T
from ..ir.types import Type
from .context import ExpressionHandler, FunctionContext, RowsHandler, StatementHandler
from .iteration_space import IterationSpace
from .pattern_tree import Pattern
from .scope import Env

_K = TypeVar("_K")
_V = TypeVar("_V")


def _enter(table: dict[_K, _V], key: _K, value: _V) -> None:
    assert key not in table, f"two handlers of {key}"
    table[key] = value


def _registers(table: dict[_K, _V], *keys: _K) -> Callable[[_V], _V]:
    """A decorator that enters a handler into `table`."""

    def register(handler: _V) -> _V:
        for key in keys:
            _enter(table, key, handler)
        return handler

    return register


# -- syntax ----------------------------------------------------------------------------------------

EXPRESSIONS: dict[type[ast.expr], ExpressionHandler] = {}
STATEMENTS: dict[type[ast.stmt], StatementHandler] = {}


def expression(*syntax: type[ast.expr]) -> Callable[[ExpressionHandler], ExpressionHandler]:
    """Registers what lowers expressions of these classes: `(ctx, node, env)` to their value."""
    return _registers(EXPRESSIONS, *syntax)


def statement(*syntax: type[ast.stmt]) -> Callable[[StatementHandler], StatementHandler]:
    """Registers what lowers statements of these classes: `(ctx, node, env)` to the end of the
    region if nothing after the statement is reached, else to None."""
    return _registers(STATEMENTS, *syntax)


PatternHandler = Callable[[FunctionContext, Any, Type, Env], Pattern]

PATTERNS: dict[type[ast.pattern], PatternHandler] = {}


def pattern(*syntax: type[ast.pattern]) -> Callable[[PatternHandler], PatternHandler]:
    """Registers what resolves patterns of these classes: `(ctx, node, type, env)`, `type` being
    that of the values to match. It raises Recover for one that matches none of them."""
    return _registers(PATTERNS, *syntax)


# -- calls -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Arity:
    """How many positional arguments a call takes; `most` is None if there is no limit."""

    least: int = 0
    most: int | None = None

    def takes(self, count: int) -> bool:
        """Whether a call may have `count` arguments."""
        return self.least <= count and (self.most is None or count <= self.most)

    def __str__(self) -> str:
        if self.most is None:
            return f"{self.least} numbers or more here"
        if self.most == self.least:
            return f"{self.least} argument" + ("" if self.least == 1 else "s")
        return f"{self.least} to {self.most} arguments"


CallHandler = Callable[[FunctionContext, ast.Call, Env], T.Atom]


@dataclass(frozen=True, slots=True)
class Function:
    """A Python function that a model may call. With an arity, `lower` gets that many arguments and
    no keywords; without one it checks them itself."""

    function: object
    arity: Arity | None
    lower: CallHandler


# By the identity of the function: what a name stands for need not be hashable.
FUNCTIONS: dict[int, Function] = {}


def function(what: object, arity: Arity | None = None) -> Callable[[CallHandler], CallHandler]:
    """Registers what lowers calls of `what`."""

    def register(handler: CallHandler) -> CallHandler:
        _enter(FUNCTIONS, id(what), Function(what, arity, handler))
        return handler

    return register


OperationHandler = Callable[[FunctionContext, ast.Call, dict[str, ast.expr], Env], T.Atom]

OPERATIONS: dict[str, OperationHandler] = {}
SIZED_OPERATIONS: set[str] = set()  # those with arguments that are sizes of a tensor


def operation(*names: str, sized: bool = False) -> Callable[[OperationHandler], OperationHandler]:
    """Registers what lowers `ops.<name>(...)`: `(ctx, node, given, env)`, `given` being the
    arguments by the names of the operation's parameters. `sized`: numbers among them are sizes."""
    if sized:
        SIZED_OPERATIONS.update(names)
    return _registers(OPERATIONS, *names)


ROW_OPERATIONS: dict[str, RowsHandler] = {}


def rows_operation(*names: str) -> Callable[[RowsHandler], RowsHandler]:
    """Registers what lowers operations on tensors whose size only the instance knows."""
    return _registers(ROW_OPERATIONS, *names)


# -- by the type of a value ------------------------------------------------------------------------

MethodHandler = Callable[[FunctionContext, ast.Call, T.Atom, Env], T.Atom]
MutationHandler = Callable[[FunctionContext, ast.Call, str, Env], None]


@dataclass(frozen=True, slots=True)
class Method:
    """A method that computes a value. `lower` gets its receiver's value."""

    arity: Arity | None
    lower: MethodHandler


@dataclass(frozen=True, slots=True)
class Mutation:
    """A method that changes its receiver, as a statement of its own. `lower` gets the local name of
    the receiver and binds it to the new value; it checks `keywords` itself if it takes any."""

    arity: Arity
    lower: MutationHandler
    keywords: bool = False


METHODS: dict[tuple[type[Type], str], Method] = {}
MUTATIONS: dict[tuple[type[Type], str], Mutation] = {}


def method(
    receiver: type[Type], name: str, arity: Arity | None = None
) -> Callable[[MethodHandler], MethodHandler]:
    """Registers what lowers the call `x.<name>(...)`; the arity is as in `function`."""

    def register(handler: MethodHandler) -> MethodHandler:
        _enter(METHODS, (receiver, name), Method(arity, handler))
        return handler

    return register


def mutation(
    receiver: type[Type], name: str, arity: Arity, keywords: bool = False
) -> Callable[[MutationHandler], MutationHandler]:
    """Registers what lowers the statement `x.<name>(...)`."""

    def register(handler: MutationHandler) -> MutationHandler:
        _enter(MUTATIONS, (receiver, name), Mutation(arity, handler, keywords))
        return handler

    return register


FieldHandler = Callable[[FunctionContext, ast.Attribute, T.Atom, Env], T.Atom]
SubscriptHandler = Callable[[FunctionContext, ast.Subscript, T.Atom, Env], T.Atom]

FIELDS: dict[tuple[type[Type], str], FieldHandler] = {}
SUBSCRIPTS: dict[type[Type], SubscriptHandler] = {}


def field(receiver: type[Type], name: str) -> Callable[[FieldHandler], FieldHandler]:
    """Registers what lowers `x.<name>` for a type whose fields no author has declared."""
    return _registers(FIELDS, (receiver, name))


def subscript(receiver: type[Type]) -> Callable[[SubscriptHandler], SubscriptHandler]:
    """Registers what lowers `x[...]`."""
    return _registers(SUBSCRIPTS, receiver)


# -- loops -----------------------------------------------------------------------------------------

IterableHandler = Callable[[FunctionContext, ast.Call, Env], IterationSpace]
IteratedHandler = Callable[[FunctionContext, ast.expr, T.Atom], IterationSpace]
KeywordRule = Callable[[ast.Call, ast.keyword], bool]


def _no_keyword(call: ast.Call, keyword: ast.keyword) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Iterable:
    """A Python function that may be called after `in`. `keyword` says which keywords it takes
    there, and `instead` what to write for any other; `over_lists`: it iterates over its
    arguments."""

    function: object
    arity: Arity
    lower: IterableHandler
    over_lists: bool
    keyword: KeywordRule
    instead: str


ITERABLES: dict[int, Iterable] = {}  # by identity, as FUNCTIONS
ITERATED: dict[type[Type], IteratedHandler] = {}


def iterable(
    what: object,
    arity: Arity,
    *,
    over_lists: bool = True,
    keyword: KeywordRule = _no_keyword,
    instead: str = "its arguments in order",
) -> Callable[[IterableHandler], IterableHandler]:
    """Registers what lowers calls of `what` after `in`."""

    def register(handler: IterableHandler) -> IterableHandler:
        record = Iterable(what, arity, handler, over_lists, keyword, instead)
        _enter(ITERABLES, id(what), record)
        return handler

    return register


def iterated(receiver: type[Type]) -> Callable[[IteratedHandler], IteratedHandler]:
    """Registers what lowers a loop over a value of this kind of type: `(ctx, node, value)`."""
    return _registers(ITERATED, receiver)


# -- truth -----------------------------------------------------------------------------------------

TruthHandler = Callable[[FunctionContext, ast.expr, T.Atom], T.Atom | None]

TRUTHS: dict[type[Type], TruthHandler] = {}


def truth_of(*values: type[Type]) -> Callable[[TruthHandler], TruthHandler]:
    """Registers what lowers `bool(x)` of values of these types; it returns None for one that has no
    truth of its own."""
    return _registers(TRUTHS, *values)
