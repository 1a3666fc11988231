"""Functions that get a list of objects and only read it: `energy(bodies)`. Such a call gives the
objects no other name (objects_in_lists.py)."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from .constructs.changed_parameters import closure_by
from .constructs.changed_results import arguments
from .context import FunctionContext
from .function_values import Closure
from .item_methods import Use, Uses, meant
from .item_scopes import run_later
from .scope import Env


def only_reads_list(ctx: FunctionContext, call: ast.Call, given: ast.AST, cls: type) -> bool:
    """Whether the call of a function only reads `given`, a list of objects of the class `cls`."""
    closure = closure_by(ctx, ctx.static(call.func, Env()))
    return _Reader(ctx, cls).argument(call, given, closure)


@dataclass(slots=True)
class _Reader:
    ctx: FunctionContext
    cls: type
    seen: set[tuple[int, str]] = field(default_factory=set)  # functions, by tree and parameter

    def argument(self, call: ast.Call, given: ast.AST, closure: Closure | None) -> bool:
        if closure is None or closure.tree.args.vararg or closure.tree.args.kwarg:
            return False
        if any(isinstance(a, ast.Starred) for a in call.args):
            return False
        names = [n for n, value in arguments(call, closure.tree) if value is given]
        return len(names) == 1 and self._parameter(closure, names[0])

    def _parameter(self, closure: Closure, own: str) -> bool:
        if (id(closure.tree), own) in self.seen:
            return True  # besides what the first visit finds
        self.seen.add((id(closure.tree), own))
        nodes = list(ast.walk(closure.tree))
        parents = {id(c): n for n in nodes for c in ast.iter_child_nodes(n)}
        later = run_later(self.ctx, closure.tree)
        targets: list[ast.Name] = []
        for node in nodes:
            if isinstance(node, ast.Name) and node.id == own:
                known = isinstance(node.ctx, ast.Load) and id(node) not in later
                if not known or not self._list(closure, node, parents, targets):
                    return False
        names = {t.id for t in targets}
        if own in names:
            return False
        uses = Uses(self.ctx, self.cls)
        for node in nodes:
            if getattr(node, "arg", None) in names or getattr(node, "name", None) in names:
                return False
            if isinstance(node, ast.Name) and node.id in names and node not in targets:
                known = isinstance(node.ctx, ast.Load) and id(node) not in later
                if not known or uses.mention(closure, node, parents) is not Use.READS:
                    return False
        return True

    def _list(
        self,
        closure: Closure,
        node: ast.AST,
        parents: dict[int, ast.AST],
        targets: list[ast.Name],
        path: tuple[int, ...] = (),
    ) -> bool:
        """Whether a mention only reads the list; `targets` get the names of items, which are at
        `path` in what an iteration over `node` gives."""
        parent = parents[id(node)]
        match parent:
            case ast.For(target, iterable) | ast.comprehension(target, iterable) if (
                iterable is node
            ):
                for at in path:
                    if not isinstance(target, ast.Tuple) or len(target.elts) <= at:
                        return False
                    target = target.elts[at]
                targets += [target] if isinstance(target, ast.Name) else []
                return isinstance(target, ast.Name)
            case ast.Subscript(slice=ast.Slice(), ctx=ast.Load()):
                return self._list(closure, parent, parents, targets, path)
            case ast.Subscript(value=value, ctx=ast.Load()) if value is node:
                return Uses(self.ctx, self.cls).mention(closure, parent, parents) is Use.READS
            case ast.If(test) | ast.IfExp(test) | ast.While(test) if test is node:
                return True
            case ast.UnaryOp(ast.Not()):
                return True
            case ast.Call(ast.Name(name)) if node is not parent.func:
                found = meant(closure, name)
                if found is len:
                    return True
                if found is reversed:
                    return self._list(closure, parent, parents, targets, path)
                if found is enumerate or found is zip:
                    at = 1 if found is enumerate else parent.args.index(node)  # type: ignore
                    return self._list(closure, parent, parents, targets, (at, *path))
                called = None if found is None else closure_by(self.ctx, found)
                return self.argument(parent, node, called)
        return False
