"""`match` on data."""

from __future__ import annotations

import ast

from ..ir import typed as T
from ..ir.types import DataRef, UnionType
from .branches import BranchLowerer
from .declarations import suggest
from .scope import POISON, Env, Recover


class MatchLowerer(BranchLowerer):
    """Adds `match`."""

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
        errors = len(self.reporter.errors)
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
                known = self.known(node.subject, case, subject, member, inner)
                branches.append(self.block(case.body, inner, known))
                open_members.remove(member)
        if open_members and len(self.reporter.errors) > errors:
            raise Recover  # a case was wrong: which ones are missing is not known
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

    def known(
        self, node: ast.expr, case: ast.match_case, subject: T.Var, member: str, env: Env
    ) -> tuple[T.Stmt, ...]:
        """Inside the case the subject is known to be a `member`: so are the names that stand for
        it, if the case uses them for more than their fields."""
        names = {case.pattern.name} if isinstance(case.pattern, ast.MatchAs) else set()
        if isinstance(node, ast.Name):
            names.add(node.id)
        names &= _used_whole(case.body)
        if not names or not isinstance(subject.type, UnionType):
            return ()
        out = T.Var(subject.name, DataRef(member))
        self.origins[out.number] = self.origins.get(subject.number, "")
        env.narrowed[out] = env.narrowed[subject]
        env.names.update((n, out) for n in names if n is not None)
        return (T.Let((out,), T.Narrow(subject), self.span(case.pattern)),)

    def members(
        self, pattern: ast.pattern, subject: T.Var, open_members: list[str], env: Env
    ) -> list[str]:
        """The members of the subject's type that `pattern` takes, of those still open."""
        match pattern:
            case ast.MatchAs(ast.pattern() as inner, _):
                return self.members(inner, subject, open_members, env)
            case ast.MatchAs(None, _):
                if not open_members:
                    self.error("AC006", pattern, "this case is never reached", "delete it")
                return list(open_members)
            case ast.MatchClass() | ast.MatchSingleton(None):
                cls: ast.expr = ast.Constant(None)
                found: object = type(None)
                if isinstance(pattern, ast.MatchClass):
                    cls = pattern.cls
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
            pattern = pattern.pattern or pattern
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


def _used_whole(body: list[ast.stmt]) -> set[str | None]:
    """The names that `body` reads other than for a field."""
    nodes = [n for stmt in body for n in ast.walk(stmt)]
    owners = {id(n.value) for n in nodes if isinstance(n, ast.Attribute)}
    loads = [n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    return {n.id for n in loads if id(n) not in owners}
