"""Strings put together: `a + b`, `s * n`, `str(n)`, `repr(n)`, f"{a}_{n:03d}"."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from ...ir import typed as T
from ...ir.types import BOOL, FLOAT, INT, TEXT, MemberType, OptionalType, Type
from ..context import FunctionContext
from ..decisions import is_mask, of_rank_0, read_number
from ..emit import host_op
from ..optional import content, is_there
from ..raw_values import wrapper_of
from ..registry import Arity, expression, function
from ..scope import Env
from ..signatures import ModuleBuilder
from .by_member import all_raw, by_member
from .effects_once import once_each
from .members import of_each_member
from .scalar_members import PLAIN
from .special_methods import first_special, formatted_by_method, text_by_method

_CONVERSIONS: Mapping[int, Callable[[object], str]] = {
    ord("s"): str,
    ord("r"): repr,
    ord("a"): ascii,
}
_NAMES: Mapping[Type, str] = {INT: "int", FLOAT: "float", BOOL: "bool", TEXT: "str"}


def on_strings(ctx: FunctionContext, op: str, a: T.Atom, b: T.Atom, node: ast.AST) -> T.Atom | None:
    """`a + b` of strings, `s * n`, `n * s`; None for anything else."""
    match op, a.type == TEXT, b.type == TEXT:
        case "+", True, True:
            return host_op(ctx, "str.+", (a, b), node)
        case "*", True, False if b.type == INT:
            return host_op(ctx, "str.*", (a, b), node)
        case "*", False, True if a.type == INT:
            return host_op(ctx, "str.*", (b, a), node)
    return None


@function(str, Arity(1, 1))
def str_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`str(n)` of a number, truth value, string or member of an enumeration."""
    return shown(ctx, node.args[0], str, env)


@function(repr, Arity(1, 1))
def repr_(ctx: FunctionContext, node: ast.Call, env: Env) -> T.Atom:
    """`repr(n)`, likewise."""
    return shown(ctx, node.args[0], repr, env)


def shown(ctx: FunctionContext, node: ast.expr, show: Callable[[object], str], env: Env) -> T.Atom:
    """The value of `node` as a string, as `show` makes one."""
    return _shown(ctx, node, ctx.expression(node, env), show)


def _shown(
    ctx: FunctionContext, node: ast.expr, value: T.Atom, show: Callable[[object], str]
) -> T.Atom:
    several = _of_several(ctx, value)
    if several is not None:
        return by_member(ctx, node, several, lambda one: _shown(ctx, node, one, show))
    if isinstance(value.type, OptionalType) and value.type.item in _NAMES:
        return _shown_if_there(ctx, node, value, show)
    if isinstance(value.type, MemberType):
        each = [show(m) for m in value.type.members]
        return of_each_member(ctx, node, value, each, ast.unparse(node))
    text = text_by_method(ctx, node, value, show)
    if text is not None:
        return text
    if getattr(node, PLAIN, None) is not value:
        ctx.builder.shown.append((ctx.span(node), value.type, show))
    if value.type == TEXT and show is str:
        return value
    return host_op(ctx, f"{show.__name__}.{_kind(ctx, node, value)}", (value,), node)


def _shown_if_there(
    ctx: FunctionContext, node: ast.expr, value: T.Atom, show: Callable[[object], str]
) -> T.Var:
    """The text of a value that may be None, "None" if it is."""
    assert isinstance(value, T.Var)
    there, out = is_there(ctx, value, node), ctx.computed("text", TEXT, node)
    with ctx.region() as stmts:
        text = _shown(ctx, node, content(ctx, value, node), show)
    none = T.Region((), T.Yield((ctx.builder.text("None"),)))
    some = T.Region(tuple(stmts), T.Yield((text,)))
    ctx.stmts.append(T.If((out,), there, some, none, ctx.span(node)))
    return out


def _of_several(ctx: FunctionContext, value: T.Atom) -> T.Var | None:
    """The value if it may be an int or a float, or a string: their texts differ."""
    whole = wrapper_of(ctx, value)
    kinds = tuple(type(t) for t in _NAMES)
    return whole if isinstance(whole, T.Var) and all_raw(ctx, whole, *kinds) else None


def check_shown(builder: ModuleBuilder) -> None:
    """An int or a string that may be a member of an enumeration, whose text is not the number's or
    the string's: a program does not know which it is."""
    for span, t, show in builder.shown:
        for cls in sorted(builder.declarations.enumerations, key=lambda c: c.__qualname__):
            values = [(m, m.value) for m in cls if isinstance(m, str if t == TEXT else int)]
            if t in (INT, TEXT) and any(show(m) != show(v) for m, v in values):
                builder.reporter.error(
                    "AC017",
                    span,
                    f"the text of a value that may be a member of {cls.__qualname__}, which has "
                    "another one than its value",
                    "`StrEnum` or `IntEnum`, whose `str()` is the value; no `repr()`",
                )


def _kind(ctx: FunctionContext, node: ast.expr, value: T.Atom) -> str:
    if value.type not in _NAMES:
        ctx.fail(
            "AC017",
            node,
            f"a {value.type} in a string",
            "numbers, truth values, strings, members of enumerations",
        )
    return _NAMES[value.type]


@expression(ast.JoinedStr)
def joined_string(ctx: FunctionContext, node: ast.JoinedStr, env: Env) -> T.Atom:
    """`f"{word}_{n:03d}"`."""
    whole: T.Atom | None = None
    for part in node.values:
        text = ctx.expression(part, env)
        whole = text if whole is None else host_op(ctx, "str.+", (whole, text), node)
    return ctx.builder.text("") if whole is None else whole


@expression(ast.FormattedValue)
def formatted(ctx: FunctionContext, node: ast.FormattedValue, env: Env) -> T.Atom:
    """`{n}`, `{n!r}`, `{n:03d}` in such a string."""
    (source,) = once_each(ctx, [node.value], env)
    show = _CONVERSIONS.get(node.conversion)
    value = ctx.expression(source, env)
    if show is None and first_special(ctx, source, value.type, "__format__") is not None:
        spec = node.format_spec
        form = ctx.builder.text("") if spec is None else ctx.expression(spec, env)
        return formatted_by_method(ctx, source, value, form)
    if show is not None or node.format_spec is None:
        text = _shown(ctx, source, value, show or str)
        if node.format_spec is None:
            return text
        return host_op(ctx, "format.str", (text, ctx.expression(node.format_spec, env)), node)
    if of_rank_0(value) and not is_mask(value):
        # With a format, numpy shows a number as Python does.
        value = read_number(ctx, value, source)
    if isinstance(value.type, MemberType):
        value = _shown(ctx, source, value, str)
    form = ctx.expression(node.format_spec, env)
    several = _of_several(ctx, value)
    if several is not None:
        return by_member(ctx, node, several, lambda one: _formatted(ctx, source, one, form))
    return _formatted(ctx, source, value, form)


def _formatted(ctx: FunctionContext, node: ast.expr, value: T.Atom, form: T.Atom) -> T.Atom:
    kind = _kind(ctx, node, value)
    ctx.builder.shown.append((ctx.span(node), value.type, format))
    return host_op(ctx, f"format.{kind}", (value, form), node)
