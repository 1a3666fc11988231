"""Arrays of numpy that a function fills item by item, `table = np.zeros((n, m))` and then
`table[i, j] = x`: lists of numbers, lists of such lists, or lists of vectors.

numpy changes an array under all of its names, so it may have one only: it is mentioned to read and
store items, and as an operand (`array_mentions`). Other arrays are left as they are, and refused
where an item is stored.
"""

from __future__ import annotations

import ast

from ..lang import ops
from .array_mentions import METHODS, LocalArray, Made, found_arrays, makes_array
from .context import FunctionContext
from .written import call, placed


def with_local_arrays(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite such arrays of a function as lists."""
    _Apart(ctx).visit(tree)
    for array in found_arrays(ctx, tree):
        _Rewriting(array).visit(tree)


def _name(text: str) -> ast.Name:
    return ast.Name(text, ast.Load())


class _Apart(ast.NodeTransformer):
    """Takes `a, b = np.zeros(n), np.zeros(m)` apart."""

    def __init__(self, ctx: FunctionContext) -> None:
        self.ctx = ctx

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        """Several arrays made in one statement."""
        match node:
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
                pass
            case _:
                return node
        named = all(isinstance(t, ast.Name) for t in targets)
        if not named or not all(makes_array(self.ctx, v) for v in values):
            return node
        pairs = zip(targets, values, strict=True)
        return [ast.copy_location(ast.Assign([t], v), node) for t, v in pairs]


class _Rewriting(ast.NodeTransformer):
    def __init__(self, array: LocalArray) -> None:
        self.array = array
        self.columns = f"the columns of {array.name}"  # a name that no model can have

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        """`table = np.zeros((n, m))`, `table[i, j] = x`."""
        made = self.array.made.get(id(node))
        if made is not None:
            return [placed(s, node) for s in self._made(node.targets[0], made)]
        stored = any(map(self.array.is_stored, node.targets))
        self.generic_visit(node)
        if stored:
            node.value = placed(self._number(node.value), node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        """`table[i, j] += x`."""
        stored = self.array.is_stored(node.target)
        self.generic_visit(node)
        if stored and self.array.kind == "rows":
            # No other name has the row that numpy would change in place.
            assert isinstance(node.target, ast.Subscript)
            at = f"{ast.unparse(node.target.slice)} in {node.lineno}:{node.col_offset}"
            row = ast.Subscript(node.target.value, _name(at), ast.Load())
            place = ast.Subscript(node.target.value, _name(at), ast.Store())
            first = ast.Assign([ast.Name(at, ast.Store())], node.target.slice)
            second = ast.Assign([place], ast.BinOp(row, node.op, node.value))
            return [placed(first, node), placed(second, node)]
        if stored:
            node.value = placed(self._number(node.value), node.value)
        return node

    def _number(self, value: ast.expr) -> ast.expr:
        """`value` as an item has it: of the type of the array's numbers."""
        return value if self.array.kind == "rows" else call(self.array.first.number, value)

    def _made(self, target: ast.expr, made: Made) -> list[ast.stmt]:
        sizes: list[ast.expr] = [self.visit(s) for s in made.sizes]
        if self.array.kind == "rows":
            row: ast.expr = call(ops.zeros, sizes[1])
            if not isinstance(made.fill, ast.Constant) or made.fill.value != 0:
                row = ast.BinOp(row, ast.Add(), made.fill)
        else:
            last = sizes[-1] if self.array.kind == "numbers" else _name(self.columns)
            number = ast.List([self._number(self.visit(made.fill))], ast.Load())
            row = ast.BinOp(number, ast.Mult(), last)
        if self.array.kind == "numbers":
            return [ast.Assign([target], row)]
        each = ast.comprehension(ast.Name("_", ast.Store()), call(range, sizes[0]), [], 0)
        rows = ast.Assign([target], ast.ListComp(row, [each]))
        if self.array.kind == "rows":
            return [rows]
        return [ast.Assign([ast.Name(self.columns, ast.Store())], sizes[1]), rows]

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """`table[i, j]`, `table.shape[0]`."""
        match node:
            case ast.Subscript(ast.Attribute(owner, "shape"), ast.Constant(int() as axis)):
                if self.array.is_array(owner):
                    return placed(self._size(axis), node)
        if not self.array.is_array(node.value):
            return self.generic_visit(node)
        node.slice = self.visit(node.slice)
        match node.slice:
            case ast.Tuple([first, second]):
                row = ast.Subscript(node.value, first, ast.Load())
                return placed(ast.Subscript(row, second, node.ctx), node)
            case ast.Slice():
                return placed(call(ops.stack, node), node)
        return node

    def _size(self, axis: int) -> ast.expr:
        if axis % len(self.array.first.sizes) == 0:
            return call(len, _name(self.array.name))
        return self.array.first.sizes[1] if self.array.kind == "rows" else _name(self.columns)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """`table.shape`."""
        if node.attr == "shape" and self.array.is_array(node.value):
            sizes = [self._size(axis) for axis in range(len(self.array.first.sizes))]
            return placed(ast.Tuple(sizes, ast.Load()), node)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`scores.max()`, `len(scores)`."""
        match node.func:
            case ast.Attribute(owner, "tolist") if self.array.is_array(owner):
                return placed(ast.List([ast.Starred(owner, ast.Load())], ast.Load()), node)
            case ast.Attribute(owner, method) if self.array.is_array(owner):
                return placed(call(METHODS[method], owner), node)
        if self.array.reads_items(node):
            kept = [a if self.array.is_array(a) else self.visit(a) for a in node.args]
            node.args = kept
            node.keywords = [self.visit(k) for k in node.keywords]
            return node
        return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST:
        """`for score in scores:`."""
        return self._over(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        """`[f(score) for score in scores]`."""
        return self._over(node)

    def _over(self, node: ast.For | ast.comprehension) -> ast.AST:
        over = node.iter
        self.generic_visit(node)
        if self.array.is_array(over):
            node.iter = over
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """`x in scores`."""
        right = node.comparators
        self.generic_visit(node)
        if isinstance(node.ops[0], (ast.In, ast.NotIn)) and self.array.is_array(right[0]):
            node.comparators = right
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """The array as an operand."""
        if not self.array.is_array(node) or not isinstance(node.ctx, ast.Load):
            return node
        return placed(call(ops.stack, node), node)
