"""Objects whose fields change, `state.stack.append(x)`, `decoder.score += s`: each field is a local
variable, and methods become functions that take the fields and return those that they change.

    state = State(x)             state.stack, state.n = State.__init__(x)
    state.push(y)        ->      state.stack, state.n = State.push(y, state.stack, state.n)
    return state.n               return state.n

Such an object has one name in the function that makes it. It may be passed to functions. It may
become an item, a field or a result only where its name is read for the last time: later changes
would not be visible under another name.
"""

from __future__ import annotations

import ast
import copy
import enum
from typing import Any, NoReturn

from ...lang.data import runs_post_init
from ..captures import bound_names
from ..context import FunctionContext
from ..function_values import Closure
from ..last_uses import last_uses
from ..plain_classes import made_by_fields
from ..scope import Env
from ..syntax import mark_moved
from ..written import known, placed
from .conditional_statements import as_branches
from .dataclass_fields import fields_of_call
from .evaluated_once import EvaluatedOnce
from .field_changes import Objects, attribute_of, calls_with, fields_of
from .field_functions import changes_fields, function_with_fields, given_objects
from .fields_call import FieldsCall, making
from .in_place import FIELDS, note_other_names, note_shared
from .initialisers import initialiser, initialisers
from .missing_fields import refuse_field
from .object_finding import makes, objects_made
from .object_records import Opened, Renamed, Snapshot
from .object_syntax import (
    Mention,
    before_objects,
    check_read_later,
    is_one_of,
    mentions,
    name_of,
    names_given,
    names_of_parameters,
    with_methods,
)
from .post_init import with_all_fields


def with_local_objects(ctx: FunctionContext, tree: ast.FunctionDef) -> None:
    """Rewrite a function so that the fields of objects that change become local names."""
    made = objects_made(ctx, tree)
    objects = {**made, **given_objects(tree)}
    if objects:
        with_methods(tree, objects)
        rewriter = _Rewriter(ctx, Closure(tree, ctx.source, ctx.signature.model, {}), objects, made)
        tree.body = rewriter.body(tree.body)
        fields = {f"{o}.{f}": (c, f) for o, c in objects.items() for f in fields_of(ctx, c)}
        setattr(tree, FIELDS, fields)
        note_other_names(ctx, tree, fields, tree)


