"""Places that a statement changes: a list that this function owns, by its name, `xs`, or a list in
such a list, `rows[i]`, or in a dict, `d[k]`. Values never change: the name stands for a new value
afterwards."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ..ir import typed as T
from ..ir.subtypes import join
from ..ir.type_queries import run_time_value
from ..ir.types import INT, ListType, Type
from .context import FunctionContext
from .dict_lists import item_of, known_key, lists_of, made_dict
from .emit import list_op
from .optional import coerced
from .optional_items import tell
from .presence import not_none
from .scope import ITEMS, Env, Recover
from .syntax import known_index, makes_items, makes_list, root_name


@dataclass(frozen=True, slots=True)
class Place:
    """The list `name`, or the list at `indices` in it: `lists` are the lists from that of the name
    to the one that changes. For a dict, the first is that of its values, and `keys` are its
    keys."""

    name: str
    lists: tuple[T.Atom, ...]
    indices: tuple[T.Atom, ...]
    keys: T.Atom | None = None

    @property
    def value(self) -> T.Atom:
        """The list that changes."""
        return self.lists[-1]

    @property
    def type(self) -> ListType:
        """The type of that list."""
        assert isinstance(self.value.type, ListType)
        return self.value.type


def place(
    ctx: FunctionContext, node: ast.expr, env: Env, instead: str, at: T.Atom | None = None
) -> Place:
    """The list that `node` stands for, which a statement changes; `instead` is the remedy if it may
    not. `at` is the index of the item if only one is replaced."""
    name = root_name(node)
    in_dict = isinstance(node, ast.Subscript) and env.is_dict(name or "")
    if name is None or not (in_dict or env.is_list(name)):
        ctx.fail(
            "AC015",
            node,
            f"{ast.unparse(node)} is no list of this function's own: values cannot be changed",
            "build a new value and give it a name",
        )
    if name in ctx.apart:
        ctx.fail(
            "AC030",
            node,
            f"{name} changes in a comprehension, whose iterations are independent",
            "a `for` loop",
        )
    if name in ctx.iterated and not (isinstance(node, ast.Name) and _behind(ctx, name, at)):
        another = "another dict" if in_dict else "another list"
        ctx.fail("AC030", node, f"{name} changes while a loop runs over it", another)
    if isinstance(node, ast.Subscript):
        _check_inner_loops(ctx, node, name)
    value = env.names[name]
    assert isinstance(value, T.Var)
    if name not in env.owned:
        ctx.fail(
            "AC030",
            node,
            f"{name} may be known by another name, under which it would change too",
            f"`{name} = {{k: [*xs] for k, xs in {name}.items()}}` before: a dict of its own"
            if in_dict
            else instead,
        )
    return _inside(ctx, name, value, node, env)


def _behind(ctx: FunctionContext, name: str, at: T.Atom | None) -> bool:
    """Whether `at` is the current item of the only loop over the list `name`: the loop does not
    read it again."""
    return at is not None and ctx.iterated.count(name) == 1 and ctx.counters.get(name) == at


def _check_inner_loops(ctx: FunctionContext, node: ast.Subscript, name: str) -> None:
    """An error if an enclosing loop may run over the list `node`, in the list or dict `name`."""
    at = known_index(node)
    for place in (p for p in ctx.iterated if p.startswith(f"{name}[")):
        other = place.removeprefix(f"{name}[").removesuffix("]")
        if "?" in (at, other) or at == other:
            text = ast.unparse(node)
            ctx.fail(
                "AC030",
                node,
                f"{text} may be the list that a loop around runs over",
                f"a loop over a list of its own: `for x in [*{name}[...]]:`",
            )


def _inside(ctx: FunctionContext, name: str, value: T.Var, node: ast.expr, env: Env) -> Place:
    subscripts: list[ast.Subscript] = []
    while isinstance(node, ast.Subscript):
        subscripts.insert(0, node)
        node = node.value
    if subscripts and name + ITEMS not in env.owned:
        ctx.fail(
            "AC030",
            subscripts[-1],
            f"the lists in {name} may be known by other names, under which they would change too",
            _of_its_own(ctx, name)
            if env.is_dict(name)
            else f"lists that are made where {name} is: `{name} = [[] for _ in range(n)]`",
        )
    lists: list[T.Atom] = [value]
    indices: list[T.Atom] = []
    keys: T.Atom | None = None
    if env.is_dict(name):
        keys, values = lists_of(ctx, value, node)
        first = subscripts.pop(0)
        key = ctx.expression(first.slice, env)
        found = known_key(ctx, first, first.slice, keys, key)
        if found is None:
            ctx.nothings += 1
            raise Recover
        if not isinstance(item_of(values), ListType):
            ctx.fail(
                "AC015",
                first,
                f"{ast.unparse(first)} is a {item_of(values)}, and its value cannot be changed",
                f"a new value: `{ast.unparse(first)} = ...`",
            )
        lists = [values, list_op(ctx, "get", (values, found), item_of(values), first)]
        indices = [found]
    for subscript in subscripts:
        at = index(ctx, subscript, env)
        t = lists[-1].type
        assert isinstance(t, ListType)
        if not isinstance(t.item, ListType):
            ctx.fail(
                "AC015",
                subscript,
                f"{ast.unparse(subscript)} is a {t.item}, and its value cannot be changed",
                "build a new value and give it a name",
            )
        lists.append(list_op(ctx, "get", (lists[-1], at), t.item, subscript))
        indices.append(at)
    return Place(name, tuple(lists), tuple(indices), keys)


def _of_its_own(ctx: FunctionContext, name: str) -> str:
    """The remedy that gives a dict lists of its own."""
    if name in ctx.defaults:
        return f"`[*{name}[k]]` where something else gets a list of it"
    return f"`{name} = {{k: [*xs] for k, xs in {name}.items()}}` before: lists of its own"


def index(ctx: FunctionContext, node: ast.Subscript, env: Env) -> T.Atom:
    """The index of an item, an int."""
    if isinstance(node.slice, ast.Slice):
        ctx.fail(
            "AC015",
            node,
            "a part of a list is changed",
            f"a new list: `{ast.unparse(node.value)} = [*{ast.unparse(node.value)}[:a], *new, "
            f"*{ast.unparse(node.value)}[b:]]`",
        )
    at = not_none(ctx, node.slice, ctx.expression(node.slice, env), env)
    if at.type != INT:
        ctx.fail(
            "AC017",
            node.slice,
            f"an item of a list is chosen by an int, this is {at.type}",
            "an int",
        )
    return at


def change(
    ctx: FunctionContext, where: Place, op: str, args: tuple[T.Atom, ...], node: ast.AST, env: Env
) -> None:
    """The list at the place becomes `op` of itself and `args`."""
    item = where.type.item
    for arg in args:
        if op in ("append", "set") and arg is args[-1]:
            item = join(item, arg.type) or item
        elif isinstance(arg.type, ListType):
            item = join(item, arg.type.item) or item
    put(ctx, where, list_op(ctx, op, (where.value, *args), ListType(item), node), node, env)


def put(ctx: FunctionContext, where: Place, new: T.Atom, node: ast.AST, env: Env) -> None:
    """The list at the place becomes `new`."""
    for outer, at in zip(where.lists[-2::-1], where.indices[::-1], strict=True):
        new = list_op(ctx, "set", (outer, at, new), ListType(new.type), node)
    if where.keys is not None:
        env.names[where.name] = made_dict(ctx, (where.keys, new), node, where.name)
        return
    assert isinstance(new, T.Var)
    named = T.Var(where.name, new.type)
    if ctx.stmts and isinstance(last := ctx.stmts[-1], T.Let) and last.outs == (new,):
        ctx.stmts[-1] = T.Let((named,), last.rhs, last.span)
        if new.number in ctx.items:
            ctx.items[named.number] = ctx.items[new.number]
        new = named
    env.names[where.name] = new


def fitting(
    ctx: FunctionContext,
    where: Place,
    source: ast.expr,
    value: T.Atom,
    t: Type,
    env: Env,
    moved: bool = False,
) -> T.Atom:
    """`value`, an item (or a list of items, if `t` is a list of them) that goes into the list.
    `moved`: it is a list that has no other name any more."""
    if not run_time_value(value.type):
        ctx.fail("AC002", source, f"a list of weights ({value.type})", "a name for each")
    value = coerced(ctx, value, t, source)
    if join(t, value.type) is None:
        whole = env.names[where.name]
        assert isinstance(whole, T.Var)
        tell(ctx, where.name, whole.type, len(where.lists) - (t == where.type), value.type)
        ctx.fail(
            "AC017",
            source,
            f"{where.name} is a {whole.type}, the item is a {value.type}",
            "items of one type",
        )
    fresh = moved or (makes_list(source) and makes_items(source, value.type))
    item = value.type.item if t == where.type and isinstance(value.type, ListType) else value.type
    if isinstance(item, ListType) and not fresh:
        env.owned.discard(where.name + ITEMS)
    return value
