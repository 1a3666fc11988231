"""Local functions that change variables of the function around them, as functions with parameters
(lambda lifting): one for each such variable that they, or functions that they call, mention.

    def visit(node):                             def visit(node, *, out):
        out.append(f(node))                          out.append(f(node))
        for k in node.kids:            ->            for k in node.kids:
            visit(k)                                     visit(k, out=out)
    visit(tree)                                  visit(tree, out=out)

`constructs/out_parameters` then has the callers go on with what the functions have changed. What no
local function changes stays captured: it is the same wherever the function is called from.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from .captures import CALLEE, READS, REBINDS, Capture, bound_names, captured, own_nodes
from .constructs.changed_parameters import (
    arguments,
    changed_by,
    changes,
    closure_by,
    may_change,
    return_too,
)
from .context import FunctionContext
from .function_values import Closure
from .scope import Env
from .syntax import parameters
from .written import placed

_DONE = "_acrobat_lifted"  # an attribute of functions: their local functions are lifted


def with_lifted_functions(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Give the local functions of `tree` parameters for the variables that one of them changes;
    raises Recover if one is used in a way that does not allow it."""
    if getattr(tree, _DONE, False):
        return
    setattr(tree, _DONE, True)
    found = _Lifting(ctx, tree)
    found.find()
    if any(found.lifted.values()) or any(c.given for c in found.captures.values()):
        found.rewrite()


def _of_lambda(node: ast.AST) -> ast.FunctionDef | None:
    """`f = lambda x: ...` as a function with a `return`."""
    match node:
        case ast.Assign([ast.Name(name)], ast.Lambda(args, body)):
            end = ast.copy_location(ast.Return(body), body)
            return ast.copy_location(ast.FunctionDef(name, args, [end], [], None), node)
    return None


@dataclass(slots=True)
class _Lifting:
    ctx: FunctionContext
    tree: ast.FunctionDef
    functions: dict[str, list[ast.FunctionDef]] = field(default_factory=dict)
    lambdas: dict[int, ast.FunctionDef] = field(default_factory=dict)  # by the assignment's `id`
    captures: dict[str, Capture] = field(default_factory=dict)
    # For each function the variables that become parameters, and those of them that it changes.
    lifted: dict[str, set[str]] = field(default_factory=dict)
    changed: dict[str, set[str]] = field(default_factory=dict)

    # -- finding out ---------------------------------------------------------------------------

    def find(self) -> None:
        """Find the variables that are to become parameters."""
        for node in own_nodes(self.tree.body):
            definition = node if isinstance(node, ast.FunctionDef) else _of_lambda(node)
            if definition is not None:
                self.functions.setdefault(definition.name, []).append(definition)
                self.lambdas[id(node)] = definition
        if not self.functions:
            return
        before: dict[str, Capture] | None = None
        while before != self.captures:
            before = self.captures
            self.captures = {n: self._capture(ds) for n, ds in self.functions.items()}
        own = bound_names(self.tree)
        shared = {n for c in self.captures.values() for n in c.changes} & own
        self.lifted = self._reached({n: c.reads & shared for n, c in self.captures.items()})
        self.changed = self._reached({n: c.changes & shared for n, c in self.captures.items()})

    def _capture(self, definitions: list[ast.FunctionDef]) -> Capture:
        both = Capture()
        for definition in definitions:
            one = captured(definition, self._changes)
            closure = Closure(definition, self.ctx.source, self.ctx.signature.model, {})
            lists = {p.arg for p in parameters(definition) if may_change(closure, p)}
            both.reads |= one.reads
            both.changes |= one.changes
            both.rebinds |= one.rebinds
            both.given |= one.given & lists
        both.reads |= both.changes
        return both

    def _changes(self, call: ast.Call) -> Iterable[str]:
        """The names that a call changes: arguments that its callee changes."""
        callee = getattr(call, CALLEE, None)
        if callee is not None:
            given = dict(arguments(call, callee))
            return [n.id for p in changed_by(callee) if isinstance(n := given.get(p), ast.Name)]
        if isinstance(call.func, ast.Name) and call.func.id in self.functions:
            known = self.captures.get(call.func.id, Capture()).given
            trees = self.functions[call.func.id]
            pairs = [pair for tree in trees for pair in arguments(call, tree)]
            return [n.id for p, n in pairs if p in known and isinstance(n, ast.Name)]
        found = self.ctx.static(call.func, Env())
        closure = closure_by(self.ctx, found)
        own = changes(self.ctx, found, closure)
        if not own or closure is None:
            return ()
        pairs = list(arguments(call, closure.tree))
        return [n.id for p, n in pairs if p in own and isinstance(n, ast.Name)]

    def _reached(self, own: dict[str, set[str]]) -> dict[str, set[str]]:
        """`own`, and for each function what those have that it mentions, to a fixed point."""
        found = {n: set(names) for n, names in own.items()}
        more = True
        while more:
            more = False
            for name, capture in self.captures.items():
                for other in capture.reads & set(found):
                    if not found[other] <= found[name]:
                        found[name] |= found[other]
                        more = True
        return found

    # -- rewriting -----------------------------------------------------------------------------

    def rewrite(self) -> None:
        """Rewrite the definitions and the calls."""
        pairs = [(name, d) for name, definitions in self.functions.items() for d in definitions]
        for name, definition in pairs:
            self._check(name, definition)
        _LambdasAsFunctions(self.lambdas).visit(self.tree)
        _Uses(self).visit(self.tree)
        reads = self._reached({n: c.reads for n, c in self.captures.items()})
        for name, definition in pairs:
            setattr(definition, READS, frozenset(reads[name] - self.lifted[name]))
            self._lift(name, definition)

    def _check(self, name: str, definition: ast.FunctionDef) -> None:
        shadowed = self.lifted[name] & bound_names(definition)
        if shadowed:
            first = min(shadowed)
            self.ctx.fail(
                "AC030",
                definition,
                f"{name} has a variable {first} of its own, and calls a function that changes the "
                f"{first} of {self.tree.name}",
                "two names",
            )

    def _lift(self, name: str, definition: ast.FunctionDef) -> None:
        capture = self.captures[name]
        for variable in sorted(self.lifted[name]):
            definition.args.kwonlyargs.append(placed(ast.arg(variable), definition))
            definition.args.kw_defaults.append(None)
        for i, stmt in enumerate(definition.body):
            if isinstance(stmt, ast.Nonlocal):
                rest = [n for n in stmt.names if n not in self.lifted[name]]
                stmt.names = rest
                if not rest:
                    definition.body[i] = ast.copy_location(ast.Pass(), stmt)
        explicit = [p.arg for p in parameters(definition) if p.arg in capture.given]
        own = tuple(dict.fromkeys([*explicit, *sorted(self.changed[name])]))
        if own:
            setattr(definition, REBINDS, frozenset(capture.rebinds & set(own)))
            return_too(definition, own)

    def refuse(self, node: ast.AST, name: str) -> None:
        """The error for a function that is not called, but used as a value."""
        names = ", ".join(sorted(self.changed[name] | self.captures[name].given))
        self.ctx.fail(
            "AC030",
            node,
            f"{name} changes {names}, and is used here as a value, not called",
            f"a call, `{name}(...)`, in a loop or a comprehension",
        )