class _Rewriter(EvaluatedOnce, ast.NodeTransformer):
    """Turns the fields of `objects` into names, and their methods into functions of these names.
    `own` are the objects that the function makes."""

    def __init__(
        self, ctx: FunctionContext, closure: Closure, objects: Objects, own: Objects
    ) -> None:
        self.ctx, self.objects, self.own = ctx, objects, own
        super().__init__()
        self.mentions: list[Mention] = []
        self.moved = last_uses(closure.tree, names_given(closure.tree) | set(own))
        self.calls = {
            id(node): (function, passed, source)
            for node, function, passed, source in calls_with(
                ctx, closure, objects, closure.tree.body
            )
        }

    def body(self, stmts: list[ast.stmt]) -> list[ast.stmt]:
        """The statements, rewritten."""
        found: list[ast.stmt] = []
        for stmt in stmts:
            new = self.visit(stmt)
            found += new if isinstance(new, list) else [new]
        return found

    def visit(self, node: ast.AST) -> Any:
        """The rewritten node; a list if a statement becomes several."""
        if not isinstance(node, ast.stmt):
            return super().visit(node)
        branches = as_branches(node)
        if branches is not None and any(map(self._changes, (*branches.body, *branches.orelse))):
            node = branches
        outer, self.mentions = self.mentions, mentions(node, self.objects)
        new = super().visit(node)
        self.mentions = outer
        return new

    # -- objects -------------------------------------------------------------------------------

    def visit_Assign(self, node: ast.Assign | ast.AnnAssign) -> Any:
        match node:
            case ast.Assign([ast.Name(name)], value) if name in self.own:
                return self._made(name, self.own[name], value)
            case ast.AnnAssign(ast.Name(name), value=ast.expr() as value) if name in self.own:
                return self._made(name, self.own[name], value)
        return self.generic_visit(node)

    visit_AnnAssign = visit_Assign  # noqa: N815

    def _made(self, name: str, cls: Any, value: ast.expr) -> Any:
        call = self.visit(value)
        if not makes(self.ctx, value, cls):
            opened = Opened()
            opened.value, opened.cls = call, cls
            names = fields_of(self.ctx, cls)
            opened.fields = [name_of(f"{name}.{f}", ast.Store(), value) for f in names]
            return placed(ast.Expr(ast.copy_location(opened, value)), value)
        if made_by_fields(cls):
            if not runs_post_init(cls):
                return self._fields_set(name, cls, value, call)
            call = with_all_fields(self.ctx, call, cls)
        closure, names = initialiser(self.ctx, call, cls)
        own = {f"self.{f}": (cls, f) for f in names}
        for tree in initialisers(closure.tree):
            note_other_names(self.ctx, tree, own, call)
        targets = [name_of(f"{name}.{f}", ast.Store(), call) for f in names]
        made = making(closure, call, targets, self.moved)
        return placed(ast.Expr(ast.copy_location(made, call)), call)

    def _fields_set(self, name: str, cls: Any, value: ast.expr, call: ast.Call) -> list[ast.stmt]:
        """`Config(stack=[])` of a dataclass."""
        reads = (n.id for n in ast.walk(call) if isinstance(n, ast.Name))
        again = any(read.startswith(f"{name}.") for read in reads)
        made: list[ast.stmt] = []
        renamed = Renamed()
        renamed.sources, renamed.fields = [], []
        for field, hint, its in fields_of_call(self.ctx, call, cls):
            new = f"a new {name}.{field}" if again else f"{name}.{field}"
            target = ast.Name(new, ast.Store())
            if isinstance(its, ast.Name) and id(its) in self.moved:
                mark_moved(its)
            made.append(
                ast.AnnAssign(target, ast.Constant(hint), its, 1)
                if hint is not None
                else ast.Assign([target], its)
            )
            renamed.sources.append(name_of(new, ast.Load(), value))
            renamed.fields.append(name_of(f"{name}.{field}", ast.Store(), value))
        if again:
            made.append(ast.Expr(renamed))
        return [placed(stmt, call) for stmt in made]

    def visit_Return(self, node: ast.Return) -> Any:
        if isinstance(node.value, ast.Tuple):
            before = before_objects(node.value, self.own, self._changes)
            if before:
                return self.body([*before, node])
            node.value.elts = [self._returned(e) for e in node.value.elts]
        elif node.value is not None:
            node.value = self._returned(node.value)
        return self.generic_visit(node)

    def _returned(self, node: ast.expr) -> ast.expr:
        return self._snapshot(node) if isinstance(node, ast.Name) and node.id in self.own else node

    def _snapshot(self, node: ast.Name, is_copy: bool = False) -> Snapshot:
        made = Snapshot()
        made.cls, made.is_copy = self.objects[node.id], is_copy
        fields = fields_of(self.ctx, made.cls)
        made.fields = [name_of(f"{node.id}.{f}", ast.Load(), node) for f in fields]
        return ast.copy_location(made, node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.own and id(node) in self.moved:
            return self._snapshot(node)
        if node.id in self.objects:
            self.ctx.fail(
                "AC030",
                node,
                f"{node.id}, a {self.objects[node.id].__name__} whose fields change, would get "
                "another name here, under which they would change too",
                "its fields one by one, or a class whose methods return new objects",
            )
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        match node.value:
            case ast.Name(name) if name in self.objects:
                return self._field(node, name, self.objects[name])
        return self.generic_visit(node)

    def _field(self, node: ast.Attribute, name: str, cls: type) -> ast.AST:
        found = attribute_of(cls, node.attr)
        if isinstance(node.ctx, ast.Store | ast.Del) and not self.once:
            self._refuse_several(node, f"an assignment to {name}.{node.attr}")
        if node.attr in fields_of(self.ctx, cls):
            return name_of(f"{name}.{node.attr}", node.ctx, node)
        if id(node) in self.calls and isinstance(found, property):
            return self._call(placed(ast.Call(node, [], []), node), *self.calls[id(node)])
        if isinstance(found, (bool, int, float, str, tuple, list, dict, enum.Enum)):
            node.value = placed(known(cls), node.value)
            return node
        refuse_field(self.ctx, node, name, cls)

    # -- parts that are not evaluated exactly once ---------------------------------------------

    def _refuse_several(self, node: ast.expr, what: str) -> NoReturn:
        self.ctx.fail(
            "AC030",
            node,
            f"{what} in a part of an expression that is not computed once, or a function inside",
            "a statement of its own, in an `if` or a `for`",
        )

    def _function(self, node: ast.Lambda | ast.FunctionDef) -> ast.AST:
        """A function inside: parameters hide objects of their names, and what it returns of the
        objects around it would get another name."""
        self.inside(node.args)
        outer, hidden = (self.objects, self.own), names_of_parameters(node.args)
        bound = bound_names(node) if isinstance(node, ast.FunctionDef) else set()
        self.objects = {n: c for n, c in self.objects.items() if n not in hidden}
        self.own = {n: c for n, c in self.own.items() if n in bound - hidden}
        arguments, node.args = node.args, ast.arguments([], [], None, [], [], None, [])
        self.inside(node)
        (self.objects, self.own), node.args = outer, arguments
        return node

    visit_Lambda = visit_FunctionDef = _function  # noqa: N815

    # -- calls ---------------------------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> ast.AST:
        for at in (node, node.func):
            if id(at) in self.calls and self.objects.keys() >= {*self.calls[id(at)][1].values()}:
                return self._call(node, *self.calls[id(at)])
        match node.args:
            case [ast.Name() as one] if is_one_of(one, set(self.objects)):
                if self.ctx.static(node.func, Env()) is copy.deepcopy:
                    return self._snapshot(one, is_copy=True)
        return self.generic_visit(node)

    def _changes(self, node: ast.AST) -> bool:
        """Whether a call in `node` changes fields of an object."""
        for inner in ast.walk(node):
            if id(inner) in self.calls:
                function, passed, source = self.calls[id(inner)]
                given = {p: self.objects[o] for p, o in passed.items()}
                if changes_fields(self.ctx, function, source, given):
                    return True
        return False

    def _call(
        self, node: ast.Call, function: Any, passed: dict[str, str], source: Closure
    ) -> ast.AST:
        inner = {p: self.objects[o] for p, o in passed.items()}
        entry = function_with_fields(self.ctx, function, source, inner)
        objects = set(passed.values())
        if len(objects) < len(passed):
            self.ctx.fail(
                "AC030",
                node,
                f"{source.tree.name} gets {' and '.join(sorted(objects))} under two names",
                "each object once",
            )
        if entry.changed and not self.once:
            self._refuse_several(node, f"{source.tree.name}, which changes fields,")
        check_read_later(self.ctx, node, {passed[p] for p, _ in entry.changed})
        made = FieldsCall()
        made.closure, made.has_value, made.makes = entry.closure, entry.has_value, False
        made.args = [self.visit(a) for a in node.args if not is_one_of(a, objects)]
        made.keywords = [
            ast.keyword(k.arg, self.visit(k.value))
            for k in node.keywords
            if not is_one_of(k.value, objects)
        ]
        made.fields = [
            ast.keyword(f"{p}.{f}", name_of(f"{passed[p]}.{f}", ast.Load(), node))
            for p, cls in inner.items()
            for f in fields_of(self.ctx, cls)
        ]
        made.targets = [name_of(f"{passed[p]}.{f}", ast.Store(), node) for p, f in entry.changed]
        made.beside = frozenset(m.text for m in self.mentions if not m.is_over_before(node))
        made.items = frozenset(m.text for m in self.mentions)
        held = {(inner[p], f) for p, f in entry.changed if f"{passed[p]}.{f}" in made.beside}
        note_shared(self.ctx, held, node, f"the statement reads what {source.tree.name} changes")
        made.moved = frozenset()
        return ast.copy_location(made, node)
