"""Values of plain classes, `Hypothesis(tokens, score, h)`: immutable records of their fields.
`__init__` is compiled as a function that returns the fields that it sets."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Collection
from typing import Any

from ...ir import typed as T
from ...ir.types import NamedTupleType, TupleType, Type
from ...lang.hints import UnreadableHint, resolve_class_hints
from ..bad_hint import BadHint
from ..context import FunctionContext
from ..function_values import Closure
from ..parameters import NO_DEFAULT, Parameter
from ..plain_classes import open_hint
from ..scope import Env, Recover
from ..source import Source
from ..syntax import makes_items, makes_list
from ..written import copied
from .arguments import argument, given_arguments
from .changed_parameters import is_own
from .closure_calls import call_closure
from .closures import closure_of

# Set on the tree of an `__init__` that returns its fields.
_MAKES_FIELDS = "_acrobat_makes_fields"


def plain_record(ctx: FunctionContext, node: ast.Call, cls: type, env: Env) -> T.Var:
    """`Cell(c, h)` of a dataclass, a NamedTuple or a class with `__init__`."""
    if dataclasses.is_dataclass(cls) or hasattr(cls, "_fields"):
        parameters = _of_fields(ctx, node, cls)
        given = given_arguments(ctx, node, cls.__name__, parameters)
        atoms = [argument(ctx, node, cls.__name__, p, given, env) for p in parameters]
        if None in atoms:
            raise Recover
        parts = tuple(a for a in atoms if a is not None)
        names = tuple(p.name for p in parameters)
        types = tuple(p.type or a.type for p, a in zip(parameters, parts, strict=True))
        fresh = {n for n, t in zip(names, types, strict=True) if _makes(given.get(n), t)}
    else:
        closure, names = initialiser(ctx, node, cls)
        call, result = call_closure(ctx, node, closure, env)
        assert isinstance(result, TupleType)
        fields = ctx.let(call, result, node, cls.__name__)
        types = result.items
        fresh = set(ctx.builder.fresh_fields.get(call.function) or ())
        parts = tuple(
            ctx.let(T.GetItem(fields, i), t, node, n)
            for i, (n, t) in enumerate(zip(names, types, strict=True))
        )
    return new_record(ctx, node, ctx.builder.declarations.record(cls, types, names), parts, fresh)


def new_record(
    ctx: FunctionContext,
    node: ast.AST,
    t: NamedTupleType,
    parts: tuple[T.Atom, ...],
    fresh: Collection[str] = (),
) -> T.Var:
    """A new object with these parts; the fields `fresh` are lists that nothing else refers to."""
    made = ctx.let(T.MakeTuple(parts), t, node, "record")
    ctx.fresh_records[made.number] = frozenset(fresh)
    return made


def _of_fields(ctx: FunctionContext, node: ast.Call, cls: Any) -> list[Parameter]:
    """The parameters of a dataclass or a NamedTuple. If a hint leaves a type
    open, the argument determines it."""
    if hasattr(cls, "__post_init__"):
        ctx.fail(
            "AC012",
            node,
            f"{cls.__name__} has a __post_init__",
            "a function that makes it, and calls the class with all of its fields",
        )
    if hasattr(cls, "_fields"):
        defaults = {n: cls._field_defaults.get(n, NO_DEFAULT) for n in cls._fields}
        words: dict[str, bool] = dict.fromkeys(cls._fields, True)
    else:
        fields = [f for f in dataclasses.fields(cls) if f.init]
        missing = dataclasses.MISSING
        defaults = {
            f.name: f.default_factory
            if f.default_factory is not missing
            else NO_DEFAULT
            if f.default is missing
            else f.default
            for f in fields
        }
        words = {f.name: not f.kw_only for f in fields}
    try:
        hints = resolve_class_hints(cls)
    except UnreadableHint:
        hints = {}  # none of them can be read
    found: list[Parameter] = []
    for name, default in defaults.items():
        hint = hints.get(name)
        wanted = None
        if hint is not None and not open_hint(hint):
            try:
                wanted = ctx.builder.declarations.type_of(hint)
            except BadHint as error:
                ctx.fail("AC004", node.func, f"{cls.__name__}.{name}: {error}", error.hint)
        found.append(Parameter(name, wanted, default, positional=words[name]))
    return found


def fields_of_call(
    ctx: FunctionContext, node: ast.Call, cls: Any
) -> list[tuple[str, Any, ast.expr]]:
    """The fields of a dataclass in the call `Config(stack=[])`, with their hints (None for one that
    cannot be read) and the expressions of their values."""
    known = {p.name: p for p in _of_fields(ctx, node, cls)}
    given = given_arguments(ctx, node, cls.__name__, list(known.values()))
    try:
        hints = resolve_class_hints(cls)
    except UnreadableHint:
        hints = {}
    return [
        (f.name, hints.get(f.name), given.get(f.name) or _default(ctx, node, cls, f))
        for f in dataclasses.fields(cls)
    ]


def _default(
    ctx: FunctionContext, node: ast.Call, cls: type, field: dataclasses.Field[Any]
) -> ast.expr:
    made = field.default_factory
    if isinstance(made, type):
        return ast.Call(ast.Constant(made), [], [])
    if field.default is None or isinstance(field.default, (bool, int, float, str)):
        return ast.Constant(field.default)
    ctx.fail(
        "AC016",
        node,
        f"{cls.__name__} lacks {field.name}, whose default is none that a model can make",
        f"`{cls.__name__}(..., {field.name}=...)`",
    )


def initialiser(ctx: FunctionContext, node: ast.Call, cls: Any) -> tuple[Closure, tuple[str, ...]]:
    """`__init__` as a function that returns the fields that it sets, and their names."""
    closure = closure_of(ctx, cls.__init__)
    if closure is None:
        ctx.fail(
            "AC028",
            node,
            f"the source of {cls.__name__}.__init__ is not available",
            "a plain `def` in a file or a notebook cell",
        )
    key = ("__init__", cls)
    known = ctx.builder.dispatchers.get(key)
    if known is None:
        tree = _without_self(ctx, node, copied(closure.tree), cls)
        source = closure.source
        made = Source(tree, source.file, source.line, source.lines)
        known = ctx.builder.dispatchers.setdefault(key, (tree, made))
    tree, source = known
    last = tree.body[-1]
    assert isinstance(last, ast.Return) and isinstance(last.value, ast.Tuple)
    names = tuple(e.id.removeprefix("self.") for e in last.value.elts if isinstance(e, ast.Name))
    return Closure(tree, source, closure.model, {}), names


class _Fields(ast.NodeTransformer):
    """Turns `self.x` into a local name, and collects the names of the fields."""

    def __init__(self, own: str) -> None:
        self.own, self.names = own, dict[str, None]()
        self.other: ast.AST | None = None

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if not isinstance(node.value, ast.Name) or node.value.id != self.own:
            return self.generic_visit(node)
        if isinstance(node.ctx, ast.Store):
            self.names[node.attr] = None
        elif node.attr not in self.names:  # a method, or an attribute of the class
            self.other = self.other or node
        return ast.copy_location(ast.Name(f"self.{node.attr}", node.ctx), node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == self.own:
            self.other = self.other or node
        return node


def note_fresh_fields(ctx: FunctionContext, returned: ast.expr, atom: T.Atom, env: Env) -> None:
    """Note which fields of a returned record are lists that nothing else refers to. An `__init__`
    returns its fields one by one."""
    known, name = ctx.builder.fresh_fields, ctx.signature.name
    if getattr(ctx.source.tree, _MAKES_FIELDS, False) and isinstance(returned, ast.Tuple):
        fields = [e.id for e in returned.elts if isinstance(e, ast.Name)]
        known[name] = frozenset(f.removeprefix("self.") for f in fields if is_own(f, env))
    elif isinstance(atom.type, NamedTupleType):
        found = fresh_fields(ctx, returned, atom)
        before = known.get(name, found)
        known[name] = None if found is None or before is None else before & found


def fresh_fields(ctx: FunctionContext, node: ast.expr, atom: T.Atom) -> frozenset[str] | None:
    """The fields of a record that are lists that nothing else refers to; None if something else
    may refer to the record itself. `node` is the expression of the record."""
    if not isinstance(atom, T.Var) or isinstance(node, ast.Name):
        return None
    for stmt in reversed(ctx.stmts):
        match stmt:
            case T.Let((out,), T.Call(function)) if out is atom:
                return ctx.builder.fresh_fields.get(function)
    return ctx.fresh_records.get(atom.number)


def _makes(given: ast.expr | None, t: Type) -> bool:
    """Whether an argument makes a list that nothing else refers to; a default factory does."""
    return given is None or (makes_list(given) and makes_items(given, t))


def _without_self(
    ctx: FunctionContext, node: ast.Call, tree: ast.FunctionDef, cls: type
) -> ast.FunctionDef:
    own = tree.args.args.pop(0).arg
    fields = _Fields(own)
    tree.body = [fields.visit(s) for s in tree.body]
    returns = any(isinstance(n, ast.Return) for s in tree.body for n in ast.walk(s))
    if fields.other is not None or returns or not fields.names:
        ctx.fail(
            "AC012",
            node,
            f"{cls.__name__}.__init__ does more than to set fields of {own}",
            f"a function that computes them, and `{cls.__name__}(...)` with all of them",
        )
    elements: list[ast.expr] = [ast.Name(f"self.{n}", ast.Load()) for n in fields.names]
    tree.body.append(ast.Return(ast.Tuple(elements, ast.Load())))
    tree.name, tree.returns = cls.__name__, None
    setattr(tree, _MAKES_FIELDS, True)
    for part in ast.walk(tree.body[-1]):
        ast.copy_location(part, tree.body[-2])
    return tree
