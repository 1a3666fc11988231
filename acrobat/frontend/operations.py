"""Tensor operations: `ops.<name>(...)`, slices and items of tensors."""

from __future__ import annotations

import ast
import inspect

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.types import FLOAT, INT, ListType, TensorType, TupleType
from ..lang import ops as lang_ops
from .operators import OperatorLowerer
from .scope import Env


class OperationLowerer(OperatorLowerer):
    """Adds tensor operations."""

    def subscript(self, node: ast.Subscript, value: ast.expr, index: ast.expr, env: Env) -> T.Atom:
        """`x[...]` of a tuple, a list or a tensor."""
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

    def literal(self, node: ast.expr) -> int | None:
        """The value of an int written out or named by the module, else None."""
        match node:
            case ast.Constant(int() as value):
                return value
            case ast.UnaryOp(ast.USub(), ast.Constant(int() as value)):
                return -value
            case ast.Name() | ast.Attribute():
                found = self.static(node, Env())
                return found if isinstance(found, int) and not isinstance(found, bool) else None
        return None

    def operation(self, node: ast.Call, name: str, env: Env) -> T.Atom:
        """`ops.<name>(...)`."""
        if name == "split":
            return self.split(node, env)
        given = self.operands(node, name)
        attrs: tuple[tuple[str, T.AttrValue], ...] = ()
        match name:
            case "zeros":
                attrs = (("shape", self.dimensions(node.args, env)),)
                return self.tensor_op("zeros", node, [], attrs)
            case "reshape":
                if not node.args:
                    self.fail("AC016", node, "ops.reshape takes a tensor and dimensions")
                x = self.expression(node.args[0], env)
                attrs = (("shape", self.dimensions(node.args[1:], env)),)
                return self.tensor_op("reshape", node, [(node.args[0], x)], attrs)
            case "one_hot":
                index = self.expression(given["index"], env)
                n = self.dimensions([given["n"]], env)[0]
                return self.tensor_op("one_hot", node, [(given["index"], index)], (("n", n),))
            case "attention":
                heads = self.dimensions([given["heads"]], env)[0]
                parts = [(given[n], self.expression(given[n], env)) for n in ("q", "k", "v")]
                return self.tensor_op("attention", node, list(parts), (("heads", heads),))
            case "item" | "argmax":
                return self.decision(node, name, given["x"], env)
        if "axis" in given:
            attrs = self.axis(given.pop("axis"), name)
        if name in ("concat", "stack"):
            given = {str(i): a for i, a in enumerate(node.args)}
        operands: list[tuple[ast.AST, T.Atom]] = [
            (n, self.expression(n, env)) for n in given.values()
        ]
        return self.tensor_op(name, node, operands, attrs)

    def operands(self, node: ast.Call, name: str) -> dict[str, ast.expr]:
        """The arguments by name, in the order of the operation's parameters."""
        parameters = inspect.signature(getattr(lang_ops, name)).parameters
        kinds = [p.kind for p in parameters.values()]
        if inspect.Parameter.VAR_POSITIONAL in kinds:
            if not node.args and name in ("concat", "stack"):
                self.fail("AC016", node, f"ops.{name} takes 1 to 99 operands, got 0")
            names: list[str] = []
        else:
            names = list(parameters)
        low = sum(p.default is p.empty for n, p in parameters.items() if n in names)
        given = dict(zip(names, node.args, strict=False))
        for keyword in node.keywords:
            assert keyword.arg is not None
            if keyword.arg not in parameters or keyword.arg in given:
                self.fail(
                    "AC016",
                    keyword.value,
                    f"ops.{name} does not take {keyword.arg!r} here",
                    f"ops.{name}({', '.join(map(str, parameters))})",
                )
            given[keyword.arg] = keyword.value
        missing = [n for n in names[:low] if n not in given]
        if names and (len(node.args) > len(names) or missing):
            wants = str(low) if low == len(names) else f"{low} to {len(names)}"
            got = len(node.args) + len(node.keywords)
            self.fail("AC016", node, f"ops.{name} takes {wants} operands, got {got}")
        return {n: given[n] for n in parameters if n in given}

    def axis(self, node: ast.expr, name: str) -> tuple[tuple[str, T.AttrValue], ...]:
        """The axis of a reduction or a concatenation."""
        if isinstance(node, ast.Constant) and node.value is None and name != "concat":
            return ()
        number = self.literal(node)
        if number not in (0, -1):
            self.fail("AC017", node, f"the axis of ops.{name} is 0 or -1, written out")
        return () if name == "concat" and number == -1 else (("axis", number),)

    def dimensions(self, nodes: list[ast.expr], env: Env) -> tuple[Dim, ...]:
        """Sizes that are known when the model is compiled."""
        found: list[Dim] = []
        for node in nodes:
            dim = self.dimension(node, env)
            if dim is None:
                self.fail(
                    "AC002",
                    node,
                    "a dimension is known when the model is compiled",
                    "a number, or the size of a weight: `p.w.shape[0]`",
                )
            found.append(dim)
        return tuple(found)

    def decision(self, node: ast.Call, name: str, argument: ast.expr, env: Env) -> T.Var:
        """A number that the control flow may depend on."""
        x = self.expression(argument, env)
        if not isinstance(x.type, TensorType) or not isinstance(x, T.Var):
            self.fail("AC017", argument, f"ops.{name} needs a tensor, got {x.type}")
        if name == "argmax":
            place = self.tensor_op("argmax", node, [(argument, x)])
            return self.let(T.Read(place), INT, node, "choice")
        if any(d != Dim.of(1) for d in x.type.dims):
            self.fail(
                "AC010",
                node,
                f"ops.item needs a tensor of one element, got {x.type}",
                "one of its elements, `x[0]`, or a reduction, `ops.sum(x)`",
                self.origin_notes((argument, x)),
            )
        return self.let(T.Read(x), FLOAT, node, "number")

    def split(self, node: ast.Call, env: Env) -> T.Var:
        if len(node.args) != 2:
            self.fail(
                "AC016",
                node,
                f"ops.split takes 2 arguments, got {len(node.args)}",
                "ops.split(x, n)",
            )
        x, n = self.expression(node.args[0], env), self.literal(node.args[1])
        if not isinstance(x.type, TensorType) or len(x.type.dims) not in (1, 2):
            self.fail("AC010", node.args[0], f"split needs a vector or a matrix, got {x.type}")
        if n is None or n < 1:
            self.fail(
                "AC024", node.args[1], "the number of parts is a number written out, at least 1"
            )
        total = x.type.dims[-1]
        part = total.divide(n)
        if part is None:
            self.fail(
                "AC024",
                node,
                f"split of {x.type} into {n} parts: {n} does not divide {total}",
                "slices of the lengths you mean",
                self.origin_notes((node.args[0], x)),
            )
        axis: tuple[tuple[str, T.AttrValue], ...] = (("axis", 1),) if len(x.type.dims) > 1 else ()
        parts = tuple(
            self.tensor_op(
                "slice",
                node,
                [(node.args[0], x)],
                (*axis, ("start", part.scale(i)), ("stop", part.scale(i + 1))),
            )
            for i in range(n)
        )
        return self.let(T.MakeTuple(parts), TupleType(tuple(p.type for p in parts)), node, "parts")
