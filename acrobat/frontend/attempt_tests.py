"""The tests that stand for a `try` around one statement: what must hold for it not to raise
(attempts.py).

All tests are evaluated before the statement, and what they test again in it. So nothing that the
statement evaluates before the last of them may have an effect.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from .own_names import OwnNames
from .written import call

# Functions that raise none of the exceptions that are tested, but for wrong types.
_FUNCTIONS = {
    *("abs", "all", "any", "bool", "dict", "enumerate", "isinstance", "len", "list", "range"),
    *("reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip"),
}
# Such methods, and which of them change what they are called on.
_METHODS = {
    *("copy", "count", "endswith", "find", "get", "items", "join", "keys", "lower", "replace"),
    *("split", "startswith", "strip", "upper", "values"),
}
_CHANGING = {"add", "append", "discard", "extend", "insert", "setdefault", "update"}


def key_is_there(owner: object, key: object) -> None:
    """The test before `owner[key]` for a KeyError; true unless `owner` is a dict."""


def index_is_there(owner: object, key: object) -> None:
    """The test before `owner[key]` for an IndexError; false only for a list and the like."""


def divides(divisor: object) -> None:
    """The test before a division."""


def reads_as(kind: object, text: object) -> None:
    """The test before `int(text)` or `float(text)`, which `kind` says."""


@dataclass(frozen=True, slots=True)
class Test:
    """What must hold for the part `of` of a statement not to raise `exception`."""

    exception: str
    of: ast.expr
    holds: ast.expr


class UnknownOutcome(Exception):
    """Whether a statement raises what is caught is not known."""


class _Effect:
    """What changes something, in the order of evaluation."""


_EFFECT = _Effect()
_Found = Iterator[Test | _Effect]


@dataclass(frozen=True, slots=True)
class AttemptTests:
    """Finds tests; what is called by one of the author's names `own` may do anything."""

    own: OwnNames

    def of(self, stmt: ast.stmt, caught: Collection[str]) -> list[Test]:
        """The tests of a statement for the exceptions `caught`, in order."""
        found: list[Test] = []
        has_effect = False
        for one in self._of_statement(stmt):
            if isinstance(one, _Effect):
                has_effect = True
            elif one.exception in caught:
                if has_effect:
                    raise UnknownOutcome
                found.append(one)
        return found

    def _of_statement(self, stmt: ast.stmt) -> _Found:
        match stmt:
            case ast.Pass() | ast.Break() | ast.Continue() | ast.Return(None):
                return
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if _apart(targets, values):
                yield from self._of(ast.Tuple(values, ast.Load()))
            case ast.Assign([target], value) | ast.AnnAssign(target, _, ast.expr() as value):
                yield from (*self._of(value), *self._stored(target))
            case ast.AugAssign(target, op, value):
                yield from (*self._loaded(target), *self._of(value), *_division(op, value))
                yield from self._stored(target)
            case ast.Return(ast.expr() as value) | ast.Expr(value) | ast.If(value):
                yield from self._of(value)
            case ast.Delete([ast.Subscript() as target]):
                yield from self._loaded(target)
            case _:
                raise UnknownOutcome

    def _loaded(self, target: ast.expr) -> _Found:
        """The tests for reading what a target is."""
        match target:
            case ast.Subscript(owner, key):
                yield from self._subscript(target, owner, key)
            case ast.Name() | ast.Attribute(ast.Name()):
                return
            case _:
                raise UnknownOutcome

    def _stored(self, target: ast.expr) -> _Found:
        """The tests for storing to a target."""
        match target:
            case ast.Name() | ast.Attribute(ast.Name()):
                return
            case ast.Subscript(ast.Name() | ast.Attribute() as owner, key) if not _sliced(key):
                yield from self._of(key)
                yield Test("IndexError", target, call(index_is_there, owner, key))
            case _:
                raise UnknownOutcome

    def _of(self, node: ast.expr) -> _Found:
        """The tests for evaluating an expression."""
        match node:
            case ast.Constant() | ast.Name() | ast.Lambda():
                return
            case ast.Attribute(value, name) if name not in self.own.attributes:
                yield from self._of(value)
            case ast.UnaryOp(_, value) | ast.Starred(value):
                yield from self._of(value)
            case ast.NamedExpr(_, value):
                yield from self._of(value)
                yield _EFFECT
            case ast.Tuple(parts) | ast.List(parts):
                for part in parts:
                    yield from self._of(part)
            case ast.Dict(keys, values):
                for key, value in zip(keys, values, strict=True):
                    yield from () if key is None else self._of(key)
                    yield from self._of(value)
            case ast.Compare(left, _, [right]):
                yield from (*self._of(left), *self._of(right))
            case ast.BinOp(left, op, right):
                yield from (*self._of(left), *self._of(right), *_division(op, right))
            case ast.Subscript(owner, key):
                yield from self._subscript(node, owner, key)
            case ast.Call():
                yield from self._called(node)
            case _:
                if any(map(self._may_raise, ast.walk(node))):
                    raise UnknownOutcome  # it may be evaluated or not, or several times

    def _may_raise(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Attribute):
            return node.attr in self.own.attributes
        return isinstance(node, (ast.Subscript, ast.Call, ast.BinOp, ast.NamedExpr))

    def _subscript(self, node: ast.expr, owner: ast.expr, key: ast.expr) -> _Found:
        yield from self._of(owner)
        if _sliced(key):
            for bound in (n for p in _parts(key) for n in ast.iter_child_nodes(p)):
                yield from self._of(bound) if isinstance(bound, ast.expr) else ()
            return
        yield from self._of(key)
        yield Test("KeyError", node, call(key_is_there, owner, key))
        yield Test("IndexError", node, call(index_is_there, owner, key))

    def _called(self, node: ast.Call) -> _Found:
        match node.func:
            case ast.Name(name) if name in self.own.called:
                raise UnknownOutcome
            case ast.Attribute(_, name) if self.own.may_be_called(name, len(node.args)):
                raise UnknownOutcome
            case ast.Attribute(owner):
                yield from self._of(owner)
        for part in (*node.args, *(k.value for k in node.keywords)):
            yield from self._of(part)
        if any(k.arg == "key" and _may_change(k.value) for k in node.keywords):
            yield _EFFECT
        match node:
            case ast.Call(ast.Name("int" | "float" as kind), [text], []):
                yield Test("ValueError", node, call(reads_as, ast.Constant(kind), text))
            case ast.Call(ast.Attribute(owner, "index"), [item], []):
                yield Test("ValueError", node, ast.Compare(item, [ast.In()], [owner]))
            case ast.Call(ast.Attribute(owner, "pop"), [key], []):
                yield Test("KeyError", node, call(key_is_there, owner, key))
                yield Test("IndexError", node, call(index_is_there, owner, key))
                yield _EFFECT
            case ast.Call(ast.Attribute(owner, "pop"), [], []):
                yield Test("IndexError", node, call(index_is_there, owner, ast.Constant(-1)))
                yield _EFFECT
            case ast.Call(ast.Attribute(_, name)) if name in _CHANGING:
                yield _EFFECT
            case ast.Call(ast.Name(name)) if name in _FUNCTIONS:
                return
            case ast.Call(ast.Attribute(ast.Name("ops" | "np"))):
                return
            case ast.Call(ast.Attribute(_, name)) if name in _METHODS:
                return
            case _:
                raise UnknownOutcome


def _may_change(key: ast.expr) -> bool:
    """Whether the function of a `sorted` may change something: it is none that only computes."""
    if isinstance(key, ast.Lambda):
        return any(isinstance(n, (ast.Call, ast.NamedExpr)) for n in ast.walk(key))
    return True


def _apart(targets: list[ast.expr], values: list[ast.expr]) -> bool:
    """Whether `a, b = x, y` binds names only."""
    names = all(isinstance(t, ast.Name) for t in targets)
    starred = any(isinstance(v, ast.Starred) for v in values)
    return names and len(targets) == len(values) and not starred


def _division(op: ast.operator, divisor: ast.expr) -> _Found:
    if isinstance(op, (ast.Div, ast.FloorDiv, ast.Mod)):
        yield Test("ZeroDivisionError", divisor, call(divides, divisor))
    elif isinstance(op, ast.Pow):
        raise UnknownOutcome  # 0 ** -1


def _parts(key: ast.expr) -> list[ast.expr]:
    return key.elts if isinstance(key, ast.Tuple) else [key]


def _sliced(key: ast.expr) -> bool:
    return any(isinstance(p, ast.Slice) for p in _parts(key))
