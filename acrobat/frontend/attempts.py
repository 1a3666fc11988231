"""`try` statements, as tests of what would raise before the statement that would.

    try:                                 if k in d:
        x = d[k]                             x = d[k]
    except KeyError:            ->       else:
        x = 0                                x = 0

Only exceptions of subscripts, divisions, `int(s)`, `float(s)`, `xs.index(x)` and the like are so
caught, where nothing before them in the statement has an effect (attempt_tests.py). An exception
that Python would catch and this does not is never lost: it ends the instance.
`constructs/attempted.py` lowers the tests.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass

from .attempt_tests import AttemptTests, UnknownOutcome
from .own_names import own_names
from .written import placed

CAUGHT: dict[str, frozenset[str]] = {
    "KeyError": frozenset({"KeyError"}),
    "IndexError": frozenset({"IndexError"}),
    "ZeroDivisionError": frozenset({"ZeroDivisionError"}),
    "ValueError": frozenset({"ValueError"}),
    "LookupError": frozenset({"KeyError", "IndexError"}),
    "ArithmeticError": frozenset({"ZeroDivisionError"}),
    "Exception": frozenset({"KeyError", "IndexError", "ZeroDivisionError", "ValueError"}),
}
# What each handler catches, and its body.
_Handler = tuple[frozenset[str], list[ast.stmt]]
# Statements behind which `finally` still runs.
_LEAVES = (ast.Return, ast.Break, ast.Continue)


def without_try(tree: ast.FunctionDef, function: object) -> None:
    """Rewrite the `try` statements of a function, of which this is the source, for which that is
    possible."""
    if not any(isinstance(n, ast.Try) for n in ast.walk(tree)):
        return
    rewriting = _Rewriting(AttemptTests(own_names(function, tree)))
    tree.body = [new for s in tree.body for new in rewriting.rewritten(s)]


@dataclass(frozen=True, slots=True)
class _Rewriting(ast.NodeTransformer):
    tests: AttemptTests

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
            made = self._tested(node.body, node.orelse, handlers)
        except UnknownOutcome:
            return node
        return [*made, *node.finalbody]

    def _tested(
        self,
        body: list[ast.stmt],
        orelse: list[ast.stmt],
        handlers: list[_Handler],
    ) -> list[ast.stmt]:
        if not body:
            return orelse
        first, *others = body
        caught = frozenset().union(*(kinds for kinds, _ in handlers))
        tests = self.tests.of(first, caught)
        rest = self._rest(first, others, orelse, handlers)
        for test in reversed(tests):
            handled = next(stmts for kinds, stmts in handlers if test.exception in kinds)
            made = ast.If(copy.deepcopy(test.holds), rest, copy.deepcopy(handled))
            rest = [placed(made, test.of)]
        return rest

    def _rest(
        self,
        first: ast.stmt,
        others: list[ast.stmt],
        orelse: list[ast.stmt],
        handlers: list[_Handler],
    ) -> list[ast.stmt]:
        """The statements from `first` on, if that raises nothing itself."""
        if not isinstance(first, ast.If):
            return [first, *self._tested(others, orelse, handlers)]
        if others or orelse:  # they would be in both branches
            raise UnknownOutcome
        branches = (self._tested(stmts, [], handlers) for stmts in (first.body, first.orelse))
        return [ast.copy_location(ast.If(first.test, *branches), first)]


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
