"""Arguments of calls: matching them to parameters, defaults, `*` of a tuple."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ...ir import typed as T
from ...ir.subtypes import is_subtype
from ...ir.types import (
    NO_TUPLES,
    DataRef,
    OptionalType,
    RecordType,
    TensorType,
    TupleType,
    Type,
    UnionType,
)
from ..context import FunctionContext
from ..converted import converted
from ..emit import known_items
from ..function_values import FunctionValue
from ..optional import coerced, takes
from ..parameters import NO_DEFAULT, Parameter
from ..pattern_tree import members
from ..presence import not_none, present, without_none
from ..scope import Env, Unsettled
from ..suggestions import suggest
from ..told_sizes import told_by_argument
from ..unsettled import asking, passed_on
from .changed_results import OF_FIELDS, changed_by
from .constants import outside_value

Given = dict[str, ast.expr]


def given_arguments(
    ctx: FunctionContext, node: ast.Call, owner: str, parameters: Sequence[Parameter]
) -> Given:
    """Map parameter names to arguments; parameters with a default may be missing."""
    positional = [p.name for p in parameters if p.positional]
    names = [p.name for p in parameters]
    call = f"{owner}({', '.join(names)})"
    if len(node.args) > len(positional):
        ctx.fail(
            "AC016",
            node,
            f"{owner} takes {len(positional)} arguments, {len(node.args)} are given"
            if len(positional) == len(names)
            else f"{owner} takes {len(positional)} arguments without a name, {len(node.args)} are "
            f"given",
            call if len(positional) == len(names) else f"`{names[len(positional)]}=...`",
        )
    given: Given = dict(zip(positional, node.args, strict=False))
    by_name = [p.name for p in parameters if p.by_name]
    for keyword in node.keywords:
        assert keyword.arg is not None
        if keyword.arg not in by_name:
            ctx.fail(
                "AC016",
                keyword.value,
                f"{owner} has no argument {keyword.arg!r}",
                suggest(keyword.arg, by_name) or call,
            )
        if keyword.arg in given:
            ctx.fail("AC016", keyword.value, f"{keyword.arg!r} is given twice", "it once")
        given[keyword.arg] = keyword.value
    missing = [p.name for p in parameters if p.name not in given and p.default is NO_DEFAULT]
    if missing:
        ctx.fail("AC016", node, f"{owner} lacks {', '.join(missing)}", call)
    return given


def as_evaluated(parameters: Sequence[Parameter], given: Given) -> list[Parameter]:
    """Parameters in the order in which Python evaluates their arguments: as the call has them,
    `f(b=xs.pop(), a=xs.pop())`. Those with a default come last."""
    places = {name: i for i, name in enumerate(given)}
    return sorted(parameters, key=lambda p: places.get(p.name, len(places)))


def arguments(
    ctx: FunctionContext,
    node: ast.Call,
    owner: str,
    parameters: Sequence[Parameter],
    given: Given,
    env: Env,
) -> list[T.Atom | None]:
    """Lower the arguments for parameters; report each of the wrong type, which is None then."""
    found: dict[str, T.Atom | None] = {}
    for p in as_evaluated(parameters, given):
        atom = argument_value(ctx, node, owner, p, given, env)
        found[p.name] = checked_argument(ctx, node, owner, p, given, atom)
    return [found[p.name] for p in parameters]


def argument_value(
    ctx: FunctionContext, node: ast.Call, owner: str, parameter: Parameter, given: Given, env: Env
) -> T.Atom:
    """The value that a call passes for a parameter, or its default."""
    if parameter.name not in given:
        return default_value(ctx, node, owner, parameter)
    return ctx.expression(given[parameter.name], env)


def given_argument(
    ctx: FunctionContext,
    node: ast.Call,
    owner: ast.FunctionDef,
    parameter: Parameter,
    given: Given,
    env: Env,
) -> tuple[T.Atom, Unsettled | None]:
    """The same of a function that takes numbers and tensors, and what it is if it may still be
    a number. Where the function changes the array that it is given, it has to be one; a field
    gets another value."""
    value = given.get(parameter.name)
    changed = parameter.name in changed_by(owner) and not hasattr(owner, OF_FIELDS)
    if value is None or changed:
        return argument_value(ctx, node, owner.name, parameter, given, env), None
    atom, found = asking(ctx, value, lambda: ctx.expression(value, env))
    return atom, None if found is None else passed_on(ctx, value, found)


def checked_argument(
    ctx: FunctionContext,
    node: ast.Call,
    owner: str,
    parameter: Parameter,
    given: Given,
    atom: T.Atom,
) -> T.Atom | None:
    """Convert `atom` to the type of a parameter; report one of the wrong type and return None."""
    wanted = parameter.type
    source = given.get(parameter.name, node)
    if wanted is None:
        return atom
    some = without_none(atom.type)
    if some is not None and not is_subtype(atom.type, wanted) and is_subtype(some, wanted):
        fault = f"TypeError: {owner} takes {wanted} as {parameter.name!r}, this is None"
        atom = present(ctx, source, atom, fault)
    datas = ctx.builder.declarations.datas
    if isinstance(atom.type, OptionalType) and takes(datas, atom.type.item, wanted):
        atom = atom if takes(datas, atom.type, wanted) else not_none(ctx, source, atom)
    atom = coerced(ctx, atom, wanted, source)
    if not is_subtype(atom.type, wanted):
        shapes = isinstance(atom.type, TensorType) and isinstance(wanted, TensorType)
        told = told_by_argument(wanted, atom.type)
        if told is not None and ctx.builder.declarations.by_number:
            raise told
        ctx.error(
            "AC010" if shapes else "AC017",
            source,
            f"{owner} takes {wanted} as {parameter.name!r}, this is {atom.type}",
            _instead_of_base(ctx, parameter.name, atom.type, wanted)
            or _numbers(ctx, parameter.name, atom.type, wanted)
            or (
                f"a default that is a {wanted}"
                if source is node
                else converted(ast.unparse(source), atom.type, wanted, parameter.name)
            ),
            ctx.origin_notes((source, atom)) if source is not node else (),
        )
        return None
    return atom


def _instead_of_base(ctx: FunctionContext, name: str, given: Type, wanted: Type) -> str:
    """The remedy where a parameter's hint names a class and a subclass is given; else empty."""
    datas = ctx.builder.declarations.datas
    takes = [datas[m].cls for m in members(wanted)]
    subclasses = [m for m in members(given) if any(issubclass(datas[m].cls, c) for c in takes)]
    if not subclasses or len(subclasses) < len(members(given)):
        return ""
    both = " | ".join(dict.fromkeys((*members(wanted), *subclasses)))
    return f"`{name}: {both}`: a hint means its class alone, not what inherits from it"


