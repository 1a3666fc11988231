"""A function's own `deque` and `set`, rewritten as lists and dicts.

A deque becomes a list whose items also come and go at its front; a set becomes a dict whose values
are not read. This is done if the
name stands for nothing else and the collection is not passed on; local functions may use it. Other
uses are left as they are, and refused, such as those of a set's order, which is arbitrary.
"""

from __future__ import annotations

import ast
import collections
from collections.abc import Callable
from dataclasses import dataclass

from .captures import nodes_that_see
from .context import FunctionContext
from .plain_collections import QueueAsList, SetAsDict
from .scope import Env
from .set_values import ANY_ORDER, in_any_order
from .syntax import named_values, parents_of
from .written import placed


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of collection: its classes, its displays, what may be done with it."""

    classes: tuple[object, ...]
    displays: tuple[type[ast.expr], ...]
    methods: tuple[str, ...]
    functions: tuple[Callable[..., object], ...]
    assigned: type[ast.operator]  # of `q += xs`
    iterated: bool
    rewriting: Callable[[str], ast.NodeTransformer]


def with_plain_collections(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite the function to use lists and dicts instead."""
    _WithoutName(ctx).visit(tree)
    for kind in KINDS:
        made: dict[str, list[ast.expr]] = {}
        for node in ast.walk(tree):
            found = _made(ctx, kind, node)
            if found is not None:
                made.setdefault(found[0], []).append(found[1])
        if not made:
            continue
        parents = parents_of(tree)
        for name, values in made.items():
            use = _Uses(ctx, tree, kind, name, values, parents).not_allowed()
            if use is None:
                kind.rewriting(name).visit(tree)
            else:
                ctx.given_away.update((id(v), use) for v in values)


def _made(ctx: FunctionContext, kind: Kind, node: ast.AST) -> tuple[str, ast.expr] | None:
    """The name of a collection, and the expression that makes it."""
    for name, value in named_values(node):
        if isinstance(value, kind.displays):
            return name, value
        match value:
            case ast.Call(func, [] | [_], []) if ctx.static(func, Env()) in kind.classes:
                return name, value
    return None


@dataclass(slots=True)
class _Uses:
    """Where a function uses such a collection."""

    ctx: FunctionContext
    tree: ast.FunctionDef
    kind: Kind
    name: str
    made: list[ast.expr]
    parents: dict[int, ast.AST]

    def not_allowed(self) -> ast.AST | None:
        """A use that cannot be rewritten for a list or a dict; None if there is none."""
        arguments = self.tree.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            if argument.arg == self.name:
                return argument
        seen = {id(n) for n in nodes_that_see(self.tree, self.name)}
        for node in ast.walk(self.tree):
            if self.name not in (getattr(node, "id", None), getattr(node, "name", None)):
                continue
            if node is self.tree:
                continue  # a function may be called like a variable of its own
            if not isinstance(node, ast.Name):
                return node
            if id(node) not in seen or not self._allows(node):
                return self.parents[id(node)]
        return None

    def _allows(self, node: ast.Name) -> bool:
        parent, kind = self.parents[id(node)], self.kind
        if getattr(node, ANY_ORDER, False):
            return True
        match parent:
            case ast.Assign(value=value) | ast.AnnAssign(value=value) if node is not value:
                return value in self.made
            case ast.AugAssign(target=target, op=op):
                return target is node and isinstance(op, kind.assigned)
            case ast.Attribute(attr=attr):
                called = self.parents[id(parent)]
                return attr in kind.methods and isinstance(called, ast.Call) and not called.keywords
            case ast.Compare(_, [ast.In() | ast.NotIn()], [right]):
                return right is node
            case ast.If(test=value) | ast.While(test=value) | ast.IfExp(test=value):
                return value is node
            case ast.UnaryOp(ast.Not()):
                return True
            case ast.BoolOp():
                whole = self.parents[id(parent)]
                return getattr(whole, "test", None) is parent
            case ast.Call(func, [argument]):
                return argument is node and self.ctx.static(func, Env()) in kind.functions
            case ast.For(iter=value) | ast.comprehension(iter=value):
                return kind.iterated and value is node
            case ast.Subscript(value=value, slice=at):
                return kind.iterated and value is node and not isinstance(at, ast.Slice)
        return False


@dataclass(slots=True)
class _WithoutName(ast.NodeTransformer):
    """Sets without a name: `len(set(xs))`, `sorted({f(x) for x in xs})`, `x in set(xs)`."""

    ctx: FunctionContext

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`len(set(xs))` and the like: applied to the keys."""
        self.generic_visit(node)
        match node:
            case ast.Call(func, [value], _) if self._makes_set(value):
                if self.ctx.static(func, Env()) in KINDS[1].functions[:-1]:
                    keys = ast.Call(
                        ast.Attribute(SetAsDict("").made(value), "keys", ast.Load()), [], []
                    )
                    node.args = [placed(keys, value)]
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """`x in set(xs)`: whether an item of xs equals x."""
        self.generic_visit(node)
        match node:
            case ast.Compare(_, [ast.In() | ast.NotIn()], [ast.Call(_, [source]) as right]):
                if self._makes_set(right):
                    node.comparators = [placed(self._items(source, right), right)]
            case ast.Compare(_, [ast.In() | ast.NotIn()], [ast.SetComp(item, generators) as right]):
                items = in_any_order(ast.ListComp(item, generators))
                node.comparators = [placed(items, right)]
        return node

    def _items(self, source: ast.expr, made: ast.expr) -> ast.expr:
        """What has the items of `source`, also of a string or of an object with `__contains__`, for
        which `x in source` means something else."""
        known = self.ctx.static(source, Env())
        if isinstance(source, (ast.List, ast.Tuple, ast.Set, ast.ListComp, ast.GeneratorExp)):
            return source
        if isinstance(known, (list, tuple, set, frozenset, dict)):
            return source
        name = f"an item in {made.lineno}:{made.col_offset}"  # not a name that a model can have
        each = ast.comprehension(ast.Name(name, ast.Store()), source, [], 0)
        return in_any_order(ast.ListComp(ast.Name(name, ast.Load()), [each]))

    def _makes_set(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call):
            one = len(node.args) == 1 and not node.keywords
            return one and self.ctx.static(node.func, Env()) in (set, frozenset)
        return isinstance(node, (ast.Set, ast.SetComp))


KINDS = (
    Kind(
        (collections.deque,),
        (),
        ("append", "appendleft", "extend", "pop", "popleft", "insert", "clear", "reverse", "index",
         "count"),
        (len, list, sum, min, max, any, all, sorted, enumerate, reversed),
        ast.Add,
        True,
        QueueAsList,
    ),
    Kind(
        (set,),
        (ast.Set, ast.SetComp),
        ("add", "update", "remove", "discard", "clear"),
        (len, sum, min, max, sorted, set),
        ast.BitOr,
        False,
        SetAsDict,
    ),
)  # fmt: skip
