"""Calls of local functions that get variables of the function around them as arguments."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from .captures import CALLEE, bound_names
from .context import FunctionContext
from .syntax import parameters
from .written import placed


@dataclass(frozen=True, slots=True)
class LiftedFunction:
    """A local function: its definition (one of several of that name), the variables that become its
    parameters, and what it changes: some of these, or parameters that it had before."""

    definition: ast.FunctionDef
    lifted: tuple[str, ...]
    changed: tuple[str, ...]


class LiftedCalls(ast.NodeTransformer):
    """Passes the variables on where the local functions `functions` are called."""

    def __init__(self, ctx: FunctionContext, functions: Mapping[str, LiftedFunction]) -> None:
        self.ctx, self.functions = ctx, functions
        self.known = set(functions)
        self.shared = {n for f in functions.values() for n in f.lifted}
        self.depth = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """A function, in which other names may hide those of the functions."""
        self._check_lambda(node.args)
        outer, own = self.known, bound_names(node)
        self.known = outer - own if self.depth else outer
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1
        self.known = outer
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call of a local function gets its variables."""
        own = isinstance(node.func, ast.Name) and node.func.id in self.known
        node.args = [self.visit(a) for a in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        self._check_lambdas(node)
        if not own:
            node.func = self.visit(node.func)
            return node
        assert isinstance(node.func, ast.Name)
        return self._call(node, node.func.id)

    def _call(self, node: ast.Call, name: str) -> ast.Call:
        function = self.functions[name]
        for variable in function.lifted:
            value = placed(ast.Name(variable, ast.Load()), node)
            node.keywords.append(placed(ast.keyword(variable, value), node))
        if function.changed:
            setattr(node, CALLEE, function.definition)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A function that is passed on: as a lambda, which passes it the variables."""
        name = node.id
        if name not in self.known or not isinstance(node.ctx, ast.Load):
            return node
        function = self.functions[name]
        if function.changed:
            self.ctx.fail(
                "AC030",
                node,
                f"{name} changes {', '.join(function.changed)}, and is used here as a value, not "
                "called",
                f"a call, `{name}(...)`, in a loop or a comprehension",
            )
        if not function.lifted:
            return node
        names = [p.arg for p in parameters(function.definition)]
        args = ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])
        call = ast.Call(ast.copy_location(ast.Name(name, ast.Load()), node), [], [])
        call.keywords = [ast.keyword(n, ast.Name(n, ast.Load())) for n in names]
        return placed(ast.Lambda(args, self._call(placed(call, node), name)), node)

    def _check_lambdas(self, node: ast.Call) -> None:
        """Lambdas see variables as they are when the function is called that gets them."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in self.known and self.functions[name].changed:
            for argument in (*node.args, *(k.value for k in node.keywords)):
                self._check_lambda(argument)

    def _check_lambda(self, node: ast.AST) -> None:
        for inner in ast.walk(node):
            if not isinstance(inner, ast.Lambda):
                continue
            names = {n.id for n in ast.walk(inner) if isinstance(n, ast.Name)} & self.shared
            if names:
                first = min(names)
                self.ctx.fail(
                    "AC030",
                    inner,
                    f"a lambda reads {first}, which a local function changes",
                    f"a parameter of the lambda for {first}",
                )

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        """A table of functions must not read what local functions change."""
        self._check_lambda(node)
        return self.generic_visit(node)

    def visit_List(self, node: ast.List) -> ast.AST:
        """A table of functions must not read what local functions change."""
        return self._table(node)

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        """A table of functions must not read what local functions change."""
        return self._table(node)

    def _table(self, node: ast.List | ast.Tuple) -> ast.AST:
        if any(isinstance(e, ast.Lambda) for e in node.elts):
            self._check_lambda(node)
        return self.generic_visit(node)
