"""Short forms of Python's, written out: `next((x for x in xs if c), None)`, `a, b = zip(*pairs)`,
`"%d" % n`, `"{}".format(n)`, `s.a, s.b = x, y`, `(xs if c else ys).append(x)`, `x in (a, *xs)`, and
`_` for what is not read, whatever it is."""

from __future__ import annotations

import ast
import copy
import re
from dataclasses import dataclass

from .constructs.evaluation_order import loops
from .context import FunctionContext
from .fields_apart import apart
from .format_strings import as_f_string
from .scope import Env
from .syntax import names_bound, names_in
from .written import call, placed

_ITERATORS = (filter, map, zip, enumerate, reversed)
# A percent sign, or flags, width, precision and type.
_FORMAT = re.compile(r"%(?:(%)|([-+0 ]*)(\d*)(\.\d+)?([dsrfegx]))")


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
        """`next((x for x in xs if c), default)`, `next(iter(xs))`, `next(filter(f, xs))`,
        `"{}".format(x)`."""
        self.generic_visit(node)
        formatted = as_f_string(node)
        if formatted is not None:
            return formatted
        match node:
            case ast.Call(_, [ast.GeneratorExp(item, generators) as items, *default], []):
                # Of all items, as here, `:=` would bind the last.
                if len(default) < 2 and not names_bound(items) and self._calls(node, next):
                    return self._first(node, ast.ListComp(item, generators), default)
            case ast.Call(_, [ast.Call(_, [items, *more], _) as made, *default], []):
                alone = not more and not made.keywords and self._calls(made, iter)
                others = any(self._calls(made, f) for f in _ITERATORS)
                if len(default) < 2 and self._calls(node, next) and (alone or others):
                    one = ast.Name(f"the item in {node.lineno}:{node.col_offset}", ast.Store())
                    whole = ast.comprehension(one, items if alone else made, [], 0)
                    all_of = ast.ListComp(ast.Name(one.id, ast.Load()), [whole])
                    return self._first(node, all_of, default)
        return node

    def _first(self, node: ast.Call, items: ast.expr, default: list[ast.expr]) -> ast.expr:
        zero = ast.Constant(0)
        if not default:  # an error if there is none, as in Python
            return placed(ast.Subscript(items, zero, ast.Load()), node)
        name = f"the items in {node.lineno}:{node.col_offset}"
        some = ast.NamedExpr(ast.Name(name, ast.Store()), items)
        first = ast.Subscript(ast.Name(name, ast.Load()), zero, ast.Load())
        return placed(ast.IfExp(some, first, default[0]), node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """`(xs if c else ys).append(x)`."""
        self.generic_visit(node)
        match node.value:
            case ast.Call(ast.Attribute(ast.IfExp(test, a, b), name), args, keywords):
                calls = [
                    ast.Call(
                        ast.Attribute(owner, name, ast.Load()), *copy.deepcopy((args, keywords))
                    )
                    for owner in (a, b)
                ]
                body, orelse = (placed(ast.Expr(made), node.value) for made in calls)
                return placed(ast.If(test, [body], [orelse]), node)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """`x in (a, *xs)`: `x == a or x in xs`, for which `xs` needs no order."""
        self.generic_visit(node)
        match node:
            case ast.Compare(ast.Name(), [op], [ast.Tuple(every) | ast.List(every)]):
                pass
            case _:
                return node
        values = [e.value if isinstance(e, ast.Starred) else e for e in every]
        simple = (ast.Name, ast.Attribute, ast.Constant, ast.Load)  # which cannot fail
        if values == every or not isinstance(op, (ast.In, ast.NotIn)):
            return node
        if not all(isinstance(n, simple) for v in values for n in ast.walk(v)):
            return node
        tests: list[ast.expr] = [
            ast.Compare(node.left, [ast.In()], [v if v is not e else ast.Tuple([v], ast.Load())])
            for e, v in zip(every, values, strict=True)
        ]
        found: ast.expr = ast.BoolOp(ast.Or(), tests) if len(tests) > 1 else tests[0]
        if isinstance(op, ast.NotIn):
            found = ast.UnaryOp(ast.Not(), found)
        return placed(copy.deepcopy(found), node)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        """`{n if n > 1 else ""}`: the text of one of them."""
        self.generic_visit(node)
        match node:
            case ast.FormattedValue(ast.IfExp(test, body, orelse), -1, None):
                each = [placed(ast.JoinedStr([_text(v)]), v) for v in (body, orelse)]
                node.value = placed(ast.IfExp(test, *each), node.value)
        return node

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
                new = _formatted(values.pop(0), *part.groups("")[1:])
                if new is None:
                    return node
                found.append(new)
        found.append(ast.Constant(text[end:]))
        some = [f for f in found if not isinstance(f, ast.Constant) or f.value != ""]
        return placed(ast.JoinedStr(some), node)

    def visit_Return(self, node: ast.Return) -> ast.AST | list[ast.stmt]:
        """`return next((x for x in xs if c), default)`."""
        search = self._search(node.value)
        if search is None:
            return self.generic_visit(node)
        items, default = search
        first, default = _first_of_all(node, default)
        loop = loops(items.generators, [ast.Return(items.elt)])
        return self._written([*first, loop, ast.Return(default)], node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        """`x = next((y for y in ys if c), default)`, `a, b = zip(*pairs)`, `s.a, s.b = x, y`."""
        search = self._search(node.value)
        if search is not None and len(search[0].generators) == 1:
            items, default = search
            match node.targets:
                case [ast.Name(name)] if name not in names_in(items):
                    last: list[ast.stmt] = []
                case _:
                    name = f"the item in {node.lineno}:{node.col_offset}"
                    last = [node]
                    node.value = ast.copy_location(ast.Name(name, ast.Load()), node.value)
            start = ast.Assign([ast.Name(name, ast.Store())], default)
            found = ast.Assign([ast.Name(name, ast.Store())], items.elt)
            loop = loops(items.generators, [found, ast.Break()])
            return self._written([start, loop, *last], node)
        self.generic_visit(node)
        match node:
            case ast.Assign([ast.Tuple(targets)], ast.Call(_, [ast.Starred(pairs)], [])):
                if self._calls(node.value, zip) and not any(map(_is_starred, targets)):
                    return self._columns(node, targets, pairs)
        return apart(node) or node

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
            stmts.append(ast.Assign([target], call(tuple, column)))
        return [placed(s, node) for s in stmts]


def _text(value: ast.expr) -> ast.expr:
    if isinstance(value, ast.Constant) and isinstance(value.value, (str, bool, type(None))):
        return placed(ast.Constant(str(value.value)), value)
    return placed(ast.FormattedValue(value, -1, None), value)


def _is_starred(node: ast.expr) -> bool:
    return isinstance(node, ast.Starred)


def _first_of_all(node: ast.stmt, value: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
    """What is evaluated before a search, although it may not be needed: calls may do something."""
    if not any(isinstance(n, (ast.Call, ast.NamedExpr)) for n in ast.walk(value)):
        return [], value
    name = f"the default in {node.lineno}:{node.col_offset}"
    first = ast.Assign([ast.Name(name, ast.Store())], value)
    return [first], placed(ast.Name(name, ast.Load()), value)


def _formatted(
    value: ast.expr, flags: str, width: str, digits: str, kind: str
) -> ast.FormattedValue | None:
    """The part of an f-string for a value that `%` would format; None if there is none."""
    if kind in "sr":
        if digits or flags.strip("-") or (kind == "r" and width):
            return None
        side = "<" if flags else ">"
        spec = f"{side}{width}" if width else ""
        value = call(str, value) if width else value
    elif kind in "dx" and digits:
        return None
    else:
        digits = digits or (".6" if kind in "fe" else "")
        side = "<" if "-" in flags else ""
        zero = "0" if "0" in flags and not side and width else ""
        sign = "+" if "+" in flags else " " if " " in flags else ""
        spec = f"{side}{sign}{zero}{width}{digits}{kind}"
        value = call(int, value) if kind == "d" else value
    text = ast.JoinedStr([ast.Constant(spec)]) if spec else None
    # `%s` is `str(value)`, whatever `__format__` the value has.
    conversion = ord(kind) if kind == "r" or (kind == "s" and not width) else -1
    return ast.FormattedValue(value, conversion, text)
