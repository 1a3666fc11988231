"""Methods and properties of the author's data types and weights.

They are functions without `@ab.model` whose first argument is the value. If the value may be of
several data types, a generated function matches on the type and calls the method of that type.
"""

from __future__ import annotations

import ast
import types
from typing import Any, cast

from ...ir import typed as T
from ...ir.names import authors
from ...ir.types import MemberType, NamedTupleType, ParamsRef, Type
from ...lang.made_weights import NumberedDict
from ..base_classes import has_fixed_bases
from ..class_methods import interned, of_class
from ..context import FunctionContext
from ..function_values import Closure
from ..pattern_tree import members
from ..scope import Env
from ..source import Source
from ..weight_parts import form_of_type
from .closure_calls import call_closure
from .closures import closure_of, undecorated


def names_method(ctx: FunctionContext, name: str) -> bool:
    """Whether a class of the author's has an attribute of this name that is not a field."""
    classes = {c for cls in ctx.builder.declarations.names for c in cls.__mro__} - {object}
    return any(name in vars(cls) for cls in classes)


def has_method(ctx: FunctionContext, t: Type, name: str) -> bool:
    """Whether every value of type `t` has a method of this name."""
    found = [_attribute(cls, name) for cls in classes_of(ctx, t)]
    if len(found) == 1 and isinstance(found[0], classmethod):
        return True
    return bool(found) and all(isinstance(f, (types.FunctionType, staticmethod)) for f in found)


def has_property(ctx: FunctionContext, t: Type, name: str) -> bool:
    """Whether every value of type `t` has an attribute of this name, which for some is a property.
    False for members of enumerations, whose properties are known at compile time."""
    classes = [] if isinstance(t, MemberType) else classes_of(ctx, t)
    found = [isinstance(_attribute(cls, name), property) for cls in classes]
    fields = [name in getattr(cls, "__dataclass_fields__", ()) for cls in classes]
    return any(found) and all(a or b for a, b in zip(found, fields, strict=True))


def call_method(
    ctx: FunctionContext, node: ast.Call, receiver: T.Atom, name: str, env: Env
) -> T.Var:
    """`x.name(...)`."""
    classes = _heirs_first(classes_of(ctx, receiver.type))
    if len(classes) > 1:
        assert isinstance(receiver, T.Var)
        return _dispatched(ctx, node, receiver, name, _forwarding(ctx, node, classes, name), env)
    found = _attribute(classes[0], name)
    if isinstance(found, (staticmethod, classmethod)):
        closure = _closure(ctx, node, getattr(classes[0], name), None)
        call, result = call_closure(ctx, node, closure, env)
    else:
        closure = _closure(ctx, node, found, receiver.type)
        call, result = call_closure(ctx, node, closure, env, receiver)
    return ctx.let(call, result, node, authors(call.function))


def read_property(ctx: FunctionContext, node: ast.Attribute, receiver: T.Var, env: Env) -> T.Var:
    """`x.name` of a property."""
    classes = _heirs_first(classes_of(ctx, receiver.type))
    call = ast.copy_location(ast.Call(node, [], []), node)
    if len(classes) > 1:
        forwarding = _forwarding(ctx, call, classes, node.attr)
        return _dispatched(ctx, call, receiver, node.attr, forwarding, env)
    closure = _closure(ctx, node, _attribute(classes[0], node.attr).fget, receiver.type)
    built, result = call_closure(ctx, call, closure, env, receiver)
    return ctx.let(built, result, node, node.attr)


def _closure(ctx: FunctionContext, node: ast.AST, function: Any, owner: Type | None) -> Closure:
    bound = interned(ctx.builder, function)
    closure = undecorated(ctx, bound) if of_class(bound) else closure_of(ctx, function, owner)
    for cls in [] if owner is None else classes_of(ctx, owner):
        refuse_other_bases(ctx, node, cls)
    if closure is None:
        ctx.fail(
            "AC028",
            node,
            f"the source of {function.__qualname__} is not available",
            "a plain `def` in a file or a notebook cell",
        )
    return closure


