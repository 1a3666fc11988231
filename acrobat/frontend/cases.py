"""The cases of a `match`, and which values they cover."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.types import DataRef, Type
from .context import FunctionContext
from .coverage import Coverage
from .guard_effects import is_copy
from .pattern_tree import Anything, Member, Pattern, flat, members, whole
from .scope import Recover


@dataclass(frozen=True, slots=True)
class Case:
    """A case with its pattern resolved. `goes_on`: it stands for the values without a case, which
    are known to be such behind the `match`."""

    pattern: Pattern
    node: ast.match_case
    goes_on: bool = False

    @property
    def plain(self) -> bool:
        """Whether it depends only on which member of a union the subject is."""
        return self.node.guard is None and flat(self.pattern)

    @property
    def whole(self) -> set[str]:
        """The members of a union all of whose values it takes."""
        return set() if self.node.guard is not None else {*whole(self.pattern)}

    @property
    def computes_nothing(self) -> bool:
        """Whether copies of its body cost nothing."""
        parts = [n for s in (self.node.guard, *self.node.body) if s for n in ast.walk(s)]
        kinds = (ast.Pass, ast.Return, ast.Constant, ast.List, ast.Tuple, ast.Load, ast.Continue)
        return all(isinstance(n, kinds) for n in parts)


def check_coverage(ctx: FunctionContext, node: ast.Match, cases: list[Case], t: Type) -> bool:
    """Whether the cases cover all values; errors for a case that nothing reaches, and for values
    without a case if the function would end there without a result. A copied case that nothing
    reaches, and `case _:`, is removed from `cases`."""
    coverage = Coverage(ctx.builder.declarations.datas)
    above: list[Sequence[Pattern]] = []
    unreached = False
    for case in list(cases):
        if not coverage.useful(above, [case.pattern], [t]):
            if is_copy(case.node) or isinstance(case.pattern, Anything):  # to be on the safe side
                cases.remove(case)
                continue
            unreached = True
            covered = isinstance(case.pattern, Member) and case.plain
            ctx.error(
                "AC006",
                case.pattern.node,
                f"{case.pattern.data} is already covered by a case above"
                if isinstance(case.pattern, Member) and covered
                else "this case is never reached",
                "delete it",
            )
        elif case.node.guard is None:
            above.append([case.pattern])
    shown = _uncovered(coverage, t, above)
    if shown and not ends_function(ctx, node) and not unreached:
        return False
    if shown == ["_"]:
        ctx.fail("AC005", node.subject, f"match does not cover every {t}", "`case _:` at the end")
    if shown:
        ctx.fail(
            "AC005",
            node.subject,
            f"match over {t} does not cover {', '.join(s.removesuffix('(...)') for s in shown)}",
            " and ".join(f"`case {s}:`" for s in shown) + ", or `case _:`",
        )
    if unreached:
        raise Recover
    return True


def ends_function(ctx: FunctionContext, node: ast.Match) -> bool:
    """Whether the function returns in `node`, and ends behind it."""
    return _is_last(ctx.source.tree.body, node) and _returns(node)


def _is_last(body: list[ast.stmt], node: ast.Match) -> bool:
    """Whether nothing of the function with that body follows `node`."""
    match body[-1]:
        case ast.If(_, then, orelse):
            return _is_last(then, node) or (bool(orelse) and _is_last(orelse, node))
        case ast.Match() as last:
            return last is node or any(_is_last(c.body, node) for c in last.cases)
    return False


def _returns(node: ast.Match) -> bool:
    return any(isinstance(n, ast.Return) for n in ast.walk(node))


def _uncovered(coverage: Coverage, t: Type, rows: list[Sequence[Pattern]]) -> list[str]:
    """Values that no case covers, as patterns: for a union, one for each such member."""
    if not members(t):
        missing = coverage.uncovered(rows, [t])
        return missing or []
    found: list[str] = []
    for name in members(t):
        for text in coverage.uncovered(rows, [DataRef(name)]) or []:
            found.append(coverage.any_of(name) if text == "_" else text)
    return found
