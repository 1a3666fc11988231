"""What lowering of any expression needs: errors, names, and let statements."""

from __future__ import annotations

import ast
from typing import Any, NoReturn

from ..ir import typed as T
from ..ir.dims import Dim
from ..ir.ops import OPS, ShapeError
from ..ir.span import Span
from ..ir.types import BOOL, FLOAT, INT, ListType, Type
from ..lang.hints import UnknownName, function_scope, resolve_hint
from .declarations import suggest
from .module import ModuleBuilder, Signature
from .scope import Conflict, Env, Poison, Recover, Size, Undefined

MISSING = object()


class Lowerer:
    """Lowers into `stmts`, the statement list of the region being built."""

    def __init__(self, builder: ModuleBuilder, signature: Signature) -> None:
        self.builder = builder
        self.signature = signature
        self.source = signature.source
        self.reporter = builder.reporter
        self.scope = function_scope(signature.model.function, signature.model.around())
        self.stmts: list[T.Stmt] = []
        self.locals: set[str] = set()
        # The types of local names that have a hint.
        self.declared: dict[str, Type] = {}
        # Where a variable got its type, for the notes of shape errors.
        self.origins: dict[int, str] = {}

    def expression(self, node: ast.expr, env: Env) -> T.Atom:
        """The value of `node`; raises Recover when it has an error (which is reported)."""
        raise NotImplementedError

    def condition(self, test: ast.expr, env: Env) -> T.Atom:
        """The value of `test`, a bool."""
        raise NotImplementedError

    # -- reporting --------------------------------------------------------------------------

    def span(self, node: ast.AST) -> Span:
        return self.source.span(node)

    def error(
        self, code: str, node: ast.AST, message: str, hint: str = "", notes: tuple[str, ...] = ()
    ) -> None:
        self.reporter.error(code, self.span(node), message, hint, notes)

    def fail(
        self, code: str, node: ast.AST, message: str, hint: str = "", notes: tuple[str, ...] = ()
    ) -> NoReturn:
        self.error(code, node, message, hint, notes)
        raise Recover

    def origin_notes(self, *operands: tuple[ast.AST, T.Atom]) -> tuple[str, ...]:
        """One note per operand: its source text, its type, and where that came from."""
        notes = []
        for node, atom in operands:
            origin = self.origins.get(atom.number, "") if isinstance(atom, T.Var) else ""
            notes.append(
                f"`{ast.unparse(node)}` is {atom.type}" + (f", {origin}" if origin else "")
            )
        return tuple(notes)

    # -- helpers ----------------------------------------------------------------------------

    def let(self, rhs: T.Rhs, t: Type, node: ast.AST, name: str = "t") -> T.Var:
        out = T.Var(name, t)
        self.origins[out.number] = f"computed in line {self.span(node).line}"
        self.stmts.append(T.Let((out,), rhs, self.span(node)))
        return out

    def evaluate_hint(self, node: ast.expr) -> Any:
        return resolve_hint(ast.unparse(node), self.scope)

    def peek(self, node: ast.expr, env: Env) -> T.Atom:
        """The value of `node`, which is only looked at: a list stays its name's own."""
        owned = set(env.owned)
        value = self.expression(node, env)
        if isinstance(node, ast.Name):
            env.owned = owned
        return value

    def static(self, node: ast.expr, env: Env) -> Any:
        """The Python object a dotted name stands for outside the function; `MISSING` if it is
        no such name."""
        match node:
            case ast.Name(name) if name not in env.names and name not in self.locals:
                try:
                    return self.scope[name]
                except UnknownName:
                    return MISSING
            case ast.Attribute(value, attr):
                owner = self.static(value, env)
                if owner is MISSING:
                    return MISSING
                return getattr(owner, attr, MISSING)
        return MISSING

    def widen(self, atom: T.Atom, wanted: Type) -> T.Atom:
        """An int constant where a float is wanted becomes one, as in Python."""
        if isinstance(atom, T.Const) and atom.type == INT and wanted == FLOAT:
            return T.Const(float(atom.value), FLOAT)
        return atom

    def name(self, node: ast.Name, name: str, env: Env) -> T.Atom:
        binding = env.names.get(name)
        match binding:
            case T.Var() | T.Const():
                if isinstance(binding.type, ListType):
                    env.owned.discard(name)
                return binding
            case Poison():
                raise Recover
            case Size(dim):
                self.size_as_value(node, dim)
            case Undefined(span):
                self.fail(
                    "AC009",
                    node,
                    f"{name!r} is assigned on some paths only (line {span.line})",
                    f"assign {name} on every path, or before the branch",
                )
            case Conflict(span, first, second):
                self.fail(
                    "AC008",
                    node,
                    f"{name!r} is {first} on one path and {second} on another (line {span.line})",
                    "give both branches the same type, or use two names",
                )
        value = self.static(node, env)
        if isinstance(value, bool):
            return T.Const(value, BOOL)
        if isinstance(value, int):
            if not -(2**63) <= value < 2**63:
                self.fail("AC002", node, f"{name} = {value} does not fit into 64 bits")
            return T.Const(value, INT)
        if isinstance(value, float):
            return T.Const(value, FLOAT)
        if value is MISSING:
            known = [*env.names, *self.locals, *self.scope.frames, *self.scope.module]
            if name in self.locals:
                self.fail("AC009", node, f"{name!r} is used before it is assigned")
            self.fail(
                "AC011",
                node,
                f"the name {name!r} is not defined",
                suggest(name, known) or "define it, or import it at the top of the module",
            )
        self.fail(
            "AC002",
            node,
            f"{name!r} is a {type(value).__name__} of the module, which a model cannot read",
            "pass it in as part of the weights or of the instance",
        )

    def size_as_value(self, node: ast.AST, dim: Dim) -> NoReturn:
        """A size stands where a value is computed with."""
        self.fail(
            "AC002",
            node,
            f"{ast.unparse(node)} is {dim}, a size that only operations can use: `ops.zeros`, "
            f"`ops.reshape`, `ops.one_hot` and slices",
            "an int field of the instance",
        )

    def tensor_op(
        self,
        name: str,
        node: ast.AST,
        operands: list[tuple[ast.AST, T.Atom]],
        attrs: tuple[tuple[str, T.AttrValue], ...] = (),
        hint: str = "",
    ) -> T.Var:
        """One tensor operation, its shape checked by its rule."""
        args = tuple(a for _, a in operands)
        try:
            t = OPS[name].result([a.type for a in args], dict(attrs))
        except ShapeError as error:
            blamed = [operands[i] for i in error.blame if i < len(operands)]
            self.fail("AC010", node, str(error), hint, self.origin_notes(*blamed))
        return self.let(T.Op(name, args, attrs), t, node, name)
