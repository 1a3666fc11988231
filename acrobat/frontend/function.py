"""Statements of a model function, lowered to regions of the typed IR."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.types import ListType, TensorType, TupleType, is_subtype
from ..lang.model import phase
from .declarations import read_hint
from .loops import LoopLowerer
from .module import ModuleBuilder, Signature, names_assigned
from .scope import POISON, Env, Recover

_INSTEAD = {
    "FunctionDef": ("a local function", "a function of its own, decorated with @ab.model"),
    "ClassDef": ("a local class", "an @ab.data class outside the function"),
    "Try": ("`try`", "a result that says what happened, as an @ab.data union"),
    "With": ("`with`", "plain calls"),
    "Global": ("`global`", "a parameter, and a result"),
    "Nonlocal": ("`nonlocal`", "a parameter, and a result"),
    "Delete": ("`del`", "nothing: variables end with the function"),
    "Assert": ("`assert`", "a check on the instances before they are passed in"),
    "Raise": ("`raise`", "a check on the instances before they are passed in"),
    "Import": ("an import", "an import at the top of the module"),
    "ImportFrom": ("an import", "an import at the top of the module"),
}


class FunctionLowerer(LoopLowerer):
    """Lowers one function. Errors are reported; lowering goes on behind the bad statement."""

    def __init__(self, builder: ModuleBuilder, signature: Signature) -> None:
        super().__init__(builder, signature)
        self.level = 0  # of blocks inside each other; 1 is the function's body

    def lower(self) -> T.Function | None:
        """The function, or None if its signature or body has errors."""
        before = len(self.reporter.errors)
        env = Env()
        params: list[T.Var] = []
        for (name, t), node in zip(
            self.signature.params, _arguments(self.source.tree), strict=True
        ):
            if t is None:
                env.names[name] = POISON
                continue
            var = T.Var(name, t)
            self.origins[var.number] = f"from the hint in line {self.span(node).line}"
            params.append(var)
            env.names[name] = var
        self.locals = names_assigned(self.source.tree.body) | {n for n, _ in self.signature.params}
        region, after = self.block(self.source.tree.body, env)
        result = self.signature.result
        if after is not None and result is not None and len(self.reporter.errors) == before:
            self.error(
                "AC020",
                self.source.tree.body[-1],
                f"{self.source.tree.name} can end without a return",
                f"`return` a {result} on every path",
            )
        if len(self.reporter.errors) > before or result is None:
            return None
        return T.Function(self.signature.name, tuple(params), (result,), region, self.source.head())

    def block(
        self, body: list[ast.stmt], env: Env, before: tuple[T.Stmt, ...] = ()
    ) -> tuple[T.Region, Env | None]:
        stmts: list[T.Stmt] = list(before)
        self.stmts, outer = stmts, self.stmts
        self.level += 1
        end: T.End = T.Yield(())
        after: Env | None = env
        for node in body:
            if after is None:
                self.error("AC001", node, "this statement is never reached", "delete it")
                break
            try:
                finished = self.statement(node, after)
            except Recover:
                for name in names_assigned([node]):
                    after.names[name] = POISON
                if isinstance(node, ast.Return):  # wrong, but it does return
                    end, after = T.Return(()), None
                continue
            finally:
                self.stmts = stmts
            if finished is not None:
                end, after = finished, None
        self.stmts = outer
        self.level -= 1
        return T.Region(tuple(stmts), end), after

    def statement(self, node: ast.stmt, env: Env) -> T.End | None:
        """Lower one statement; what ends the region if nothing behind it is reached."""
        match node:
            case ast.Return(value):
                return self.return_(node, value, env)
            case ast.Assign([ast.Tuple(elements)], ast.Tuple(values)) if len(elements) == len(
                values
            ) and not any(isinstance(e, ast.Starred) for e in (*elements, *values)):
                atoms = [self.expression(v, env) for v in values]
                for target, v, atom in zip(elements, values, atoms, strict=True):
                    self.assign(target, atom, env, makes_list(v))
            case ast.Assign([ast.Name(name)], value) if size := self.named_size(value, env):
                env.names[name] = size
            case ast.Assign(targets, value):
                atom = self.expression(value, env)
                for target in targets:
                    self.assign(target, atom, env, makes_list(value) and len(targets) == 1)
            case ast.AnnAssign(ast.Name() as target, annotation, value, _):
                self.annotated(node, target, annotation, value, env)
            case ast.AugAssign(ast.Name(name), ast.Add(), value) if self.is_list(name, env):
                self.append(node, name, value, None, env)
            case ast.AugAssign(ast.Name(name), op, value):
                left = ast.copy_location(ast.Name(name, ast.Load()), node.target)
                joined = ast.copy_location(ast.BinOp(left, op, value), node)
                result = self.expression(joined, env)
                if isinstance(result.type, TensorType):
                    # numpy would change the array in place, wherever else it is used.
                    self.error(
                        "AC015",
                        node,
                        "an assignment that changes a tensor in place",
                        f"`{ast.unparse(node.target)} = {ast.unparse(joined)}`",
                    )
                self.assign(node.target, result, env)
            case ast.AugAssign(target, _, _) | ast.AnnAssign(target, _, _, _):
                self.mutation(target)
            case ast.If():
                return self.if_(node, env)
            case ast.For():
                self.for_(node, env)
            case ast.While():
                return self.while_(node, env)
            case ast.Break() | ast.Continue():
                return self.leave(node, env)
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), "append"), [item], [])) if (
                self.is_list(name, env)
            ):
                self.append(node, name, None, item, env)
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), method))) if self.is_list(
                name, env
            ):
                self.error(
                    "AC015",
                    node,
                    f"{name}.{method} changes a list",
                    f"`{name}.append(x)`, or a new list: `{name} = {name} + ...`",
                )
            case ast.Expr(ast.Call(func, [], [])) if self.static(func, env) is phase:
                self.phase(node)
            case ast.Match():
                return self.match_(node, env)
            case ast.Pass() | ast.Expr(ast.Constant()):
                pass
            case ast.Expr(value):
                self.error(
                    "AC001",
                    node,
                    "the value of this expression is not used",
                    "assign it or delete it; model functions have no side effects",
                )
            case _:
                what, instead = _INSTEAD.get(
                    type(node).__name__, (f"`{type(node).__name__.lower()}`", "")
                )
                text = what if "not supported" in what else f"{what} is not part of the language"
                self.error("AC001", node, text, instead)
        return None

    def is_list(self, name: str, env: Env) -> bool:
        """Whether a local name stands for a list."""
        value = env.names.get(name)
        return isinstance(value, (T.Var, T.Const)) and isinstance(value.type, ListType)

    def phase(self, node: ast.stmt) -> None:
        """`ab.phase()`."""
        if self.level > 1 or self.signature.model is not self.builder.entry:
            self.fail(
                "AC029",
                node,
                "ab.phase() is a statement at the outermost level of the entry function",
                "a line of its own, outside of `if`, `match` and loops",
            )
        self.stmts.append(T.Let((), T.NextPhase(), self.span(node)))

    def return_(self, node: ast.Return, value: ast.expr | None, env: Env) -> T.Return:
        result = self.signature.result
        if value is None:
            self.error("AC021", node, "return without a value", f"return a {result}")
            raise Recover
        atom = self.expression(value, env)
        if result is not None:
            atom = self.widen(atom, result)
            if not is_subtype(atom.type, result):
                self.error(
                    "AC021",
                    value,
                    f"{self.source.tree.name} returns {atom.type}, but its hint says {result}",
                    "change the value or the hint",
                    self.origin_notes((value, atom)),
                )
                raise Recover
        return T.Return((atom,), self.span(node))

    def assign(self, target: ast.expr, atom: T.Atom, env: Env, made: bool = False) -> None:
        """Bind the names of `target` to `atom`; `made`: a list that has no name yet."""
        match target:
            case ast.Name(name):
                if isinstance(atom, T.Var):
                    self.origins.setdefault(
                        atom.number, f"assigned in line {self.span(target).line}"
                    )
                env.names[name] = atom
                env.owned.discard(name)
                if made and isinstance(atom.type, ListType):
                    env.owned.add(name)
            case ast.Starred():
                self.fail("AC025", target, "`*` in a target", "a name for each part")
            case ast.Tuple(elements) | ast.List(elements):
                if not isinstance(atom.type, TupleType) or not isinstance(atom, T.Var):
                    self.error("AC025", target, f"cannot unpack a {atom.type}", "unpack a tuple")
                    raise Recover
                if len(elements) != len(atom.type.items):
                    self.error(
                        "AC025",
                        target,
                        f"{len(elements)} targets for the {len(atom.type.items)} parts of "
                        f"{atom.type}",
                        f"name {len(atom.type.items)} targets",
                    )
                    raise Recover
                for i, element in enumerate(elements):
                    part = self.let(T.GetItem(atom, i), atom.type.items[i], element, _name(element))
                    self.assign(element, part, env)
            case _:
                self.mutation(target)

    def mutation(self, target: ast.expr) -> None:
        what = "an attribute" if isinstance(target, ast.Attribute) else "an item"
        self.error(
            "AC015",
            target,
            f"assignment to {what}: values cannot be changed",
            "build a new value and give it a name",
        )
        raise Recover

    def annotated(
        self,
        node: ast.AnnAssign,
        target: ast.Name,
        annotation: ast.expr,
        value: ast.expr | None,
        env: Env,
    ) -> None:
        if value is None:
            self.error("AC001", node, "a declaration without a value", "assign a value")
            raise Recover
        declared = read_hint(
            f"the hint of {target.id!r}",
            lambda: self.evaluate_hint(annotation),
            self.builder.declarations,
            self.span(annotation),
        )
        atom = self.expression(value, env)
        if declared is not None:
            atom = self.widen(atom, declared)
        if declared is not None and not is_subtype(atom.type, declared):
            self.error(
                "AC017",
                value,
                f"{target.id} is declared {declared}, but this is {atom.type}",
                "change the value or the hint",
            )
            raise Recover
        if declared is not None:
            self.declared[target.id] = declared
            self.builder.hints.append((self.span(annotation), target.id, declared))
        self.assign(target, atom, env, makes_list(value))


def makes_list(node: ast.expr) -> bool:
    """Whether `node`, if it is a list, is one that nothing else refers to."""
    sliced = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
    return sliced or isinstance(node, (ast.List, ast.ListComp, ast.BinOp))


def _arguments(tree: ast.FunctionDef) -> list[ast.arg]:
    return [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs]


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else "part"
