"""Expressions of a model function, lowered to let statements with types."""

from __future__ import annotations

import ast
from typing import NoReturn

from ..ir import typed as T
from ..ir.types import BOOL, FLOAT, INT, DataRef, ParamsRef, TensorType, TupleType, Type, UnionType
from .base import MISSING
from .comprehensions import ComprehensionLowerer
from .declarations import suggest
from .scope import Env

_INSTEAD = {
    "GeneratorExp": ("a generator", "a list comprehension, `[... for ... in ...]`"),
    "SetComp": ("a set comprehension", "a list comprehension, `[... for ... in ...]`"),
    "DictComp": ("a dict comprehension", "a list comprehension, `[... for ... in ...]`"),
    "Dict": ("a dict", "an @ab.data class with one field per key"),
    "Set": ("a set", "an @ab.data class"),
    "Lambda": ("a lambda", "a function of its own, decorated with @ab.model"),
    "Await": ("`await`", "a plain call"),
    "Yield": ("`yield`", "a result"),
    "YieldFrom": ("`yield`", "a result"),
    "JoinedStr": ("a string", "an int that stands for it"),
    "NamedExpr": ("`:=`", "an assignment of its own"),
    "Starred": ("`*`", "each argument by itself"),
}


class ExpressionLowerer(ComprehensionLowerer):
    """Lowers any expression."""

    # -- expressions ------------------------------------------------------------------------

    def expression(self, node: ast.expr, env: Env) -> T.Atom:
        """The value of `node`; raises Recover when it has an error (which is reported)."""
        match node:
            case ast.Name(name):
                return self.name(node, name, env)
            case ast.Constant(bool() as value):
                return T.Const(value, BOOL)
            case ast.Constant(int() as value):
                if not -(2**63) <= value < 2**63:
                    self.fail("AC002", node, f"{value} does not fit into 64 bits")
                return T.Const(value, INT)
            case ast.Constant(float() as value):
                return T.Const(value, FLOAT)
            case ast.Constant(None):
                return self.let(T.Construct("None", ()), self.builder.declarations.none(), node)
            case ast.Constant(value):
                self.fail(
                    "AC002",
                    node,
                    f"the value {value!r} has no type in the model language",
                    "numbers, truth values, tensors and @ab.data values",
                )
            case ast.Tuple(elements):
                items = tuple(self.expression(e, env) for e in elements)
                return self.let(
                    T.MakeTuple(items), TupleType(tuple(i.type for i in items)), node, "pair"
                )
            case ast.List():
                return self.list_literal(node, env)
            case ast.ListComp():
                return self.comprehension(node, env)
            case ast.BinOp(left, op, right):
                return self.binary(node, left, op, right, env)
            case ast.UnaryOp(op, operand):
                return self.unary(node, op, operand, env)
            case ast.Compare(left, operators, rights):
                return self.compare(node, left, operators, rights, env)
            case ast.BoolOp(op, values):
                return self.boolean(node, op, values, env)
            case ast.IfExp(test, then, orelse):
                return self.conditional(node, test, then, orelse, env)
            case ast.Attribute(value, attr):
                return self.attribute(node, value, attr, env)
            case ast.Subscript(value, index):
                return self.subscript(node, value, index, env)
            case ast.Call():
                return self.call(node, env)
        what, instead = _INSTEAD.get(type(node).__name__, (type(node).__name__.lower(), ""))
        text = what if "not supported" in what else f"{what} is not part of the language"
        self.fail("AC002", node, text, instead)

    def attribute(self, node: ast.Attribute, value: ast.expr, attr: str, env: Env) -> T.Atom:
        found = self.static(node, env)
        if found is not MISSING:
            if isinstance(found, (bool, int, float)):
                if isinstance(found, int) and not -(2**63) <= found < 2**63:
                    self.fail(
                        "AC002", node, f"{ast.unparse(node)} = {found} does not fit into 64 bits"
                    )
                kind = BOOL if isinstance(found, bool) else INT if isinstance(found, int) else FLOAT
                return T.Const(found, kind)
            self.fail("AC002", node, f"{ast.unparse(node)} is not a value a model can use")
        obj = self.expression(value, env)
        if isinstance(obj, T.Var) and obj in env.narrowed:
            fields = env.narrowed[obj]
            if attr in fields:
                return fields[attr]
        match obj.type:
            case ParamsRef(name):
                declared = dict(self.builder.declarations.params[name].fields)
                if attr not in declared:
                    self.unknown_field(node, name, attr, declared)
                assert isinstance(obj, T.Var)
                var = self.let(T.ParamRead(obj, attr), declared[attr], node, attr)
                self.origins[var.number] = f"declared in {name}"
                return var
            case DataRef(name):
                declared = dict(self.builder.declarations.datas[name].fields)
                if attr not in declared:
                    self.unknown_field(node, name, attr, declared)
                assert isinstance(obj, T.Var)
                var = self.let(T.GetField(obj, attr), declared[attr], node, attr)
                self.origins[var.number] = f"declared in {name}"
                return var
            case UnionType():
                self.fail(
                    "AC014",
                    node,
                    f"{ast.unparse(value)} may be any of {obj.type}: which one has {attr!r} is "
                    f"not known here",
                    f"`match {ast.unparse(value)}:` with a case for each",
                )
        if attr == "shape" and isinstance(obj.type, TensorType):
            self.fail(
                "AC002", node, "a shape by itself", f"one of its sizes, `{ast.unparse(node)}[0]`"
            )
        self.fail("AC014", node, f"a {obj.type} has no field {attr!r}")

    def unknown_field(
        self, node: ast.Attribute, owner: str, attr: str, declared: dict[str, Type]
    ) -> NoReturn:
        self.fail(
            "AC014",
            node,
            f"{owner} has no field {attr!r}",
            suggest(attr, declared) or f"its fields are {', '.join(declared) or 'none'}",
        )