def _numbers(ctx: FunctionContext, name: str, given: Type, wanted: Type) -> str:
    """The remedy where a hint's shape has names that no weight has, and the given shape is all
    numbers; else empty."""
    if not isinstance(given, TensorType) or not isinstance(wanted, TensorType):
        return ""
    fits = len(given.dims) == len(wanted.dims) and all(d.known is not None for d in given.dims)
    if (
        not ctx.builder.sizes
        or not fits
        or all(d.bind(ctx.builder.sizes).known is not None for d in wanted.dims)
    ):
        return ""
    dims = " ".join(map(str, given.dims))
    return f'`Float32[Tensor, "{dims}"]` as the hint of {name!r}: no weight has its names'


def default_value(ctx: FunctionContext, node: ast.AST, owner: str, parameter: Parameter) -> T.Atom:
    """The default of a parameter as a value."""
    value: Any = parameter.default
    if isinstance(value, (T.Var, T.Const)):
        return value
    what = f"the default of {parameter.name!r} of {owner}"
    return outside_value(ctx, node, value() if callable(value) else value, what)


def with_parts(ctx: FunctionContext, node: ast.Call, env: Env) -> ast.Call:
    """Replace each `*` of a tuple in a call by the parts of the tuple, under names in `env` that no
    source can contain."""
    if not any(isinstance(a, ast.Starred) for a in node.args):
        return node
    args: list[ast.expr] = []
    for arg in node.args:
        if not isinstance(arg, ast.Starred):
            args.append(arg)
            continue
        if isinstance(arg.value, (ast.Tuple, ast.List)):
            args += arg.value.elts
            continue
        whole = ctx.peek(arg.value, env)
        text = ast.unparse(arg.value)
        known = known_items(ctx, whole)
        if known is not None:
            args += [temporary(env, f"{text}[{i}]", k, arg) for i, k in enumerate(known)]
            continue
        if (
            not isinstance(whole.type, TupleType)
            or isinstance(whole.type, NO_TUPLES)
            or not isinstance(whole, T.Var)
        ):
            instead = "each argument by itself, or a parameter that is a list"
            if isinstance(whole.type, (RecordType, DataRef, UnionType)):
                instead = f"names for what its `__iter__` gives, `a, b = list({text})`"
            ctx.fail(
                "AC002",
                arg,
                f"`*` of a {whole.type} in a call: how many arguments that is, is not known",
                instead,
            )
        for i, t in enumerate(whole.type.items):
            part = ctx.let(T.GetItem(whole, i), t, arg, "part")
            args.append(temporary(env, f"{text}[{i}]", part, arg))
    return ast.copy_location(ast.Call(node.func, args, node.keywords), node)


def temporary(env: Env, text: str, value: T.Atom | FunctionValue, node: ast.AST) -> ast.Name:
    """Bind a value that has no name in the source to a temporary name; errors call it `text`."""
    # What assignments bind, `x` and the field `c.n`, may have another value before this is read.
    name = f"({text})" if all(map(str.isidentifier, text.split("."))) else text
    while env.names.get(name, value) is not value:
        name += " "  # the same text, evaluated again: `[xs.pop(), xs.pop()]`
    env.names[name] = value
    return ast.copy_location(ast.Name(name, ast.Load()), node)
