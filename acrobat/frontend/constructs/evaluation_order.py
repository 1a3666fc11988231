"""Calls that change lists, taken out of an expression into statements before it.

What the expression computes before such a call, and the call may change, stays before it:

    return len(xs) + push(xs, y)     ->     a = len(xs); b, xs = push(xs, y); return a + b

Conditions and comprehensions around such calls become `if`s and loops.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..syntax import has_effect, mark_fresh
from ..written import placed
from .operands import operand_at, operands, put_operand


@dataclass(frozen=True, slots=True)
class ChangingCall:
    """A call that changes the lists `names`; `rebinds` are those of them, or other variables, that
    it assigns anew."""

    names: tuple[str, ...]
    rebinds: frozenset[str]
    has_value: bool
    returned: str | None  # the one of `names` that is its value
    in_place: frozenset[str] = frozenset()  # those that change in place if they are arrays


class NotTakenOut(Exception):
    """A call cannot be taken out of the expression."""


# What runs a generator expression to its end: functions, and methods or functions of modules.
_WHOLE = ("list", "tuple", "sum", "max", "min", "sorted", "dict", "set")
_METHODS = (
    *("join", "extend", "update", "union", "deque", "Counter", "fsum", "prod"),
    *("array", "stack", "concatenate", "hstack", "vstack", "fromiter"),
)


@dataclass(slots=True)
class EvaluationOrder:
    """Takes changing calls out of expressions. `changing` says whether a call is one, `call` gives
    the statements of one, `statements` rewrites new statements, `local` are the function's names,
    `fields` those of the lists that have fields of numbered objects.
    """

    changing: Callable[[ast.Call], ChangingCall | None]
    call: Callable[[ast.Call, ChangingCall, str | None], list[ast.stmt]]
    statements: Callable[[list[ast.stmt]], list[ast.stmt]]
    local: set[str]
    fields: frozenset[str] = frozenset()
    before: list[ast.stmt] = field(default_factory=list)

    def found(self, node: ast.AST) -> list[ChangingCall]:
        """The changing calls in an expression."""
        calls = (self.changing(n) for n in ast.walk(node) if isinstance(n, ast.Call))
        return [c for c in calls if c is not None]

    def rest(self, node: ast.expr) -> ast.expr:
        """What is left of an expression; the statements are in `before`."""
        if not self.found(node):
            return node
        match node:
            case ast.BoolOp():
                return self._boolean(node)
            case ast.IfExp():
                return self._choice(node)
            case ast.ListComp() | ast.DictComp():
                return self._loop(node)
            case ast.Call(ast.Name("any" | "all" as name), [ast.GeneratorExp() as each], []):
                return self._until(node, each, name == "any")
            case ast.Call(_, [ast.GeneratorExp(element, generators) as each], []):
                if not self.found(node.func) and self._runs(node.func, each):
                    node.args = [placed(ast.ListComp(element, generators), each)]
            case ast.Compare(_, [_, _, *_], [_, *others]) if any(map(self.found, others)):
                raise NotTakenOut
            case ast.Lambda() | ast.GeneratorExp() | ast.SetComp():
                raise NotTakenOut
        slots = list(operands(node))
        later: list[list[ChangingCall]] = []
        seen: list[ChangingCall] = []
        for slot in reversed(slots):
            later.insert(0, list(seen))
            seen += self.found(operand_at(slot))
        call = self.changing(node) if isinstance(node, ast.Call) else None
        for slot, calls in zip(slots, later, strict=True):
            operand = self.rest(operand_at(slot))
            changed = call is not None and self._depends(operand, call.names)
            if changed or (calls and self._affected(operand, calls)):
                operand = self._named(operand)
            put_operand(slot, operand)
        return node if call is None else self._made(node, call)

    def _runs(self, function: ast.expr, items: ast.expr) -> bool:
        """Whether a function asks for all items, and has nothing that they change."""
        match function:
            case ast.Name(name):
                return name in _WHOLE
            case ast.Attribute(owner, method) if method in _METHODS:
                changed = {n for c in self.found(items) for n in c.names}
                return changed.isdisjoint(n.id for n in ast.walk(owner) if isinstance(n, ast.Name))
        return False

    def assigned(self, node: ast.Assign) -> None:
        """Take the calls out of an assignment; those in the index of an item come last."""
        node.value = self.rest(node.value)
        if not any(map(self.found, node.targets)):
            return
        target = node.targets[0]
        if len(node.targets) > 1 or not isinstance(target, ast.Subscript):
            raise NotTakenOut
        if self.found(target.value):
            raise NotTakenOut
        if self._affected(node.value, self.found(target.slice)):
            node.value = self._named(node.value)
        target.slice = self.rest(target.slice)

    def _made(self, node: ast.expr, call: ChangingCall) -> ast.expr:
        assert isinstance(node, ast.Call)
        name = _name("a result", node) if call.has_value else None
        self.before += self.call(node, call, name)
        found = name or call.returned
        value = ast.Constant(None) if found is None else ast.Name(found, ast.Load())
        return ast.copy_location(value, node)

    def _affected(self, node: ast.expr, calls: list[ChangingCall]) -> bool:
        """Whether an operand may have another value after the calls, or they after it."""
        changed = {n for c in calls for n in c.names}
        if isinstance(node, ast.Name):
            return any(node.id in c.rebinds for c in calls)  # a list stays the same object
        if isinstance(node, ast.Constant):
            return False
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        calls_local = any(
            isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in self.local
            for n in ast.walk(node)
        )
        return bool(names & changed) or has_effect(node) or calls_local

    def _depends(self, node: ast.expr, names: tuple[str, ...]) -> bool:
        """Whether an argument is a list made for a call that changes `names`, or computed from
        fields among these."""
        if part_name(node) in names:
            return True
        if isinstance(node, (ast.Name, ast.Constant, ast.Lambda, ast.GeneratorExp)):
            return False
        inside = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        return not self.fields.isdisjoint(inside & set(names))

    def _named(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Starred):
            node.value = self._named(node.value)
            return node
        name = part_name(node)
        self.before.append(placed(ast.Assign([ast.Name(name, ast.Store())], node), node))
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    # -- what is evaluated sometimes, or several times -----------------------------------------

    def _within(self, node: ast.expr, write: Callable[[ast.expr], ast.stmt]) -> list[ast.stmt]:
        """The statements that evaluate `node` and then what `write` makes of its value."""
        return self.statements([placed(write(node), node)])

    def _boolean(self, node: ast.BoolOp) -> ast.expr:
        first, *others = node.values
        first = self.rest(first)
        if not any(map(self.found, others)):
            node.values = [first, *others]
            return node
        name = _name("a truth value", node)
        rest = others[0] if len(others) == 1 else placed(ast.BoolOp(node.op, others), others[0])
        ways = [self._within(rest, lambda v: _assigned(name, v))]
        is_and = isinstance(node.op, ast.And)
        test = first
        if _is_truth_value(first):
            ways.append([_assigned(name, ast.Constant(not is_and))])
        else:
            self.before.append(placed(_assigned(name, first), first))
            test = ast.Name(name, ast.Load())
            ways.append([ast.Pass()])
        self.before.append(placed(ast.If(test, *(ways if is_and else ways[::-1])), node))
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def _choice(self, node: ast.IfExp) -> ast.expr:
        test = self.rest(node.test)
        if not self.found(node.body) and not self.found(node.orelse):
            node.test = test
            return node
        name = _name("a value", node)
        ways = [self._within(v, lambda v: _assigned(name, v)) for v in (node.body, node.orelse)]
        self.before.append(placed(ast.If(test, *ways), node))
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def _loop(self, node: ast.ListComp | ast.DictComp) -> ast.expr:
        name = _name("a list", node)
        if isinstance(node, ast.ListComp):
            stmts = list_loop(node, name)
        else:
            key = _name("a key", node)
            made = ast.Name(name, ast.Load())
            place = ast.Subscript(made, ast.Name(key, ast.Load()), ast.Store())
            inner = [_assigned(key, node.key), ast.Assign([place], node.value)]
            whole = _assigned(name, ast.Dict([], [])), loops(node.generators, inner)
            stmts = [placed(s, node) for s in whole]
        self.before += self.statements(stmts)
        found = ast.copy_location(ast.Name(name, ast.Load()), node)
        mark_fresh(found)  # it is read here alone
        return found

    def _until(self, node: ast.Call, each: ast.GeneratorExp, which: bool) -> ast.expr:
        """`any(f(x) for x in xs)`: a loop that ends at the first one."""
        if len(each.generators) > 1:
            raise NotTakenOut
        name = _name("a truth value", node)
        found = [_assigned(name, ast.Constant(which)), ast.Break()]
        test = each.elt if which else ast.UnaryOp(ast.Not(), each.elt)
        loop = loops(each.generators, [ast.If(test, found, [])])
        stmts = [_assigned(name, ast.Constant(not which)), loop]
        self.before += self.statements([placed(s, node) for s in stmts])
        return ast.copy_location(ast.Name(name, ast.Load()), node)


def part_name(node: ast.expr) -> str:
    """The name of a part of an expression that is evaluated before the whole."""
    return _name("a part", node)


def _name(what: str, node: ast.expr) -> str:
    """A name that is not possible in a model."""
    return f"{what} in {node.lineno}:{node.col_offset}"


def _assigned(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _is_truth_value(node: ast.expr) -> bool:
    match node:
        case ast.Compare() | ast.UnaryOp(ast.Not()) | ast.Constant(bool()):
            return True
        case ast.BoolOp(_, values):
            return all(map(_is_truth_value, values))
        case ast.Call(ast.Name("isinstance" | "any" | "all")):
            return True
    return False


def loops(
    generators: list[ast.comprehension], inner: list[ast.stmt], after: Sequence[ast.stmt] = ()
) -> ast.For:
    """The loops of a comprehension around statements, with names of their own for its targets.
    `after` follows each but the outermost."""
    for each in reversed(generators):
        for test in reversed(each.ifs):
            inner = [ast.If(test, inner, [])]
        own = {n.id for n in ast.walk(each.target) if isinstance(n, ast.Name)}
        renamed = Renamed({n: _name(n, each.target) for n in own})
        inner = [renamed.visit(s) for s in inner]
        loop = ast.For(renamed.visit(each.target), each.iter, inner, [])
        inner = [loop, *after]
    return loop


def list_loop(node: ast.ListComp, name: str) -> list[ast.stmt]:
    """The statements that make the list `name` of a comprehension item by item."""
    add = ast.Call(ast.Attribute(ast.Name(name, ast.Load()), "append", ast.Load()), [node.elt], [])
    whole = _assigned(name, ast.List([], ast.Load())), loops(node.generators, [ast.Expr(add)])
    return [placed(s, node) for s in whole]


@dataclass(slots=True)
class Renamed(ast.NodeTransformer):
    """Gives names other names."""

    names: dict[str, str]

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """The name that stands for `node`."""
        if node.id not in self.names:
            return node
        return ast.copy_location(ast.Name(self.names[node.id], node.ctx), node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """A lambda, whose parameters hide names."""
        own = {a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
        rest = {n: new for n, new in self.names.items() if n not in own}
        node.body = Renamed(rest).visit(node.body)
        return node
