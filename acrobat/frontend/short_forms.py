"""Short forms of Python's, written out: `next((x for x in xs if c), None)`, `a, b = zip(*pairs)`,
`"%d" % n`, `s.a, s.b = x, y`, and `_` for what is not read, whatever it is."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from .constructs.evaluation_order import loops
from .context import FunctionContext
from .scope import Env
from .written import call, placed

_FORMAT = re.compile(r"%(?:(%)|(\.\d+)?(f)|([dsr]))")


def with_short_forms(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite such forms in a function."""
    read = any(
        isinstance(n, ast.Name) and n.id == "_" and not isinstance(n.ctx, ast.Store)
        for n in ast.walk(tree)
    )
    _Forms(ctx, not read).visit(tree)


@dataclass(slots=True)
class _Forms(ast.NodeTransformer):
    ctx: FunctionContext
    discards: bool  # whether `_` is never read

    def _calls(self, node: ast.expr, function: object) -> bool:
        return isinstance(node, ast.Call) and self.ctx.static(node.func, Env()) is function

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """`_`: a name of its own each time, so that it may be of any type."""
        if self.discards and node.id == "_":
            node.id = f"_ in {node.lineno}:{node.col_offset}"
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`next((x for x in xs if c), default)`."""
        self.generic_visit(node)
        match node:
            case ast.Call(_, [ast.GeneratorExp(item, generators), *default], []):
                if len(default) < 2 and self._calls(node, next):
                    return self._first(node, ast.ListComp(item, generators), default)
        return node

    def _first(self, node: ast.Call, items: ast.expr, default: list[ast.expr]) -> ast.expr:
        zero = ast.Constant(0)
        if not default:  # an error if there is none, as in Python
            return placed(ast.Subscript(items, zero, ast.Load()), node)
        name = f"the items in {node.lineno}:{node.col_offset}"
        some = ast.NamedExpr(ast.Name(name, ast.Store()), items)
        first = ast.Subscript(ast.Name(name, ast.Load()), zero, ast.Load())
        return placed(ast.IfExp(some, first, default[0]), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """`"%d of %s" % (n, name)`."""
        self.generic_visit(node)
        match node:
            case ast.BinOp(ast.Constant(str(text)), ast.Mod(), right):
                pass
            case _:
                return node
        values = list(right.elts) if isinstance(right, ast.Tuple) else [right]
        parts = list(_FORMAT.finditer(text))
        if text.count("%") != sum(2 if p[1] else 1 for p in parts):
            return node
        if sum(1 for p in parts if not p[1]) != len(values):
            return node
        found: list[ast.expr] = []
        end = 0
        for part in parts:
            found.append(ast.Constant(text[end : part.start()] + (part[1] or "")))
            end = part.end()
            if not part[1]:
                found.append(_formatted(values.pop(0), part[2], part[3] or part[4]))
        found.append(ast.Constant(text[end:]))
        some = [f for f in found if not isinstance(f, ast.Constant) or f.value != ""]
        return placed(ast.JoinedStr(some), node)

    def visit_Return(self, node: ast.Return) -> ast.AST | list[ast.stmt]:
        """`return next((x for x in xs if c), default)`."""
        search = self._search(node.value)
        if search is None:
            return self.generic_visit(node)
        items, default = search
        loop = loops(items.generators, [ast.Return(items.elt)])
        return self._written([loop, ast.Return(default)], node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        """`x = next((y for y in ys if c), default)`, `a, b = zip(*pairs)`, `s.a, s.b = x, y`."""
        search = self._search(node.value)
        if search is not None and len(search[0].generators) == 1:
            items, default = search
            name = f"the item in {node.lineno}:{node.col_offset}"
            found = [ast.Assign([ast.Name(name, ast.Store())], items.elt), ast.Break()]
            loop = loops(items.generators, found)
            loop.orelse = [ast.Assign([ast.Name(name, ast.Store())], default)]
            node.value = ast.copy_location(ast.Name(name, ast.Load()), node.value)
            return self._written([loop, node], node)
        self.generic_visit(node)
        match node:
            case ast.Assign([ast.Tuple(targets)], ast.Call(_, [ast.Starred(pairs)], [])):
                if self._calls(node.value, zip) and not any(map(_is_starred, targets)):
                    return self._columns(node, targets, pairs)
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
                starred = any(map(_is_starred, (*targets, *values)))
                if any(isinstance(t, ast.Attribute) for t in targets) and not starred:
                    return _one_by_one(node, targets, values)
        return node

    def _search(self, node: ast.expr | None) -> tuple[ast.GeneratorExp, ast.expr] | None:
        """The items and the default of such a call, for a loop that ends at the first item."""
        match node:
            case ast.Call(_, [ast.GeneratorExp() as items, default], []):
                return (items, default) if self._calls(node, next) else None
        return None

    def _written(self, stmts: list[ast.stmt], node: ast.stmt) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for stmt in stmts:
            new = self.visit(placed(stmt, node))
            found += new if isinstance(new, list) else [new]
        return found

    def _columns(
        self, node: ast.Assign, targets: list[ast.expr], pairs: ast.expr
    ) -> list[ast.stmt]:
        """A list for each part of the pairs. Without pairs it is an error, as in Python."""
        name, part = (f"{w} in {node.lineno}:{node.col_offset}" for w in ("the pairs", "a part"))
        message = f"not enough values to unpack (expected {len(targets)}, got 0)"
        missing = ast.Raise(call(ValueError, ast.Constant(message)))
        empty = ast.Compare(call(len, ast.Name(name, ast.Load())), [ast.Eq()], [ast.Constant(0)])
        stmts: list[ast.stmt] = [
            ast.Assign([ast.Name(name, ast.Store())], pairs),
            ast.If(empty, [missing], []),
        ]
        for i, target in enumerate(targets):
            parts = [ast.Name(f"{part} {k}", ast.Store()) for k in range(len(targets))]
            source = ast.Name(name, ast.Load())
            each = ast.comprehension(ast.Tuple([*parts], ast.Store()), source, [], 0)
            column = ast.ListComp(ast.Name(parts[i].id, ast.Load()), [each])
            stmts.append(ast.Assign([target], column))
        return [placed(s, node) for s in stmts]


def _one_by_one(
    node: ast.Assign, targets: list[ast.expr], values: list[ast.expr]
) -> list[ast.stmt]:
    names = [f"a part in {v.lineno}:{v.col_offset}" for v in values]
    stmts: list[ast.stmt] = [
        ast.Assign([ast.Name(n, ast.Store())], v) for n, v in zip(names, values, strict=True)
    ]
    for target, name in zip(targets, names, strict=True):
        stmts.append(ast.Assign([target], ast.Name(name, ast.Load())))
    return [placed(s, node) for s in stmts]


def _is_starred(node: ast.expr) -> bool:
    return isinstance(node, ast.Starred)


def _formatted(value: ast.expr, digits: str | None, kind: str) -> ast.FormattedValue:
    if kind == "f":
        spec = ast.JoinedStr([ast.Constant(f"{digits or '.6'}f")])
        return ast.FormattedValue(value, -1, spec)
    if kind == "d":
        value = call(int, value)
    return ast.FormattedValue(value, ord("r") if kind == "r" else -1, None)
