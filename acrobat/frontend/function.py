"""Statements of a model function, lowered to regions of the typed IR."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.types import (
    BOOL,
    DataRef,
    TensorType,
    TupleType,
    Type,
    UnionType,
    is_subtype,
    join,
    run_time_value,
)
from .declarations import read_hint, suggest
from .expression import ExpressionLowerer
from .module import ModuleBuilder, Signature, names_assigned
from .scope import POISON, Binding, Conflict, Env, Poison, Recover, Undefined

_INSTEAD = {
    "For": ("a `for` loop is not supported yet", "recursion over an @ab.data list"),
    "While": ("a `while` loop is not supported yet", "recursion with the state as arguments"),
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


class FunctionLowerer(ExpressionLowerer):
    """Lowers one function. Errors are reported; lowering goes on behind the bad statement."""

    def __init__(self, builder: ModuleBuilder, signature: Signature) -> None:
        super().__init__(builder, signature)

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

    def block(self, body: list[ast.stmt], env: Env) -> tuple[T.Region, Env | None]:
        """The statements as a region that ends in an empty yield, and the bindings behind them;
        None for these if every path has returned."""
        stmts: list[T.Stmt] = []
        self.stmts, outer = stmts, self.stmts
        end: T.Yield | T.Return | T.Unreachable = T.Yield(())
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
        return T.Region(tuple(stmts), end), after

    def statement(self, node: ast.stmt, env: Env) -> T.Return | T.Unreachable | None:
        """Lower one statement; what ends the region if nothing behind it is reached."""
        match node:
            case ast.Return(value):
                return self.return_(node, value, env)
            case ast.Assign(targets, value):
                atom = self.expression(value, env)
                for target in targets:
                    self.assign(target, atom, env)
            case ast.AnnAssign(ast.Name() as target, annotation, value, _):
                self.annotated(node, target, annotation, value, env)
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
            case ast.If(test, then, orelse):
                return self.if_(node, test, then, orelse, env)
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

    def assign(self, target: ast.expr, atom: T.Atom, env: Env) -> None:
        match target:
            case ast.Name(name):
                if isinstance(atom, T.Var):
                    self.origins.setdefault(
                        atom.number, f"assigned in line {self.span(target).line}"
                    )
                env.names[name] = atom
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
        self.assign(target, atom, env)

    def if_(
        self,
        node: ast.If,
        test: ast.expr,
        then: list[ast.stmt],
        orelse: list[ast.stmt],
        env: Env,
    ) -> T.Unreachable | None:
        cond = self.condition(test, env)
        branches = [self.block(then, env.copy()), self.block(orelse, env.copy())]
        outs, regions, ended = self.merge(node, branches, env)
        self.stmts.append(T.If(outs, cond, regions[0], regions[1], self.span(node)))
        return T.Unreachable() if ended else None

    def match_(self, node: ast.Match, env: Env) -> T.Unreachable | None:
        subject = self.expression(node.subject, env)
        if not isinstance(subject, T.Var) or not isinstance(subject.type, (DataRef, UnionType)):
            self.error(
                "AC017",
                node.subject,
                f"match needs a value of an @ab.data type, this is {subject.type}",
                "compare numbers with `if`",
            )
            raise Recover
        open_members = list(
            subject.type.members if isinstance(subject.type, UnionType) else [subject.type.name]
        )
        arms: list[tuple[str, tuple[T.Var, ...]]] = []
        branches: list[tuple[T.Region, Env | None]] = []
        for case in node.cases:
            if case.guard is not None:
                self.error(
                    "AC007", case.guard, "a guard is not supported yet", "`if` inside the case"
                )
            chosen = self.members(case.pattern, subject, open_members, env)
            for member in chosen:
                inner = env.copy()
                binds = self.bind(case.pattern, member, subject, inner)
                arms.append((member, binds))
                branches.append(self.block(case.body, inner))
                open_members.remove(member)
        if open_members:
            missing = ", ".join(open_members)
            self.error(
                "AC005",
                node.subject,
                f"match over {subject.type} does not cover {missing}",
                " and ".join(f"`case {m}(...):`" for m in open_members) + ", or `case _:`",
            )
            raise Recover
        outs, regions, ended = self.merge(node, branches, env)
        built = tuple(T.Arm(m, b, r) for (m, b), r in zip(arms, regions, strict=True))
        # Arms in the order of the tags: the order of the cases has no meaning once names are known.
        built = tuple(sorted(built, key=lambda a: self.builder.declarations.datas[a.data].tag))
        self.stmts.append(T.Match(outs, subject, built, self.span(node)))
        return T.Unreachable() if ended else None

    def members(
        self, pattern: ast.pattern, subject: T.Var, open_members: list[str], env: Env
    ) -> list[str]:
        """The members of the subject's type that `pattern` takes, of those still open."""
        match pattern:
            case ast.MatchAs(None, _):
                if not open_members:
                    self.error("AC006", pattern, "this case is never reached", "delete it")
                return list(open_members)
            case ast.MatchClass(cls, _, _, _):
                found = self.static(cls, env)
                names = self.builder.declarations.names
                name = names.get(found) if isinstance(found, type) else None
                members = (
                    subject.type.members
                    if isinstance(subject.type, UnionType)
                    else (str(subject.type),)
                )
                if name is None or name not in members:
                    self.error(
                        "AC006",
                        pattern,
                        f"{ast.unparse(cls)} is no member of {subject.type}: this case is never "
                        f"reached",
                        suggest(ast.unparse(cls), members) or f"a member of {subject.type}",
                    )
                    return []
                if name not in open_members:
                    self.error(
                        "AC006", pattern, f"{name} is already covered by a case above", "delete it"
                    )
                    return []
                return [name]
            case _:
                self.error(
                    "AC007",
                    pattern,
                    "a case is a class pattern with names, or `_`",
                    "`case Node(left, right):`; match inner values in their own `match`",
                )
                return []

    def bind(
        self, pattern: ast.pattern, member: str, subject: T.Var, env: Env
    ) -> tuple[T.Var, ...]:
        """One variable per field of `member`; the pattern's names bound in `env`."""
        fields = self.builder.declarations.datas[member].fields
        binds = {name: T.Var(name, t) for name, t in fields}
        for var in binds.values():
            self.origins[var.number] = f"a field of {member}"
        env.narrowed[subject] = binds
        if isinstance(pattern, ast.MatchAs) and pattern.name:
            env.names[pattern.name] = subject
        if isinstance(pattern, ast.MatchClass):
            if len(pattern.patterns) > len(fields):
                wants = ", ".join(n for n, _ in fields) or "no fields"
                self.error(
                    "AC016",
                    pattern,
                    f"{member} has {len(fields)} fields, the pattern names {len(pattern.patterns)}",
                    f"`case {member}({wants}):`" if fields else f"`case {member}():`",
                )
            pairs = list(zip([n for n, _ in fields], pattern.patterns, strict=False))
            pairs += list(zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True))
            for name, sub in pairs:
                if name not in binds:
                    self.error(
                        "AC014",
                        sub,
                        f"{member} has no field {name!r}",
                        suggest(name, binds) or f"its fields are {', '.join(binds)}",
                    )
                elif not isinstance(sub, ast.MatchAs) or sub.pattern is not None:
                    self.error(
                        "AC007",
                        sub,
                        "a pattern inside a pattern is not supported yet",
                        "give the field a name and `match` it in the case",
                    )
                    for inner in ast.walk(sub):
                        if isinstance(inner, ast.MatchAs) and inner.name:
                            env.names[inner.name] = POISON
                elif sub.name:
                    env.names[sub.name] = binds[name]
        return tuple(binds.values())

    def merge(
        self, node: ast.stmt, branches: list[tuple[T.Region, Env | None]], env: Env
    ) -> tuple[tuple[T.Var, ...], list[T.Region], bool]:
        """Join what the branches assigned: the variables that come out, the regions that yield
        them, and whether no branch falls through. `env` becomes the bindings behind."""
        falling = [e for _, e in branches if e is not None]
        outs: list[T.Var] = []
        yields: dict[int, list[T.Atom]] = {i: [] for i in range(len(branches))}
        for name in dict.fromkeys(n for e in falling for n in e.names):
            found = [e.names.get(name, Undefined(self.span(node))) for e in falling]
            if all(f == found[0] for f in found):
                env.names[name] = found[0]
                continue
            env.names[name] = self.merged(node, name, found)
            new = env.names[name]
            if isinstance(new, T.Var):
                outs.append(new)
                values = iter(found)
                for i, (_, e) in enumerate(branches):
                    if e is not None:
                        value = next(values)
                        assert isinstance(value, T.Atom)
                        yields[i].append(value)
        regions: list[T.Region] = []
        for i, (region, e) in enumerate(branches):
            end = T.Yield(tuple(yields[i])) if e is not None else region.end
            regions.append(T.Region(region.stmts, end))
        return tuple(outs), regions, not falling

    def merged(self, node: ast.stmt, name: str, found: list[Binding]) -> Binding:
        joined: Type | None = None
        for binding in found:
            if isinstance(binding, (Poison, Undefined, Conflict)):
                return binding
            if joined is None:
                joined = binding.type
                continue
            both = join(joined, binding.type)
            if both is None:
                return Conflict(self.span(node), str(joined), str(binding.type))
            if not run_time_value(both):
                return Conflict(self.span(node), f"one {both}", f"another {both}")
            joined = both
        assert joined is not None
        var = T.Var(name, joined)
        self.origins[var.number] = f"joined behind line {self.span(node).line}"
        return var

    def condition(self, test: ast.expr, env: Env) -> T.Atom:
        cond = self.expression(test, env)
        if cond.type != BOOL:
            tensor = str(cond.type).startswith("Tensor")
            self.error(
                "AC018",
                test,
                f"the condition is a {cond.type}"
                + (": decisions on tensor values are not supported yet" if tensor else ""),
                "decide on a field of the instance" if tensor else "compare it, such as `n > 0`",
            )
            raise Recover
        return cond


def _arguments(tree: ast.FunctionDef) -> list[ast.arg]:
    return [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs]


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else "part"
