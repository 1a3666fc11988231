"""Functions that change a list or a dict passed to them: `def visit(p, t, found): ...`.

Values never change, so such a function also returns the changed list or dict, and its caller
continues with that:

    def push(p, x, found):                  def push(p, x, found):
        found.append(x)                         found.append(x)
                                   ->           return found
    push(p, x, xs)                          xs = push(p, x, xs)

Such a call is a statement of its own, or part of one that does not mention the list elsewhere. As
everywhere, only a list that the caller owns can be changed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...ir.types import DictType
from ..context import FunctionContext
from ..places import place
from ..registry import statement
from ..scope import COLLECTIONS, ITEMS, Env
from ..written import placed
from .changed_parameters import (
    CHANGES,
    arguments,
    changes,
    closure_by,
    has_result,
    item_type,
    takes_changes,
)
from .conditional_statements import as_branches
from .dict_changes import own_dict

# Nodes whose parts may be evaluated several times, or not at all.
_SOMETIMES = (
    ast.Lambda, ast.IfExp, ast.BoolOp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip


class Owns(ast.stmt):
    """Before a call (`given`): requires that this function owns the lists `names`. After it: notes
    that it owns the changed lists. The call also reads items of the lists in `read`."""

    # Every node of a syntax tree has these, for code that copies trees.
    _fields = ("names", "given", "read")
    names: tuple[str, ...]
    given: bool
    read: frozenset[str]


def _owns(names: tuple[str, ...], given: bool, read: frozenset[str]) -> Owns:
    node = Owns()
    node.names, node.given, node.read = names, given, read
    return node


@statement(Owns)
def owns(ctx: FunctionContext, node: Owns, env: Env) -> None:
    """Check or note that this function owns the lists that a call changes."""
    for name in node.names:
        if not node.given:
            env.owned |= {name, name + ITEMS}
            continue
        owner = ast.copy_location(ast.Name(name, ast.Load()), node)
        t = ctx.peek(owner, env).type
        if not isinstance(t, COLLECTIONS):
            continue  # data may have methods of these names, which change nothing
        if isinstance(t, DictType):
            own_dict(ctx, owner, env)
        else:
            place(ctx, owner, env, f"`{name} = [*{name}]` before: a list of its own")
        lent = name + ITEMS not in env.owned or name in node.read
        if lent and isinstance(item_type(t), COLLECTIONS):
            ctx.fail(
                "AC030",
                node,
                f"a list in {name} may be known by another name, under which it would change too",
                f"lists that are made where {name} is",
            )


def with_out_parameters(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite a function so that it assigns the lists that its calls change and return."""
    tree.body = _Callers(ctx).body(tree.body)


