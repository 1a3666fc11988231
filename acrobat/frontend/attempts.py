"""`try` statements, as tests of what would raise before the statement that would.

    try:                                 if k in d:
        x = d[k]                             x = d[k]
    except KeyError:            ->       else:
        x = 0                                x = 0

Only exceptions of subscripts, divisions, `int(s)`, `float(s)`, `xs.index(x)` and the like are so
caught, where nothing before them in the statement has an effect. An exception that Python would
catch and this does not is never lost: it ends the instance. `constructs/attempted.py` lowers the
tests.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

from .written import call, placed

CAUGHT: dict[str, frozenset[str]] = {
    "KeyError": frozenset({"KeyError"}),
    "IndexError": frozenset({"IndexError"}),
    "ZeroDivisionError": frozenset({"ZeroDivisionError"}),
    "ValueError": frozenset({"ValueError"}),
    "LookupError": frozenset({"KeyError", "IndexError"}),
    "ArithmeticError": frozenset({"ZeroDivisionError"}),
    "Exception": frozenset({"KeyError", "IndexError", "ZeroDivisionError", "ValueError"}),
}
# Functions and methods that raise none of these exceptions, but for wrong types.
_QUIET = {
    *("abs", "add", "all", "any", "append", "bool", "copy", "count", "dict", "discard", "endswith"),
    *("enumerate", "extend", "find", "get", "insert", "isinstance", "items", "join", "keys", "len"),
    *("list", "lower", "range", "replace", "reversed", "round", "set", "setdefault", "sorted"),
    *("split", "startswith", "str", "strip", "sum", "tuple", "update", "upper", "values", "zip"),
}


def key_is_there(owner: object, key: object) -> None:
    """The test before `owner[key]` for a KeyError; true unless `owner` is a dict."""


def index_is_there(owner: object, key: object) -> None:
    """The test before `owner[key]` for an IndexError; false only for a list and the like."""


def divides(divisor: object) -> None:
    """The test before a division."""


def reads_as(kind: object, text: object) -> None:
    """The test before `int(text)` or `float(text)`, which `kind` says."""


# What each handler catches, and its body.
_Handler = tuple[frozenset[str], list[ast.stmt]]
# Statements behind which `finally` still runs.
_LEAVES = (ast.Return, ast.Break, ast.Continue)


@dataclass(frozen=True, slots=True)
class _Test:
    """What must hold for the part `of` of a statement not to raise `exception`."""

    exception: str
    of: ast.expr
    holds: ast.expr


class _Unknown(Exception):
    """Whether a statement raises what is caught is not known."""


def without_try(tree: ast.FunctionDef) -> None:
    """Rewrite the `try` statements of a function for which that is possible."""
    rewriting = _Rewriting()
    tree.body = [new for s in tree.body for new in rewriting.rewritten(s)]


class _Rewriting(ast.NodeTransformer):
    def rewritten(self, stmt: ast.stmt) -> list[ast.stmt]:
        made = self.visit(stmt)
        return made if isinstance(made, list) else [made]

    def visit_Try(self, node: ast.Try) -> ast.AST | list[ast.stmt]:
        """A `try` inside out."""
        self.generic_visit(node)
        handlers = _handlers(node)
        if handlers is None:
            return node
        try:
            made = _tested(node.body, node.orelse, handlers)
        except _Unknown:
            return node
        return [*made, *node.finalbody]


def _handlers(node: ast.Try) -> list[_Handler] | None:
    """What each handler catches, and its body; None if one cannot be rewritten."""
    before = [*node.body, *node.orelse, *(s for h in node.handlers for s in h.body)]
    leaves = any(isinstance(n, _LEAVES) for s in before for n in ast.walk(s))
    if not node.handlers or (node.finalbody and leaves):
        return None
    found: list[_Handler] = []
    for handler in node.handlers:
        types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        names = [t.id if isinstance(t, ast.Name) else "Exception" for t in types]
        plain = all(t is None or isinstance(t, ast.Name) for t in types)
        named = {n.id for n in ast.walk(handler) if isinstance(n, ast.Name)}
        if handler.name in named or not plain or not set(names) <= CAUGHT.keys():
            return None
        if any(isinstance(n, ast.Raise) and n.exc is None for n in ast.walk(handler)):
            return None
        found.append((frozenset().union(*(CAUGHT[n] for n in names)), handler.body))
    return found


def _tested(
    body: list[ast.stmt],
    orelse: list[ast.stmt],
    handlers: list[_Handler],
) -> list[ast.stmt]:
    if not body:
        return orelse
    first, *others = body
    caught = frozenset().union(*(kinds for kinds, _ in handlers))
    tests = [t for t in _tests(first) if t.exception in caught]
    if tests:
        _require_no_effects(first, tests)
    rest = _rest(first, others, orelse, handlers)
    for test in reversed(tests):
        handled = next(stmts for kinds, stmts in handlers if test.exception in kinds)
        made = ast.If(copy.deepcopy(test.holds), rest, copy.deepcopy(handled))
        rest = [placed(made, test.of)]
    return rest


def _rest(
    first: ast.stmt, others: list[ast.stmt], orelse: list[ast.stmt], handlers: list[_Handler]
) -> list[ast.stmt]:
    """The statements from `first` on, if that raises nothing itself."""
    if not isinstance(first, ast.If):
        return [first, *_tested(others, orelse, handlers)]
    if others or orelse:  # they would be in both branches
        raise _Unknown
    branches = (_tested(stmts, [], handlers) for stmts in (first.body, first.orelse))
    return [ast.copy_location(ast.If(first.test, *branches), first)]


def _tests(stmt: ast.stmt) -> list[_Test]:
    """The tests for what a statement evaluates, in order."""
    match stmt:
        case ast.Pass() | ast.Break() | ast.Continue():
            return []
        case ast.Return(None):
            return []
        case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if _apart(targets, values):
            return list(_of(ast.Tuple(values, ast.Load())))
        case ast.Assign([target], value) | ast.AnnAssign(target, _, ast.expr() as value):
            return [*_of(value), *_stored(target)]
        case ast.AugAssign(target, op, value):
            loaded = [*_loaded(target), *_of(value)]
            return [*loaded, *_division(op, value), *_stored(target)]
        case ast.Return(ast.expr() as value) | ast.Expr(value) | ast.If(value):
            return list(_of(value))
        case ast.Delete([ast.Subscript() as target]):
            return list(_loaded(target))
    raise _Unknown


def _apart(targets: list[ast.expr], values: list[ast.expr]) -> bool:
    """Whether `a, b = x, y` binds names only."""
    names = all(isinstance(t, ast.Name) for t in targets)
    return names and len(targets) == len(values) and not _starred(values)


def _starred(values: list[ast.expr]) -> bool:
    return any(isinstance(v, ast.Starred) for v in values)


def _loaded(target: ast.expr) -> Iterator[_Test]:
    """The tests for reading what a target is."""
    match target:
        case ast.Subscript(owner, key):
            yield from _subscript(target, owner, key)
        case ast.Name() | ast.Attribute(ast.Name()):
            return
        case _:
            raise _Unknown


def _stored(target: ast.expr) -> Iterator[_Test]:
    """The tests for storing to a target."""
    match target:
        case ast.Name() | ast.Attribute(ast.Name()):
            return
        case ast.Subscript(ast.Name() | ast.Attribute() as owner, key) if not _sliced(key):
            yield from _of(key)
            yield _Test("IndexError", target, call(index_is_there, owner, key))
        case _:
            raise _Unknown


def _of(node: ast.expr) -> Iterator[_Test]:
    """The tests for evaluating an expression."""
    match node:
        case ast.Constant() | ast.Name() | ast.Lambda():
            return
        case ast.Attribute(value) | ast.UnaryOp(_, value) | ast.Starred(value):
            yield from _of(value)
        case ast.Tuple(parts) | ast.List(parts):
            for part in parts:
                yield from _of(part)
        case ast.Dict(keys, values):
            for key in keys:
                yield from () if key is None else _of(key)
            for part in values:
                yield from _of(part)
        case ast.Compare(left, _, [right]):
            yield from (*_of(left), *_of(right))
        case ast.BinOp(left, op, right):
            yield from (*_of(left), *_of(right), *_division(op, right))
        case ast.Subscript(owner, key):
            yield from _subscript(node, owner, key)
        case ast.Call():
            yield from _called(node)
        case _:
            if any(isinstance(n, (ast.Subscript, ast.Call, ast.BinOp)) for n in ast.walk(node)):
                raise _Unknown  # it may be evaluated or not, or several times


def _subscript(node: ast.expr, owner: ast.expr, key: ast.expr) -> Iterator[_Test]:
    yield from _of(owner)
    if _sliced(key):
        return
    yield from _of(key)
    yield _Test("KeyError", node, call(key_is_there, owner, key))
    yield _Test("IndexError", node, call(index_is_there, owner, key))


def _division(op: ast.operator, divisor: ast.expr) -> Iterator[_Test]:
    if isinstance(op, (ast.Div, ast.FloorDiv, ast.Mod)):
        yield _Test("ZeroDivisionError", divisor, call(divides, divisor))
    elif isinstance(op, ast.Pow):
        raise _Unknown  # 0 ** -1


def _called(node: ast.Call) -> Iterator[_Test]:
    for part in (*node.args, *(k.value for k in node.keywords)):
        yield from _of(part)
    match node:
        case ast.Call(ast.Name("int" | "float" as kind), [text], []):
            yield _Test("ValueError", node, call(reads_as, ast.Constant(kind), text))
        case ast.Call(ast.Name(name)) if name in _QUIET:
            return
        case ast.Call(ast.Attribute(owner, "index"), [item], []):
            yield from _of(owner)
            yield _Test("ValueError", node, ast.Compare(item, [ast.In()], [owner]))
        case ast.Call(ast.Attribute(owner, "pop"), [key], []):
            yield from _of(owner)
            yield _Test("KeyError", node, call(key_is_there, owner, key))
            yield _Test("IndexError", node, call(index_is_there, owner, key))
        case ast.Call(ast.Attribute(owner, "pop"), [], []):
            yield from _of(owner)
            yield _Test("IndexError", node, call(index_is_there, owner, ast.Constant(-1)))
        case ast.Call(ast.Attribute(ast.Name("ops" | "np"))):
            return
        case ast.Call(ast.Attribute(owner, name)) if name in _QUIET:
            yield from _of(owner)
        case _:
            raise _Unknown


def _sliced(key: ast.expr) -> bool:
    parts = key.elts if isinstance(key, ast.Tuple) else [key]
    return any(isinstance(p, ast.Slice) for p in parts)


def _require_no_effects(stmt: ast.stmt, tests: list[_Test]) -> None:
    """What is tested is evaluated twice, and the rest of the statement not before the test: only
    the one operation that is tested may have an effect."""
    of = [t.of for t in tests]
    last = stmt.value if isinstance(stmt, ast.Expr) else None  # its own effect comes last
    within: ast.AST = stmt.test if isinstance(stmt, ast.If) else stmt
    effects = [n for n in ast.walk(within) if _has_effect(n) and (n is not last or n in of)]
    if any(n not in of for n in effects) or (effects and len(set(map(id, of))) > 1):
        raise _Unknown


def _has_effect(node: ast.AST) -> bool:
    match node:
        case ast.NamedExpr() | ast.Call(ast.Attribute(_, "append" | "extend" | "pop")):
            return True
    return False
