"""Guards of cases that change something: `case n if stack.pop() == n: ...`.

    match s:                        match s:
        case P if changes(): A          case P:
        case Q: B            ->             if changes(): A
                                            else: match s: case Q: B
                                        case _: match s: case Q: B

A guard of the language is an expression without effects. One with effects becomes the test of an
`if`; the cases after it follow twice, because its pattern may or may not have matched.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass

from .context import FunctionContext
from .effects import EffectFinder
from .syntax import has_effect, names_bound
from .written import placed

# Every such guard doubles the cases after it.
_MOST = 4
# An attribute of the cases after such a guard: either copy may have some that nothing reaches.
_COPY = "_acrobat_copy"


def is_copy(case: ast.match_case) -> bool:
    """Whether a case is there twice."""
    return hasattr(case, _COPY)


def with_guards_apart(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite such cases in the function `tree`. Raises Recover for more than can be doubled."""
    _Guards(ctx, EffectFinder(tree, ctx.scope, ctx.builder.read)).visit(tree)


@dataclass(slots=True)
class _Guards(ast.NodeTransformer):
    ctx: FunctionContext
    finder: EffectFinder

    def visit_Match(self, node: ast.Match) -> ast.AST | list[ast.stmt]:
        """A match statement, without guards that change something."""
        self.generic_visit(node)
        guards = [c.guard for c in node.cases if c.guard is not None and self._changes(c.guard)]
        if not guards:
            return node
        if len(guards) > _MOST:
            self.ctx.fail(
                "AC002",
                guards[_MOST],
                f"more than {_MOST} guards of one `match` that change something",
                "`if` inside the cases",
            )
        first: list[ast.stmt] = []
        bound = {n for g in guards for n in names_bound(g)}
        if not isinstance(node.subject, ast.Name) or node.subject.id in bound:
            name = f"the subject in {node.lineno}:{node.col_offset}"
            first = [ast.Assign([ast.Name(name, ast.Store())], node.subject)]
            node.subject = ast.Name(name, ast.Load())
        stmts = [*first, *self._from(node.subject, node.cases)]
        return [placed(s, node) for s in stmts]

    def _changes(self, guard: ast.expr) -> bool:
        return has_effect(guard) or bool(self.finder.of([guard]).written)

    def _from(self, subject: ast.expr, cases: Sequence[ast.match_case]) -> list[ast.stmt]:
        """The statements that run the first of `cases` that matches."""
        found: list[ast.match_case] = []
        for n, case in enumerate(cases):
            if case.guard is None or not self._changes(case.guard):
                found.append(case)
                continue
            rest = cases[n + 1 :]
            for other in rest:
                setattr(other, _COPY, True)
            body = ast.If(case.guard, case.body, self._from(subject, copy.deepcopy(rest)))
            found.append(_case(case.pattern, body, copied=is_copy(case)))
            if rest and not _matches_all(case.pattern):
                found.append(_case(ast.MatchAs(), *self._from(subject, rest), copied=True))
            break
        return [ast.Match(copy.deepcopy(subject), found)] if found else []


def _case(pattern: ast.pattern, *body: ast.stmt, copied: bool) -> ast.match_case:
    case = ast.match_case(pattern, None, list(body))
    if copied:
        setattr(case, _COPY, True)
    return case


def _matches_all(pattern: ast.pattern) -> bool:
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None
