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

from .captures import (
    CALLEE,
    LIFTED,
    ONLY_REBINDS,
    READS,
    REBINDS,
    Capture,
    bound_names,
    captured,
    own_nodes,
)
from .constructs.changed_parameters import changes, closure_by, may_change
from .constructs.changed_results import arguments, changed_by, return_too
from .context import FunctionContext
from .function_values import Closure
from .lifted_calls import LiftedCalls, LiftedFunction
from .scope import Env
from .syntax import is_mutation, parameters
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
            end = ast.copy_location(ast.Expr(body) if _has_none(body) else ast.Return(body), body)
            return ast.copy_location(ast.FunctionDef(name, args, [end], [], None), node)
    return None


def _has_none(node: ast.expr) -> bool:
    """Whether `node` is a call of a method that changes a list and returns None."""
    match node:
        case ast.Call(ast.Attribute(ast.Name(), method)) if is_mutation(node):
            return method not in ("pop", "setdefault")
    return False


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
            both.in_place |= one.in_place
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
        functions = {n: self._function(n, ds[0]) for n, ds in self.functions.items()}
        LiftedCalls(self.ctx, functions).visit(self.tree)
        reads = self._reached({n: c.reads for n, c in self.captures.items()})
        rebinds = self._reached({n: c.rebinds for n, c in self.captures.items()})
        in_place = {n for c in self.captures.values() for n in c.in_place}
        for name, definition in pairs:
            setattr(definition, READS, frozenset(reads[name] - self.lifted[name]))
            setattr(definition, REBINDS, frozenset(rebinds[name] & self.lifted[name]))
            only = (rebinds[name] & self.lifted[name]) - in_place
            setattr(definition, ONLY_REBINDS, frozenset(only))
            self._lift(functions[name], definition)

    def _function(self, name: str, definition: ast.FunctionDef) -> LiftedFunction:
        explicit = [p.arg for p in parameters(definition) if p.arg in self.captures[name].given]
        changed = dict.fromkeys([*explicit, *sorted(self.changed[name])])
        return LiftedFunction(definition, tuple(sorted(self.lifted[name])), tuple(changed))

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

    def _lift(self, function: LiftedFunction, definition: ast.FunctionDef) -> None:
        setattr(definition, LIFTED, frozenset(function.lifted))
        for variable in function.lifted:
            definition.args.kwonlyargs.append(placed(ast.arg(variable), definition))
            definition.args.kw_defaults.append(None)
        without = _WithoutNonlocal(function.lifted)
        definition.body = [without.visit(s) for s in definition.body]
        if function.changed:
            return_too(definition, function.changed)


@dataclass(slots=True)
class _LambdasAsFunctions(ast.NodeTransformer):
    lambdas: dict[int, ast.FunctionDef]

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """`f = lambda x: ...`."""
        return self.lambdas.get(id(node), node)


@dataclass(slots=True)
class _WithoutNonlocal(ast.NodeTransformer):
    names: tuple[str, ...]

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        """`nonlocal n`, where `n` has become a parameter."""
        node.names = [n for n in node.names if n not in self.names]
        return node if node.names else ast.copy_location(ast.Pass(), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """A function inside, which still means a variable of this one."""
        return node
