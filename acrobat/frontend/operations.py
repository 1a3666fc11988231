"""Tensor operations: `ops.<name>(...)`."""

from __future__ import annotations

import ast
import inspect

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.types import FLOAT, INT, TensorType, TupleType
from ..lang import ops as lang_ops
from .scope import Env
from .subscripts import SubscriptLowerer


class OperationLowerer(SubscriptLowerer):
    """Adds tensor operations."""

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
                if index.type != INT:
                    self.fail("AC010", node, f"one_hot needs an int, got {index.type}")
                # A row of the identity matrix, which becomes a weight of its own.
                table = self.tensor_op("eye", node, [], (("n", n),))
                row: list[tuple[ast.AST, T.Atom]] = [(node, table), (given["index"], index)]
                return self.tensor_op("lookup", node, row)
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
        given = self.operands(node, "split")
        x, n = self.expression(given["x"], env), self.literal(given["n"])
        if not isinstance(x.type, TensorType) or len(x.type.dims) not in (1, 2):
            self.fail("AC010", given["x"], f"split needs a vector or a matrix, got {x.type}")
        if n is None or n < 1:
            self.fail(
                "AC024", given["n"], "the number of parts is a number written out, at least 1"
            )
        total = x.type.dims[-1]
        part = total.divide(n)
        if part is None:
            self.fail(
                "AC024",
                node,
                f"split of {x.type} into {n} parts: {n} does not divide {total}",
                "slices of the lengths you mean",
                self.origin_notes((given["x"], x)),
            )
        axis: tuple[tuple[str, T.AttrValue], ...] = (("axis", 1),) if len(x.type.dims) > 1 else ()
        parts = tuple(
            self.tensor_op(
                "slice",
                node,
                [(given["x"], x)],
                (*axis, ("start", part.scale(i)), ("stop", part.scale(i + 1))),
            )
            for i in range(n)
        )
        return self.let(T.MakeTuple(parts), TupleType(tuple(p.type for p in parts)), node, "parts")
