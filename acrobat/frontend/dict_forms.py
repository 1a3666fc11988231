"""Forms of Python's for dicts, rewritten: `d.update(e)`, `dict.fromkeys(xs, v)`, `max(d)`."""

from __future__ import annotations

import ast
import collections
from dataclasses import dataclass, field

from .constructs.evaluation_order import part_name
from .context import FunctionContext
from .scope import Env
from .syntax import has_effect, named_values, names_in
from .written import placed

_DICTS = (dict, collections.defaultdict, collections.OrderedDict)


def with_dict_forms(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite such forms in a function, where names stand for dicts that it makes."""
    found = _Forms(ctx)
    other: set[str] = set()
    for node in ast.walk(tree):
        for name, value in named_values(node):
            (found.dicts if found.is_dict(value) else other).add(name)
    found.dicts -= other
    found.visit(tree)


@dataclass(slots=True)
class _Forms(ast.NodeTransformer):
    ctx: FunctionContext
    dicts: set[str] = field(default_factory=set)

    def is_dict(self, node: ast.expr) -> bool:
        """Whether an expression is a new dict, by its syntax."""
        if isinstance(node, ast.Call):
            return self.ctx.static(node.func, Env()) in _DICTS or self._from_keys(node)
        return isinstance(node, (ast.Dict, ast.DictComp))

    def _from_keys(self, node: ast.Call) -> bool:
        match node.func:
            case ast.Attribute(owner, "fromkeys"):
                return self.ctx.static(owner, Env()) is dict
        return False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`dict.fromkeys(xs, v)`, `max(d)`, `min(d, key=d.get)`."""
        self.generic_visit(node)
        match node:
            case ast.Call(_, [source, *default], []) if self._from_keys(node):
                # Each key has the same value, which the comprehension must not make anew.
                if len(default) < 2 and not any(map(_makes, default)):
                    if isinstance(source, ast.GeneratorExp):
                        source = placed(ast.ListComp(source.elt, source.generators), source)
                    item = f"an item in {node.lineno}:{node.col_offset}"
                    each = ast.comprehension(ast.Name(item, ast.Store()), source, [], 0)
                    value = default[0] if default else ast.Constant(None)
                    return placed(ast.DictComp(ast.Name(item, ast.Load()), value, [each]), node)
            case ast.Call(ast.Name("max" | "min"), [ast.Name(name)]) if name in self.dicts:
                if self.ctx.static(node.func, Env()) in (max, min):
                    keys = ast.Call(ast.Attribute(node.args[0], "keys", ast.Load()), [], [])
                    node.args = [placed(keys, node)]
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        """`d.update(e)`."""
        self.generic_visit(node)
        match node.value:
            case ast.Call(ast.Attribute(ast.Name(name), "update"), [other], []):
                if name in self.dicts:
                    return self._updated(node, name, other)
        return node

    def _updated(self, node: ast.Expr, name: str, other: ast.expr) -> ast.AST | list[ast.stmt]:
        def store(key: ast.expr, value: ast.expr) -> ast.stmt:
            place = ast.Subscript(ast.Name(name, ast.Load()), key, ast.Store())
            return ast.Assign([place], value)

        if isinstance(other, ast.Dict) and None not in other.keys:
            pairs = [(k, v) for k, v in zip(other.keys, other.values, strict=True) if k]
            stmts: list[ast.stmt] = []
            # All of them are evaluated before the first is stored, a key before its value.
            if len(pairs) > 1 or has_effect(other):
                pairs = [(_named(stmts, k), _named(stmts, v)) for k, v in pairs]
            stmts += [store(k, v) for k, v in pairs]
            return [placed(s, node) for s in stmts]
        if isinstance(other, ast.GeneratorExp) and name in names_in(other):
            return node  # it sees what has been stored by its first items
        items = other
        if not isinstance(other, (ast.List, ast.ListComp, ast.GeneratorExp)) and not (
            isinstance(other, ast.Call) and self.ctx.static(other.func, Env()) in (zip, enumerate)
        ):
            items = ast.Call(ast.Attribute(other, "items", ast.Load()), [], [])
        key, value = (f"a {what} in {node.lineno}:{node.col_offset}" for what in ("key", "value"))
        target = ast.Tuple([ast.Name(n, ast.Store()) for n in (key, value)], ast.Store())
        body = [store(ast.Name(key, ast.Load()), ast.Name(value, ast.Load()))]
        return [placed(ast.For(target, items, body, []), node)]


def _named(stmts: list[ast.stmt], value: ast.expr) -> ast.expr:
    """`value`, evaluated by one of `stmts` if later ones could change it."""
    if isinstance(value, ast.Constant):
        return value
    name = part_name(value)
    stmts.append(placed(ast.Assign([ast.Name(name, ast.Store())], value), value))
    return placed(ast.Name(name, ast.Load()), value)


def _makes(node: ast.expr) -> bool:
    """Whether an expression may make something that can change."""
    simple = (ast.Constant, ast.Name, ast.Attribute, ast.UnaryOp, ast.BinOp, ast.Tuple)
    leaves = (ast.expr_context, ast.operator, ast.unaryop)
    return not all(isinstance(n, (*simple, *leaves)) for n in ast.walk(node))