def refuse_other_bases(ctx: FunctionContext, node: ast.AST, cls: type) -> None:
    """Refuse a class in whose methods `super()` depends on the class of the object."""
    if not has_fixed_bases(cls):
        ctx.fail(
            "AC012",
            node,
            f"what `super()` means in methods of {cls.__name__} depends on the class of the object",
            "the base class by its name, `Base.method(self, x)`",
        )


def classes_of(ctx: FunctionContext, t: Type) -> list[type]:
    """The author's classes of which values of type `t` may be."""
    declarations = ctx.builder.declarations
    if isinstance(t, ParamsRef):
        if form_of_type(declarations, t) in (dict, NumberedDict):
            return []  # its methods are those of a dict
        return [declarations.params[t.name].cls]
    if isinstance(t, MemberType):
        return [t.cls]
    if isinstance(t, NamedTupleType):
        return [declarations.records[t.name]] if t.name in declarations.records else []
    return [declarations.datas[m].cls for m in members(t)]


def _heirs_first(classes: list[type]) -> list[type]:
    """Put subclasses before their bases: a case for a class matches its subclasses as well."""
    return sorted(classes, key=lambda cls: -len(cls.__mro__))


def _attribute(cls: type, name: str) -> Any:
    return next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), None)


def _forwarding(
    ctx: FunctionContext, node: ast.Call, classes: list[type], name: str
) -> tuple[ast.FunctionDef, Source]:
    """`def name(self, a, b): match self: case Leaf(): return self.name(a, b) ...`; for a
    property, `return self.name`. Its location is that of the first such call, in the returned
    source."""
    words = [k.arg for k in node.keywords if k.arg is not None]
    key = (name, tuple(classes), len(node.args), *words)
    known = ctx.builder.dispatchers.get(key)
    if known is not None:
        return known
    names = [f"argument {i + 1}" for i in range(len(node.args))]
    value: ast.expr = ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load())
    found = [_attribute(cls, name) for cls in classes]
    if not any(isinstance(f, property) for f in found):
        args: list[ast.expr] = [ast.Name(n, ast.Load()) for n in names]
        keywords = [ast.keyword(w, ast.Name(w, ast.Load())) for w in words]
        value = ast.Call(value, args, keywords)
    cases = [
        ast.match_case(ast.MatchClass(_named(cls), [], [], []), None, [ast.Return(value)])
        for cls in classes
    ]
    match = ast.Match(ast.Name("self", ast.Load()), cases)
    parameters = ast.arguments(
        [], [ast.arg(n) for n in ("self", *names, *words)], None, [], [], None, []
    )
    tree = ast.FunctionDef(name, parameters, [match], [], _returns(ctx, found))
    for inner in ast.walk(tree):
        if tree.returns is None or inner is not tree.returns:
            ast.copy_location(inner, node)
    return ctx.builder.dispatchers.setdefault(key, (tree, ctx.source))


def _named(cls: type) -> ast.expr:
    """A class as a constant in a tree: its author's name for it may mean something else here."""
    return ast.Constant(cast(Any, cls))


def _returns(ctx: FunctionContext, found: list[Any]) -> ast.expr | None:
    """The type hint of the result, if all functions that have one agree."""
    functions = [f.fget if isinstance(f, property) else f for f in found]
    closures = [closure_of(ctx, f) for f in functions if isinstance(f, types.FunctionType)]
    hints = [c.tree.returns for c in closures if c is not None and c.tree.returns is not None]
    return hints[0] if len(set(map(ast.unparse, hints))) == 1 else None


def _dispatched(
    ctx: FunctionContext,
    node: ast.Call,
    receiver: T.Var,
    name: str,
    forwarding: tuple[ast.FunctionDef, Source],
    env: Env,
) -> T.Var:
    found = [_attribute(cls, name) for cls in classes_of(ctx, receiver.type)]
    functions = [f.fget if isinstance(f, property) else f for f in found]
    function = next(f for f in functions if isinstance(f, types.FunctionType))
    model = _closure(ctx, node, function, None).model
    # Its tree is not that of its source, so it counts as a local function: the defaults of the
    # method do not apply to it.
    closure = Closure(*forwarding, model, {}, True, receiver.type)
    call, result = call_closure(ctx, node, closure, env, receiver)
    return ctx.let(call, result, node, authors(call.function))
