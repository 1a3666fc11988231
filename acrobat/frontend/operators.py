"""Operators: arithmetic, comparisons, truth values, conditional expressions."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    ListType,
    TensorType,
    Type,
    UnionType,
    join,
    run_time_value,
)
from .base import Lowerer
from .scope import Env

BINARY: dict[type[ast.operator], tuple[str, str | None]] = {
    # Python operator -> (scalar operation, tensor operation)
    ast.Add: ("+", "add"),
    ast.Sub: ("-", "sub"),
    ast.Mult: ("*", "mul"),
    ast.Div: ("/", "div"),
    ast.FloorDiv: ("//", None),
    ast.Mod: ("%", None),
}
COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


# What may fail, wait or not end.
_NOT_ALWAYS = (ast.Call, ast.Div, ast.FloorDiv, ast.Mod, ast.Subscript)


def has_none(t: Type) -> bool:
    """Whether None is a value of `t`."""
    return t == NONE or (isinstance(t, UnionType) and "None" in t.members)


class OperatorLowerer(Lowerer):
    """Adds operators."""

    def binary(
        self, node: ast.AST, left: ast.expr, op: ast.operator, right: ast.expr, env: Env
    ) -> T.Atom:
        a, b = self.expression(left, env), self.expression(right, env)
        tensors = [isinstance(x.type, TensorType) for x in (a, b)]
        if isinstance(op, ast.MatMult):
            return self.tensor_op("matmul", node, [(left, a), (right, b)])
        if type(op) not in BINARY:
            self.fail("AC027", node, f"the operator `{_symbol(op)}` is not part of the language")
        scalar, tensor = BINARY[type(op)]
        if any(tensors):
            if tensor is None:
                self.fail("AC027", node, f"the operator `{scalar}` does not work on tensors")
            return self.tensor_op(tensor, node, [(left, a), (right, b)])
        if isinstance(a.type, ListType) and isinstance(b.type, ListType) and scalar == "+":
            both = join(a.type, b.type)
            if both is None:
                self.fail("AC027", node, f"`+` of {a.type} and {b.type}", "lists of one type")
            return self.let(T.ListOp("concat", (a, b)), both, node, "items")
        numbers = (INT, FLOAT)
        if a.type not in numbers or b.type not in numbers:
            self.fail(
                "AC027",
                node,
                f"`{scalar}` of {a.type} and {b.type}",
                "numbers or tensors of the same shape",
                self.origin_notes((left, a), (right, b)),
            )
        t = FLOAT if scalar == "/" or FLOAT in (a.type, b.type) else INT
        return self.let(T.Scalar(scalar, (a, b)), t, node, "n")

    def unary(self, node: ast.AST, op: ast.unaryop, operand: ast.expr, env: Env) -> T.Atom:
        a = self.expression(operand, env)
        if isinstance(op, ast.Not):
            if a.type != BOOL:
                self.fail("AC018", operand, f"`not` of a {a.type}", "compare it, such as `n > 0`")
            return self.let(T.Scalar("not", (a,)), BOOL, node, "b")
        if isinstance(op, ast.USub):
            if isinstance(a.type, TensorType):
                return self.tensor_op("neg", node, [(operand, a)])
            if isinstance(a, T.Const) and a.type in (INT, FLOAT):
                return T.Const(-a.value, a.type)
            if a.type in (INT, FLOAT):
                return self.let(T.Scalar("neg", (a,)), a.type, node, "n")
        self.fail("AC027", node, f"`{_symbol(op)}` of a {a.type}", "a number or a tensor")

    def compare(
        self,
        node: ast.AST,
        left: ast.expr,
        operators: list[ast.cmpop],
        rights: list[ast.expr],
        env: Env,
    ) -> T.Atom:
        if len(operators) > 1:
            # a < b < c: b once, c only if a < b holds; without side effects: `a < b and b < c`.
            pairs = zip([left, *rights], operators, rights, strict=False)
            parts: list[ast.expr] = [
                ast.copy_location(ast.Compare(a, [op], [b]), node) for a, op, b in pairs
            ]
            return self.boolean(node, ast.And(), parts, env)
        if isinstance(operators[0], (ast.Is, ast.IsNot)):
            return self.is_none(node, left, operators[0], rights[0], env)
        if type(operators[0]) not in COMPARE:
            self.fail(
                "AC002",
                node,
                f"`{_symbol(operators[0])}` is not part of the language",
                "`==`, `<` and the like on numbers; `match` on data",
            )
        a, b = self.expression(left, env), self.expression(rights[0], env)
        for side, atom in ((left, a), (rights[0], b)):
            if isinstance(atom.type, TensorType):
                self.fail(
                    "AC018",
                    side,
                    f"a comparison of a {atom.type}: a decision needs a number",
                    f"`ops.item({ast.unparse(side)})`, or `ops.less` and `ops.where` on tensors",
                )
        numbers = (INT, FLOAT)
        same_bool = a.type == b.type == BOOL
        if not same_bool and (a.type not in numbers or b.type not in numbers):
            self.fail("AC027", node, f"a comparison of {a.type} and {b.type}", "compare numbers")
        return self.let(T.Scalar(COMPARE[type(operators[0])], (a, b)), BOOL, node, "b")

    def is_none(
        self, node: ast.AST, left: ast.expr, op: ast.cmpop, right: ast.expr, env: Env
    ) -> T.Atom:
        """`x is None`, `x is not None`."""
        value = self.expression(left, env)
        none = isinstance(right, ast.Constant) and right.value is None
        if not none or not isinstance(value, T.Var) or not has_none(value.type):
            self.fail(
                "AC002",
                node,
                f"`{_symbol(op)}` is for comparing an Optional value with None",
                "`==` on numbers; `match` on data",
            )
        test = self.let(T.Scalar("is_none", (value,)), BOOL, node, "b")
        if isinstance(op, ast.IsNot):
            return self.let(T.Scalar("not", (test,)), BOOL, node, "b")
        return test

    def boolean(self, node: ast.AST, op: ast.boolop, values: list[ast.expr], env: Env) -> T.Atom:
        """`and`, `or`: what follows is evaluated only where it decides, if that can be told apart
        (a call, a division, an item of a list)."""
        first, *rest = values
        result = self._truth(first, env)
        for value in rest:
            name = "and" if isinstance(op, ast.And) else "or"
            if not any(isinstance(n, _NOT_ALWAYS) for n in ast.walk(value)):
                atom = self._truth(value, env)
                result = self.let(T.Scalar(name, (result, atom)), BOOL, node, "b")
                continue
            outer, self.stmts = self.stmts, []
            try:
                atom = self._truth(value, env)
                evaluated = T.Region(tuple(self.stmts), T.Yield((atom,)))
            finally:
                self.stmts = outer
            known = T.Region((), T.Yield((T.Const(name == "or", BOOL),)))
            out = T.Var("b", BOOL)
            branches = (evaluated, known) if name == "and" else (known, evaluated)
            self.stmts.append(T.If((out,), result, *branches, self.span(node)))
            result = out
        return result

    def _truth(self, value: ast.expr, env: Env) -> T.Atom:
        atom = self.expression(value, env)
        if atom.type != BOOL:
            self.fail("AC018", value, f"`and`/`or` of a {atom.type}", "compare it, such as `n > 0`")
        return atom

    def conditional(
        self, node: ast.AST, test: ast.expr, then: ast.expr, orelse: ast.expr, env: Env
    ) -> T.Atom:
        cond = self.condition(test, env)
        values: list[T.Atom] = []
        regions: list[T.Region] = []
        outer = self.stmts
        for branch in (then, orelse):
            self.stmts = []
            try:
                value = self.expression(branch, env)
                regions.append(T.Region(tuple(self.stmts), T.Yield((value,))))
                values.append(value)
            finally:
                self.stmts = outer
        t = join(values[0].type, values[1].type)
        if t is None:
            self.fail(
                "AC008",
                node,
                f"the branches are {values[0].type} and {values[1].type}",
                "give both branches the same type",
            )
        if not run_time_value(t):
            self.fail(
                "AC008",
                node,
                f"a branch chooses between weights of type {t}",
                "`if` around the operations, each with its own weight",
            )
        out = T.Var("chosen", t)
        self.stmts.append(T.If((out,), cond, regions[0], regions[1], self.span(node)))
        return out


def _symbol(op: ast.AST) -> str:
    symbols = {"Pow": "**", "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LShift": "<<"}
    symbols |= {"RShift": ">>", "Invert": "~", "UAdd": "+", "USub": "-", "In": "in"}
    symbols |= {"NotIn": "not in", "Is": "is", "IsNot": "is not"}
    return symbols.get(type(op).__name__, type(op).__name__)
