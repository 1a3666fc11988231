"""Functions that change a list or a dict passed to them: `def visit(p, t, found): ...`.

Values never change, so such a function also returns the changed list or dict, and its caller
continues with that:

    def push(p, x, found):                  def push(p, x, found):
        found.append(x)                         found.append(x)
                                   ->           return found
    push(p, x, xs)                          xs = push(p, x, xs)

A call that is part of a statement becomes one before it (`evaluation_order`). As everywhere, only a
list that the caller owns can be changed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..captures import CALLEE, ONLY_REBINDS, READS, REBINDS, bound_names
from ..context import FunctionContext
from ..scope import Env
from ..written import copied, placed
from .augmented import no_array
from .changed_parameters import changes, closure_by
from .changed_results import (
    CHANGES,
    arguments,
    changed_by,
    has_result,
    mark_arrays,
    returned_parameter,
    takes_changes,
)
from .conditional_statements import as_branches
from .evaluation_order import ChangingCall, EvaluationOrder, NotTakenOut, part_name
from .lent_lists import owned
from .out_arrays import changes_in_place, note_changes


def with_out_parameters(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite a function so that it assigns the lists that its calls change and return."""
    note_changes(ctx, tree)
    around = frozenset(ctx.signature.bound) - bound_names(tree)
    tree.body = Callers(ctx, around=around).body(tree.body)


@dataclass
class Callers:
    """Takes the calls that change something out of the statements of a function. It has the
    variables `around` from the function around it, whose callers would not see the changes."""

    ctx: FunctionContext
    known: dict[int, tuple[ast.Call, ChangingCall | None]] = field(default_factory=dict)
    around: frozenset[str] = frozenset()

    def body(self, stmts: list[ast.stmt]) -> list[ast.stmt]:
        """The statements, with changed lists assigned to their names."""
        return [new for stmt in stmts for new in self.statement(stmt)]

    def statement(self, stmt: ast.stmt) -> list[ast.stmt]:
        """The statements that replace one."""
        if isinstance(stmt, (ast.FunctionDef, ast.ClassDef)):
            return [stmt]
        expressions = list(_expressions(stmt))
        if any(self._changes(e) for e in expressions):
            apart = self._apart(stmt)
            if apart is not None:
                return self.body(apart)
        for name in ("body", "orelse"):
            inner = getattr(stmt, name, None)
            if isinstance(inner, list):
                setattr(stmt, name, self.body(inner))
        for case in getattr(stmt, "cases", []):
            case.body = self.body(case.body)
        if not any(self._changes(e) for e in expressions):
            return [stmt]
        fields = self.ctx.builder.numbered_fields
        order = EvaluationOrder(self._changing, self._call, self.body, self.ctx.locals, fields)
        before = {n: copied(e) for n, e in ast.iter_fields(stmt) if isinstance(e, ast.expr)}
        try:
            return self._ordered(stmt, order)
        except NotTakenOut:  # the call that stays is an error, and not what is taken out before
            for name, whole in before.items():
                setattr(stmt, name, whole)
            return [stmt]

    def _ordered(self, stmt: ast.stmt, order: EvaluationOrder) -> list[ast.stmt]:
        match stmt:
            case ast.Assign():
                order.assigned(stmt)
                return order.before if _does_nothing(stmt) else [*order.before, stmt]
            case ast.AnnAssign() | ast.AugAssign() | ast.Return() | ast.Expr():
                assert stmt.value is not None
                stmt.value = order.rest(stmt.value)
                return order.before if _does_nothing(stmt) else [*order.before, stmt]
            case ast.If():
                stmt.test = order.rest(stmt.test)
            case ast.For():
                stmt.iter = order.rest(stmt.iter)
            case ast.Match():
                stmt.subject = order.rest(stmt.subject)
            case _:
                raise NotTakenOut
        return [*order.before, stmt]

    def _apart(self, stmt: ast.stmt) -> list[ast.stmt] | None:
        """A statement as others that keep what its conditions say of types; None if it stays."""
        branches = as_branches(stmt)
        if branches is not None and any(map(self._changes, (*branches.body, *branches.orelse))):
            return [branches]
        match stmt:
            case ast.If(ast.BoolOp(ast.And(), [first, *rest]), body, []):
                inner = placed(ast.If(_joined(ast.And(), rest), body, []), stmt)
                return [placed(ast.If(first, [inner], []), stmt)]
            case ast.If(ast.BoolOp(ast.Or(), [first, *rest]), [*_, last] as body, []):
                if isinstance(last, (ast.Return, ast.Continue, ast.Break, ast.Raise)):
                    tests = [first, _joined(ast.Or(), rest)]
                    bodies = [body, [copied(s) for s in body]]
                    pairs = zip(tests, bodies, strict=True)
                    return [placed(ast.If(test, inner, []), stmt) for test, inner in pairs]
            case ast.While(test, body, []):
                end: ast.stmt = ast.If(ast.UnaryOp(ast.Not(), test), [ast.Break()], [])
                true = ast.Constant(True)
                return [placed(ast.While(true, [placed(end, test), *body], []), stmt)]
            case ast.AugAssign(ast.Name(name), op, value) if self._affected(stmt):
                check = no_array(ast.Name(name, ast.Load()), stmt)
                whole = ast.BinOp(ast.Name(name, ast.Load()), op, value)
                return [placed(check, stmt), placed(ast.Assign([stmt.target], whole), stmt)]
            case ast.AugAssign(ast.Subscript(owner, at), op, value) if self._affected(stmt):
                name = f"an index in {stmt.lineno}:{stmt.col_offset}"
                index = ast.Assign([ast.Name(name, ast.Store())], at)
                item = ast.Subscript(copied(owner), ast.Name(name, ast.Load()), ast.Load())
                place = ast.Subscript(owner, ast.Name(name, ast.Load()), ast.Store())
                check = no_array(copied(item), stmt)
                assign = ast.Assign([place], ast.BinOp(item, op, value))
                return [placed(s, stmt) for s in (index, check, assign)]
        return None

    def _affected(self, stmt: ast.AugAssign) -> bool:
        """Whether the calls in a statement change its target, which it reads before them."""
        names = {n.id for n in ast.walk(stmt.target) if isinstance(n, ast.Name)}
        calls = [n for n in ast.walk(stmt.value) if isinstance(n, ast.Call)]
        found = [c for c in map(self._changing, calls) if c is not None]
        return any(names & set(c.names) for c in found)

    def _changes(self, node: ast.AST) -> bool:
        """Whether there is a call in `node` that changes a list."""
        calls = (n for n in ast.walk(node) if isinstance(n, ast.Call))
        return any(self._changing(n) is not None for n in calls)

    def _changing(self, node: ast.Call) -> ChangingCall | None:
        """What a call changes; None if it changes nothing, or is taken care of."""
        if takes_changes(node):
            return None
        if id(node) not in self.known:
            self.known[id(node)] = node, self._looked_at(node)
        return self.known[id(node)][1]

    def _looked_at(self, node: ast.Call) -> ChangingCall | None:
        tree, closure = getattr(node, CALLEE, None), None
        if tree is None:
            found = self.ctx.static(node.func, Env())
            closure = closure_by(self.ctx, found)
            if not changes(self.ctx, found, closure) or closure is None:
                return None
            tree = closure.tree
        given = dict(arguments(node, tree))
        reads: frozenset[str] = getattr(tree, READS, frozenset())
        rebinds: frozenset[str] = getattr(tree, ONLY_REBINDS, frozenset())
        names: dict[str, str] = {}
        for parameter in changed_by(tree):
            value = given.get(parameter)
            if value is not None and self._makes_list(value):
                value = ast.Name(part_name(value))
            elif not isinstance(value, ast.Name) or not (
                parameter in rebinds or _given_once(node, value.id, reads)
            ):
                return None
            names[parameter] = value.id
        result = returned_parameter(tree)
        return ChangingCall(
            tuple(names.values()),
            frozenset(names[n] for n in getattr(tree, REBINDS, ()) if n in names),
            has_result(tree),
            None if result is None else names[result],
            frozenset(n for p, n in names.items() if changes_in_place(self.ctx, tree, closure, p)),
        )

    def _makes_list(self, node: ast.expr) -> bool:
        """Whether an expression makes a list or dict, which only the call gets."""
        match node:
            case ast.List() | ast.Dict():
                return True
            case ast.ListComp() | ast.DictComp():
                return not self._changes(node)
            case ast.Call(ast.Attribute(_, "split" | "copy"), _, []):
                return not self._changes(node)
            case ast.Call(func):
                found = self.ctx.static(func, Env())
                return any(found is f for f in (list, sorted, dict)) and not self._changes(node)
        return False

    def _check_around(self, node: ast.Call, names: tuple[str, ...]) -> None:
        for name in names:
            if name in self.around:
                self.ctx.fail(
                    "AC030",
                    node,
                    f"{ast.unparse(node.func)} changes {name}, a variable of the function around "
                    "this one, which something else calls",
                    "a comprehension or a loop that calls it, for the values that are needed here",
                )

    def _call(self, node: ast.Call, call: ChangingCall, value: str | None) -> list[ast.stmt]:
        """The statements of a call whose result gets the name `value`."""
        names = call.names
        self._check_around(node, names)
        read = frozenset(n for n in names if _mentions(node, n) > 1)
        made = [n for n in (value, *names) if n is not None]
        targets = [ast.Name(n, ast.Store()) for n in made]
        target = targets[0] if len(targets) == 1 else ast.Tuple([*targets], ast.Store())
        copied = ast.copy_location(ast.Call(node.func, node.args, node.keywords), node)
        setattr(copied, CHANGES, True)
        mark_arrays(copied, call.in_place)
        given, own = (placed(owned(call, g, read, copied), node) for g in (True, False))
        return [given, placed(ast.Assign([target], copied), node), own]