@dataclass(slots=True)
class _LambdasAsFunctions(ast.NodeTransformer):
    lambdas: dict[int, ast.FunctionDef]

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """`f = lambda x: ...`."""
        return self.lambdas.get(id(node), node)


class _Uses(ast.NodeTransformer):
    """Passes the variables on where the local functions are called."""

    def __init__(self, lifting: _Lifting) -> None:
        self.lifting = lifting
        self.known = set(lifting.functions)
        self.shared = {n for names in lifting.lifted.values() for n in names}
        self.depth = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """A function, in which other names may hide those of the functions."""
        outer, own = self.known, bound_names(node)
        self.known = outer - own if self.depth else outer
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1
        self.known = outer
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call of a local function gets its variables."""
        mapped = self._mapped(node)
        if mapped is not None:
            return self.visit(mapped)  # type: ignore[no-any-return]
        own = isinstance(node.func, ast.Name) and node.func.id in self.known
        self._check_lambdas(node)
        node.args = [self.visit(a) for a in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        if not own:
            node.func = self.visit(node.func)
            return node
        assert isinstance(node.func, ast.Name)
        return self._call(node, node.func.id)

    def _call(self, node: ast.Call, name: str) -> ast.Call:
        lifting = self.lifting
        for variable in sorted(lifting.lifted[name]):
            value = placed(ast.Name(variable, ast.Load()), node)
            node.keywords.append(placed(ast.keyword(variable, value), node))
        if lifting.changed[name] or lifting.captures[name].given:
            setattr(node, CALLEE, lifting.functions[name][0])
        return node

    def _mapped(self, node: ast.Call) -> ast.ListComp | None:
        """`map(f, xs)` of a local function that changes something, as a comprehension."""
        match node:
            case ast.Call(ast.Name("map"), [ast.Name(name), items], []) if name in self.known:
                if not self.lifting.changed[name]:
                    return None
                item = f"an item in {node.lineno}:{node.col_offset}"  # not a name of a model
                call = ast.Call(ast.Name(name, ast.Load()), [ast.Name(item, ast.Load())], [])
                each = ast.comprehension(ast.Name(item, ast.Store()), items, [], 0)
                return placed(ast.ListComp(call, [each]), node)
        return None

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A function that is passed on: as a lambda, which passes it the variables."""
        name = node.id
        if name not in self.known or not isinstance(node.ctx, ast.Load):
            return node
        if self.lifting.changed[name] or self.lifting.captures[name].given:
            self.lifting.refuse(node, name)
        if not self.lifting.lifted[name]:
            return node
        tree = self.lifting.functions[name][0]
        names = [p.arg for p in parameters(tree)]
        args = ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])
        call = ast.Call(ast.copy_location(ast.Name(name, ast.Load()), node), [], [])
        call.keywords = [ast.keyword(n, ast.Name(n, ast.Load())) for n in names]
        return placed(ast.Lambda(args, self._call(placed(call, node), name)), node)

    def _check_lambdas(self, node: ast.Call) -> None:
        """Lambdas see variables as they are when the function is called that gets them."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in self.known and self.lifting.changed[name]:
            for argument in (*node.args, *(k.value for k in node.keywords)):
                self._check_lambda(argument)

    def _check_lambda(self, node: ast.AST) -> None:
        for inner in ast.walk(node):
            if not isinstance(inner, ast.Lambda):
                continue
            names = {n.id for n in ast.walk(inner) if isinstance(n, ast.Name)} & self.shared
            if names:
                first = min(names)
                self.lifting.ctx.fail(
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
        if any(isinstance(e, ast.Lambda) for e in node.elts):
            self._check_lambda(node)
        return self.generic_visit(node)

    visit_Tuple = visit_List  # noqa: N815  # type: ignore[assignment]
