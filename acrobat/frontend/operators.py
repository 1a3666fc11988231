"""Operators: arithmetic, comparisons, truth values, conditional expressions."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.types import (
    BOOL,
    FLOAT,
    INT,
    DataRef,
    ListType,
    TensorType,
    UnionType,
    join,
    run_time_value,
)
from .narrowing import NarrowingLowerer, has_none, names_read
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


class OperatorLowerer(NarrowingLowerer):
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
                "`[x for _ in range(n)]`"
                if scalar == "*" and any(isinstance(x.type, ListType) for x in (a, b))
                else "numbers or tensors of the same shape",
                self.origin_notes((left, a), (right, b)),
            )
        t = FLOAT if scalar == "/" or FLOAT in (a.type, b.type) else INT
        return self.let(T.Scalar(scalar, (a, b)), t, node, "n")

    def unary(self, node: ast.AST, op: ast.unaryop, operand: ast.expr, env: Env) -> T.Atom:
        least = isinstance(operand, ast.Constant) and operand.value == 2**63
        if least and isinstance(op, ast.USub):
            return T.Const(-(2**63), INT)  # the one int whose positive does not fit
        a = self.expression(operand, env)
        if isinstance(op, ast.Not):
            if a.type != BOOL:
                self.fail("AC018", operand, f"`not` of a {a.type}", "compare it, such as `n > 0`")
            return self.let(T.Scalar("not", (a,)), BOOL, node, "b")
        if isinstance(op, ast.USub):
            if isinstance(a.type, TensorType):
                return self.tensor_op("neg", node, [(operand, a)])
            if isinstance(a, T.Const) and a.type in (INT, FLOAT) and a.value != -(2**63):
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
        if len(operators) == 1 and isinstance(operators[0], (ast.Is, ast.IsNot)):
            return self.is_none(node, left, operators[0], rights[0], env)
        for op in operators:
            if type(op) not in COMPARE:
                self.fail(
                    "AC002",
                    node,
                    f"`{_symbol(op)}` is not part of the language",
                    "`==`, `<` and the like on numbers; `match` on data",
                )
        first = self.expression(left, env)
        return self._chain(node, left, first, list(zip(operators, rights, strict=True)), env)

    def _chain(
        self,
        node: ast.AST,
        left: ast.expr,
        a: T.Atom,
        rest: list[tuple[ast.cmpop, ast.expr]],
        env: Env,
    ) -> T.Atom:
        """`a < b < c`: b is computed once, c only if a < b holds."""
        (op, right), *more = rest
        b = self.expression(right, env)
        result = self._comparison(node, op, (left, a), (right, b))
        if not more:
            return result
        outer, self.stmts = self.stmts, []
        try:
            others = self._chain(node, right, b, more, env)
            stmts = tuple(self.stmts)
        finally:
            self.stmts = outer
        return self._decided(node, "and", result, [r for _, r in more], stmts, others)

    def _comparison(
        self,
        node: ast.AST,
        op: ast.cmpop,
        left: tuple[ast.expr, T.Atom],
        right: tuple[ast.expr, T.Atom],
    ) -> T.Var:
        for side, atom in (left, right):
            if isinstance(atom.type, TensorType):
                self.fail(
                    "AC018",
                    side,
                    f"a comparison of a {atom.type}: a decision needs a number",
                    f"`ops.item({ast.unparse(side)})`, or `ops.less` and `ops.where` on tensors",
                )
        a, b = left[1], right[1]
        numbers = (INT, FLOAT)
        same_bool = a.type == b.type == BOOL
        if not same_bool and (a.type not in numbers or b.type not in numbers):
            self.fail("AC027", node, f"a comparison of {a.type} and {b.type}", "compare numbers")
        return self.let(T.Scalar(COMPARE[type(op)], (a, b)), BOOL, node, "b")

    def is_none(
        self, node: ast.AST, left: ast.expr, op: ast.cmpop, right: ast.expr, env: Env
    ) -> T.Atom:
        """`x is None`, `x is not None`."""
        value = self.expression(left, env)
        none = isinstance(right, ast.Constant) and right.value is None
        data = isinstance(value.type, (DataRef, UnionType))
        if none and data and not has_none(value.type):
            if isinstance(left, ast.Name) and has_none(self.declared.get(left.id, value.type)):
                return T.Const(isinstance(op, ast.IsNot), BOOL)
            self.fail(
                "AC002",
                node,
                f"{ast.unparse(left)} is a {value.type}, which is never None",
                f"a hint where it is assigned: `{ast.unparse(left)}: {value.type} | None = ...`"
                if isinstance(left, ast.Name)
                else "delete the test",
            )
        if not none or not data:
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
        (a call, a division, an item of a list), and knows what stands before it."""
        result = self._truth(values[0], env)
        name = "and" if isinstance(op, ast.And) else "or"
        for i, value in enumerate(values[1:], 1):
            outer, self.stmts = self.stmts, []
            inner = env.copy()
            try:
                for before in values[:i]:
                    self.stmts += self.narrow(before, name == "and", inner, names_read(value))
                atom = self._truth(value, inner)
                stmts = tuple(self.stmts)
            finally:
                self.stmts = outer
            env.owned &= inner.owned
            result = self._decided(node, name, result, [value], stmts, atom)
        return result

    def _decided(
        self,
        node: ast.AST,
        name: str,
        known: T.Atom,
        sources: list[ast.expr],
        stmts: tuple[T.Stmt, ...],
        atom: T.Atom,
    ) -> T.Var:
        """`known and atom`, `known or atom`; `stmts` compute `atom`."""
        out = T.Var("b", BOOL)
        self.origins[out.number] = f"computed in line {self.span(node).line}"
        narrowed = any(isinstance(s, T.Let) and isinstance(s.rhs, T.Narrow) for s in stmts)
        if not narrowed and not any(
            isinstance(n, _NOT_ALWAYS) for v in sources for n in ast.walk(v)
        ):
            self.stmts.extend(stmts)
            self.stmts.append(T.Let((out,), T.Scalar(name, (known, atom)), self.span(node)))
            return out
        evaluated = T.Region(stmts, T.Yield((atom,)))
        decided = T.Region((), T.Yield((T.Const(name == "or", BOOL),)))
        branches = (evaluated, decided) if name == "and" else (decided, evaluated)
        self.stmts.append(T.If((out,), known, *branches, self.span(node)))
        return out

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
        for holds, branch in ((True, then), (False, orelse)):
            inner = env.copy()
            self.stmts = []
            try:
                self.stmts += self.narrow(test, holds, inner, names_read(branch))
                value = self.expression(branch, inner)
                regions.append(T.Region(tuple(self.stmts), T.Yield((value,))))
                values.append(value)
            finally:
                self.stmts = outer
            env.owned &= inner.owned
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