@dataclass(slots=True)
class _Callers:
    ctx: FunctionContext

    def body(self, stmts: list[ast.stmt]) -> list[ast.stmt]:
        """The statements, with changed lists assigned to their names."""
        return [new for stmt in stmts for new in self.statement(stmt)]

    def statement(self, stmt: ast.stmt) -> list[ast.stmt]:
        """The statements that replace one."""
        if isinstance(stmt, (ast.FunctionDef, ast.ClassDef)):
            return [stmt]
        for name in ("body", "orelse"):
            inner = getattr(stmt, name, None)
            if isinstance(inner, list):
                setattr(stmt, name, self.body(inner))
        for case in getattr(stmt, "cases", []):
            case.body = self.body(case.body)
        apart = self._apart(stmt)
        if apart is not None:
            return self.statement(apart)
        found = [] if isinstance(stmt, ast.While) else list(self._changing(stmt))
        if not found or not self._alone(stmt, found):
            return [stmt]
        # The call is all of it; that of `xs.append(f(ys))` is not.
        whole = isinstance(stmt, ast.Expr) and any(call is stmt.value for call, _, _ in found)
        before: list[ast.stmt] = []
        for call, names, has_value in found:
            setattr(call, CHANGES, True)
            lists = [ast.Name(n, ast.Store()) for n in names]
            read = frozenset(n for n in names if _mentions(call, n) > 1)
            given, own = (placed(_owns(names, g, read), call) for g in (True, False))
            target = lists[0] if len(lists) == 1 else ast.Tuple([*lists], ast.Store())
            if not has_value:
                before += [given, placed(ast.Assign([target], call), call), own]
                continue
            value = f"a result in {call.lineno}:{call.col_offset}"  # not a possible name in a model
            both = ast.Tuple([ast.Name(value, ast.Store()), *lists], ast.Store())
            copy = ast.copy_location(ast.Call(call.func, call.args, call.keywords), call)
            setattr(copy, CHANGES, True)
            before += [given, placed(ast.Assign([both], copy), call), own]
            _become(call, placed(ast.Name(value, ast.Load()), call), stmt)
        return before if whole else [*before, stmt]

    def _apart(self, stmt: ast.stmt) -> ast.stmt | None:
        """`x = f(xs) if c else y` as an `if`, if one of its branches changes lists."""
        branches = as_branches(stmt)
        if branches is None or not any(
            list(self._changing(way)) for way in (*branches.body, *branches.orelse)
        ):
            return None
        return branches

    def _changing(self, stmt: ast.stmt) -> Iterator[tuple[ast.Call, tuple[str, ...], bool]]:
        """The calls in a statement that change lists, in evaluation order, each with the names of
        the lists and whether the function has a result."""
        for node in _in_order(stmt):
            if not isinstance(node, ast.Call) or takes_changes(node):
                continue
            found = self.ctx.static(node.func, Env())
            closure = closure_by(self.ctx, found)
            own = changes(self.ctx, found, closure)
            if not own or closure is None:
                continue
            given = dict(arguments(node, closure.tree))
            names = [given.get(n) for n in own]
            if all(isinstance(n, ast.Name) and _given_once(node, n.id) for n in names):
                plain = tuple(n.id for n in names if isinstance(n, ast.Name))
                yield node, plain, has_result(closure.tree)

    def _alone(self, stmt: ast.stmt, found: list[Any]) -> bool:
        """Whether the calls in `found` may be made before the rest of the statement."""
        calls = {id(call) for call, _, _ in found}
        names = {n for _, own, _ in found for n in own}
        return not _elsewhere(stmt, calls, names)


def _given_once(call: ast.Call, name: str) -> bool:
    """Whether a list is exactly one of the arguments of a call."""
    arguments = [*call.args, *(k.value for k in call.keywords)]
    return sum(isinstance(a, ast.Name) and a.id == name for a in arguments) == 1


def _mentions(call: ast.Call, name: str) -> int:
    return sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(call))


def _in_order(stmt: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement's expressions, operands before their users."""
    for child in ast.iter_child_nodes(stmt):
        if isinstance(child, ast.expr):
            yield from _expression(child)


def _expression(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        yield from _expression(child)
    yield node


def _elsewhere(node: ast.AST, calls: set[int], names: set[str], sometimes: bool = False) -> bool:
    """Whether one of `names` occurs outside `calls`, or a call may not be made exactly once."""
    if id(node) in calls:
        return sometimes
    if isinstance(node, ast.Name) and node.id in names:
        return True
    inside = sometimes or isinstance(node, _SOMETIMES)
    children = [
        c for c in ast.iter_child_nodes(node) if not isinstance(c, (ast.stmt, ast.match_case))
    ]
    return any(_elsewhere(c, calls, names, inside) for c in children)


def _become(old: ast.expr, new: ast.expr, stmt: ast.stmt) -> None:
    """Replace `old` by `new` in a statement."""
    for node in ast.walk(stmt):
        for name, value in ast.iter_fields(node):
            if value is old:
                setattr(node, name, new)
            elif isinstance(value, list):
                value[:] = [new if v is old else v for v in value]
