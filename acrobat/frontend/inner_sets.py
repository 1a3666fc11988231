"""Sets in a function's own dict or list, `graph[u].add(v)`, rewritten as dicts whose values are not
read. As for sets with a name (own_collections.py), this is done if all mentions are known: of the
dict or list by its name, and of a set as an item, or as the target of a loop over them."""

from __future__ import annotations

import ast
import collections
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

from .context import FunctionContext
from .plain_collections import SetAsDict
from .scope import Env
from .syntax import has_effect, parents_of

_LOOPS = (ast.For, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension)
_CHANGES = ("add", "update", "remove", "discard", "clear")


def with_inner_sets(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite the function to use dicts of dicts, and lists of dicts, instead."""
    nodes = list(ast.walk(tree))
    called = (n for n in nodes if isinstance(n, ast.Name) and n.id not in ctx.locals)
    if not any(isinstance(n, (ast.Set, ast.SetComp)) for n in nodes) and not any(
        ctx.outside(n.id) is set for n in called
    ):
        return
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    owners = (n.value for n in nodes if isinstance(n, (ast.Subscript, ast.Attribute)))
    names = stored & {n.id for n in owners if isinstance(n, ast.Name)}
    parents = parents_of(tree)
    for name in sorted(names):
        inside = _Inside(ctx, tree, name, parents)
        inside.find()
        if not inside.makers:
            continue
        use = inside.not_allowed()
        if use is None:
            _InnerSetsAsDicts(name, inside).visit(tree)
            parents = parents_of(tree)
        else:
            ctx.given_away.update((id(m), use) for m in inside.makers)


@dataclass(slots=True)
class _Inside:
    """The sets in the dict or list `name`: expressions that make them, `makers`, and the `id`s of
    expressions that stand for one, `items`; `targets` are names of them in loops."""

    ctx: FunctionContext
    tree: ast.FunctionDef
    name: str
    parents: dict[int, ast.AST]
    makers: list[ast.expr] = field(default_factory=list)
    items: set[int] = field(default_factory=set)
    targets: list[ast.Name] = field(default_factory=list)
    wrong: list[ast.AST] = field(default_factory=list)
    is_list: bool = False

    def find(self) -> None:
        """Find the makers, and the items."""
        for node in ast.walk(self.tree):
            match node:
                case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(
                    ast.Name(name), value=ast.expr() as value
                ) if name == self.name:
                    self._collection(value)
                case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)):
                    for target, value in zip(targets, values, strict=False):
                        if isinstance(target, ast.Name) and target.id == self.name:
                            self._collection(value)
                case ast.Subscript(ast.Name(name), at) if name == self.name:
                    if not isinstance(at, ast.Slice):
                        self.items.add(id(node))
                        self._stored(node)
                case ast.Call(ast.Attribute(ast.Name(name), "get" | "setdefault"), [_, value], []):
                    if name == self.name and self._is_maker(value):
                        self.makers.append(value)
                        self.items.add(id(node))
                case ast.Call(ast.Attribute(ast.Name(name), "append"), [value], []):
                    if name == self.name and self._is_maker(value):
                        self.makers.append(value)

    def _is_maker(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Call):
            plain = len(node.args) < 2 and not node.keywords
            return plain and self.ctx.static(node.func, Env()) is set
        return isinstance(node, (ast.Set, ast.SetComp))

    def _collection(self, value: ast.expr) -> None:
        found: list[ast.expr] = []
        match value:
            case ast.Call(func, [factory], []) if (
                self.ctx.static(func, Env()) is collections.defaultdict
                and self.ctx.static(factory, Env()) is set
            ):
                self.makers.append(value)
            case ast.List(found) | ast.Dict(_, found):
                pass
            case ast.ListComp(element) | ast.DictComp(_, element):
                found = [element]
            case ast.Call(func, [], []) if self.ctx.static(func, Env()) is dict:
                pass
            case _:
                self.wrong.append(value)
        self.is_list |= isinstance(value, (ast.List, ast.ListComp))
        sets = [v for v in found if self._is_maker(v)]
        self.makers += sets
        self.wrong += [v for v in found if v not in sets]

    def _stored(self, node: ast.Subscript) -> None:
        match self.parents[id(node)]:
            case ast.Assign([target], value) if target is node:
                (self.makers if self._is_maker(value) else self.wrong).append(value)

    def not_allowed(self) -> ast.AST | None:
        """A use that cannot be rewritten; None if there is none."""
        if self.wrong:
            return self.wrong[0]
        for node in ast.walk(self.tree):
            if isinstance(node, ast.arg) and node.arg == self.name:
                return node
            if isinstance(node, ast.Name) and node.id == self.name and not self._whole(node):
                return self.parents[id(node)]
        for target in self.targets:
            wrong = self._named(target)
            if wrong is not None:
                return wrong
        for node in ast.walk(self.tree):
            bound = isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
            if id(node) in self.items and not bound and not self._item(node):
                return self.parents[id(node)]
        return None

    def _named(self, target: ast.Name) -> ast.AST | None:
        """Note where a loop's target is read, in the loop; a mention that may be something else."""
        loop = self._loop(target)
        inside = {id(n) for n in ast.walk(loop)}
        known = set(inside)
        for node in ast.walk(self.tree):
            if _is(node, target.id) and isinstance(self.parents[id(node)], (*_LOOPS, ast.Tuple)):
                other = self._loop(node)
                known |= {id(n) for n in ast.walk(other)} if isinstance(other, _LOOPS) else set()
        for node in ast.walk(self.tree):
            if target.id in (getattr(node, "arg", None), getattr(node, "name", None)):
                return node
            if not _is(node, target.id) or node is target:
                continue
            if id(node) not in known or (id(node) in inside and not isinstance(node.ctx, ast.Load)):
                return self.parents[id(node)]
            if id(node) in inside:
                self.items.add(id(node))
        return None

    def _loop(self, target: ast.Name) -> ast.AST:
        """The loop or comprehension whose target this is, or is part of."""
        found = self.parents[id(target)]
        if isinstance(found, ast.Tuple):
            found = self.parents[id(found)]
        return self.parents[id(found)] if isinstance(found, ast.comprehension) else found

    def _whole(self, node: ast.Name) -> bool:
        """Whether a mention of the dict or list is known."""
        parent = self.parents[id(node)]
        if id(parent) in self.items:
            return True
        match parent:
            case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
                return target is node
            case ast.Tuple(targets) if isinstance(node.ctx, ast.Store):
                match self.parents[id(parent)]:
                    case ast.Assign([_], ast.Tuple(values)):
                        plain = not any(isinstance(e, ast.Starred) for e in (*targets, *values))
                        return plain and len(targets) == len(values)
                return False
            case ast.Attribute(attr=method):
                called = self.parents[id(parent)]
                if not isinstance(called, ast.Call) or called.func is not parent:
                    return False
                if method == "append":
                    return called.args[0] in self.makers
                if method in ("items", "values"):
                    return self._iterated(called, method == "items")
                return id(called) in self.items or method == "keys"
            case ast.Compare(_, [ast.In() | ast.NotIn()], [right]):
                return right is node and not self.is_list
            case ast.For() | ast.comprehension():
                return not self.is_list or self._iterated(node, False)
            case ast.Call(func, [argument]) if argument is node:
                function = self.ctx.static(func, Env())
                if function is enumerate and self.is_list:
                    return self._iterated(parent, True)
                return function is len or (function in (sorted, list) and not self.is_list)
        return False

    def _iterated(self, node: ast.expr, pairs: bool) -> bool:
        """Whether a loop over the sets gives names to them; `pairs`: each with its key or index."""
        match self.parents[id(node)]:
            case ast.For(target=target, iter=over) | ast.comprehension(target=target, iter=over):
                if over is not node:
                    return False
            case _:
                return False
        if pairs:
            if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
                return False
            target = target.elts[1]
        if not isinstance(target, ast.Name):
            return False
        self.targets.append(target)
        self.items.add(id(target))
        return True

    def _item(self, node: ast.AST) -> bool:
        """Whether a mention of a set is known: none depends on the order of its items."""
        parent = self.parents[id(node)]
        match parent:
            case ast.Assign(targets=[target], value=value) if target is node:
                return value in self.makers
            case ast.Delete():
                return True
            case ast.AugAssign(target=target, op=ast.BitOr()) if target is node:
                return _is_steady(node)
            case ast.AugAssign(target=target, op=ast.BitOr()):
                return id(target) in self.items
            case ast.Attribute(attr=method):
                call = self.parents[id(parent)]
                return (
                    method in _CHANGES
                    and isinstance(call, ast.Call)
                    and not call.keywords
                    and isinstance(self.parents[id(call)], ast.Expr)
                    and (method in ("add", "clear") or _is_steady(node))
                )
            case ast.Compare(_, [ast.In() | ast.NotIn()], [right]):
                return right is node
            case ast.If(test=value) | ast.While(test=value) | ast.IfExp(test=value):
                return value is node
            case ast.UnaryOp(ast.Not()):
                return True
            case ast.Call(ast.Attribute(owner, "update"), [argument]) if id(owner) in self.items:
                return argument is node
            case ast.Call(func, [argument]) if argument is node:
                return self.ctx.static(func, Env()) in (len, sum, min, max, sorted, set)
        return False


def _is(node: ast.AST, name: str) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and node.id == name


def _is_steady(node: ast.AST) -> bool:
    """Whether an expression may be computed several times."""
    inner = node.args[0] if isinstance(node, ast.Call) else node
    if isinstance(inner, ast.expr) and has_effect(inner):
        return False
    return not any(isinstance(n, ast.Call) for n in ast.walk(inner))


@dataclass(slots=True)
class _InnerSetsAsDicts(SetAsDict):
    inside: _Inside

    def _is(self, node: ast.AST) -> bool:
        return id(node) in self.inside.items

    def visit(self, node: ast.AST) -> ast.AST:
        """Also `set()` where it is put into the dict or list, and `defaultdict(set)`."""
        parent = self.inside.parents.get(id(node))
        stored = isinstance(parent, ast.Assign) and self._is(parent.targets[0])
        if isinstance(node, ast.expr) and node in self.inside.makers and not stored:
            self.generic_visit(node)
            match node:
                case ast.Call(_, [factory]) if self._factory(node):
                    node.args = [ast.copy_location(ast.Constant(dict), factory)]  # type: ignore
                    return node
            return self.made(node)
        new: ast.AST = SetAsDict.visit(self, node)
        return new

    def _factory(self, node: ast.Call) -> bool:
        return self.inside.ctx.static(node.func, Env()) is collections.defaultdict

    def inserted(self, owner: ast.expr) -> Iterator[ast.stmt]:
        """What makes sure that the set is there: `d[k].update([])` of a defaultdict inserts it."""
        match owner:
            case ast.Call():
                yield ast.Expr(owner)
            case ast.Subscript(value, key) if any(
                isinstance(m, ast.Call) and self._factory(m) for m in self.inside.makers
            ):
                func = ast.Attribute(value, "setdefault", ast.Load())
                yield ast.Expr(ast.Call(func, [key, ast.Dict([], [])], []))
