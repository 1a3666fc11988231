"""Parts of values, `x[...]`, and sizes that are known when a model is compiled."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.types import INT, ListType, TensorType, TupleType
from .operators import OperatorLowerer
from .scope import Env, Size


class SubscriptLowerer(OperatorLowerer):
    """Adds subscripts."""

    def subscript(self, node: ast.Subscript, value: ast.expr, index: ast.expr, env: Env) -> T.Atom:
        """`x[...]` of a tuple, a list or a tensor."""
        if isinstance(value, ast.Attribute) and value.attr == "shape":
            return self.size(node, env)
        obj = self.peek(value, env)
        if isinstance(obj.type, TupleType) and isinstance(obj, T.Var):
            at = self.literal(index)
            if at is None or not -len(obj.type.items) <= at < len(obj.type.items):
                self.fail(
                    "AC002",
                    index,
                    f"an item of {obj.type} is chosen by a number from 0 to "
                    f"{len(obj.type.items) - 1} written out",
                )
            at %= len(obj.type.items)
            return self.let(T.GetItem(obj, at), obj.type.items[at], node, "part")
        if isinstance(obj.type, ListType):
            return self.list_item(node, obj, index, env)
        if not isinstance(obj.type, TensorType):
            self.fail("AC027", node, f"a {obj.type} has no items", "a tuple, a list or a tensor")
        if isinstance(index, ast.Slice):
            return self.slice(node, value, obj, index, 0, env)
        if isinstance(index, ast.Tuple):
            return self.columns(node, value, obj, index, env)
        if not obj.type.dims:
            self.fail("AC027", node, f"a {obj.type} has no items", "`ops.item(x)` for its number")
        row = self.expression(index, env)
        if row.type != INT:
            self.fail(
                "AC017",
                index,
                f"a row of {ast.unparse(value)} is chosen by an int, this is {row.type}",
                "an int field of the instance",
            )
        return self.tensor_op("lookup", node, [(value, obj), (index, row)])

    def size(self, node: ast.Subscript, env: Env) -> T.Const:
        """`x.shape[i]` as an int: a number only if the hint has one."""
        dim = self.dimension(node, env)
        if dim is None:
            self.fail("AC002", node, f"{ast.unparse(node)} is no size", "`x.shape[0]` of a tensor")
        if dim.known is None:
            self.size_as_value(node, dim)
        return T.Const(dim.known, INT)

    def list_item(self, node: ast.Subscript, items: T.Atom, index: ast.expr, env: Env) -> T.Var:
        """`xs[i]` or `xs[a:b]` of a list."""
        raise NotImplementedError

    def columns(
        self, node: ast.Subscript, value: ast.expr, obj: T.Atom, index: ast.Tuple, env: Env
    ) -> T.Var:
        """`x[:, a:b]`."""
        assert isinstance(obj.type, TensorType)
        match index.elts:
            case [ast.Slice(None, None, None), ast.Slice() as columns] if len(obj.type.dims) == 2:
                return self.slice(node, value, obj, columns, 1, env)
        self.fail(
            "AC002",
            node,
            f"this way to take a part of {obj.type} is not part of the language",
            "`x[a:b]` for rows, `x[:, a:b]` for columns, `x[i]` for a row",
        )

    def slice(
        self,
        node: ast.Subscript,
        value: ast.expr,
        obj: T.Atom,
        index: ast.Slice,
        axis: int,
        env: Env,
    ) -> T.Var:
        """Elements, rows or columns a to b."""
        assert isinstance(obj.type, TensorType)
        if index.step is not None:
            self.fail("AC002", index, "a slice with a step is not supported yet")
        if len(obj.type.dims) not in (1, 2):
            self.fail("AC002", node, f"a slice of {obj.type}", "slice a vector or a matrix")
        total = obj.type.dims[axis]
        bounds: list[Dim] = []
        for part, default in ((index.lower, Dim.of(0)), (index.upper, total)):
            if part is None:
                bounds.append(default)
                continue
            number = self.dimension(part, env)
            if number is None:
                self.fail(
                    "AC002",
                    part,
                    "the bounds of a slice are numbers known when the model is compiled",
                    "a number, or `ops.split(x, n)` for equal parts",
                )
            known = number.known
            bounds.append(total + number if known is not None and known < 0 else number)
        attrs: tuple[tuple[str, T.AttrValue], ...] = (("start", bounds[0]), ("stop", bounds[1]))
        if len(obj.type.dims) > 1:
            attrs = (("axis", axis), *attrs)
        return self.tensor_op("slice", node, [(value, obj)], attrs)

    def dimension(self, node: ast.expr, env: Env) -> Dim | None:
        """A size that is known when the model is compiled: a number, `x.shape[i]`, and sums and
        multiples of these; None if `node` is none."""
        number = self.literal(node)
        if number is not None:
            return Dim.of(number)
        match node:
            case ast.Name(name):
                match env.names.get(name):
                    case Size(dim):
                        return dim
                    case T.Const(int() as value) as const if const.type == INT:
                        return Dim.of(value)
                return None
            case ast.Subscript(ast.Attribute(value, "shape"), index):
                axis, x = self.literal(index), self.expression(value, env)
                if axis is None or not isinstance(x.type, TensorType):
                    return None
                if not -len(x.type.dims) <= axis < len(x.type.dims):
                    self.fail("AC010", node, f"{x.type} has no axis {axis}")
                return x.type.dims[axis]
            case ast.BinOp(left, ast.Add() | ast.Sub() as op, right):
                a, b = self.dimension(left, env), self.dimension(right, env)
                if a is None or b is None:
                    return None
                return a + b if isinstance(op, ast.Add) else a - b
            case ast.BinOp(left, ast.Mult(), right):
                a, b = self.dimension(left, env), self.dimension(right, env)
                if a is None or b is None:
                    return None
                if a.known is not None:
                    return b.scale(a.known)
                return None if b.known is None else a.scale(b.known)
            case ast.BinOp(left, ast.FloorDiv(), right):
                a, by = self.dimension(left, env), self.literal(right)
                return None if a is None or by is None else a.divide(by)
        return None

    def named_size(self, node: ast.expr, env: Env) -> Size | None:
        """What `n` stands for behind `n = x.shape[0] + 1`, if `node` is such a size."""
        reads = [n for n in ast.walk(node) if isinstance(n, (ast.Attribute, ast.Name))]
        if not any(
            n.attr == "shape"
            if isinstance(n, ast.Attribute)
            else isinstance(env.names.get(n.id), Size)
            for n in reads
        ):
            return None
        dim = self.dimension(node, env)
        return None if dim is None or dim.known is not None else Size(dim)

    def literal(self, node: ast.expr) -> int | None:
        """The value of an int written out or named by the module, else None."""
        match node:
            case ast.Constant(int() as value) if not isinstance(value, bool):
                return value
            case ast.UnaryOp(ast.USub(), ast.Constant(int() as value)):
                return -value
            case ast.Name() | ast.Attribute():
                found = self.static(node, Env())
                return found if isinstance(found, int) and not isinstance(found, bool) else None
        return None