def _expressions(stmt: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a statement, without those of statements inside it."""
    return (c for c in ast.iter_child_nodes(stmt) if isinstance(c, ast.expr))


def _joined(op: ast.boolop, values: list[ast.expr]) -> ast.expr:
    return values[0] if len(values) == 1 else placed(ast.BoolOp(op, values), values[0])


def _does_nothing(stmt: ast.stmt) -> bool:
    """Whether nothing is left of a statement: a value that is not used, or `xs = xs`."""
    match stmt:
        case ast.Expr(ast.Name() | ast.Constant()):
            return True
        case ast.Assign([ast.Name(target)], ast.Name(source)):
            return target == source
    return False


def _given_once(call: ast.Call, name: str, reads: frozenset[str]) -> bool:
    """Whether a list is exactly one of the arguments of a call, and nothing that the callee calls
    reads it by another name."""
    arguments = [*call.args, *(k.value for k in call.keywords)]
    lambdas = [n for a in arguments for n in ast.walk(a) if isinstance(n, ast.Lambda)]
    inside = {n.id for f in lambdas for n in ast.walk(f) if isinstance(n, ast.Name)}
    once = sum(isinstance(a, ast.Name) and a.id == name for a in arguments) == 1
    return once and name not in inside and name not in reads


def _mentions(call: ast.Call, name: str) -> int:
    return sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(call))
