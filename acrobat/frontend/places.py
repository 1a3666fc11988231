"""Places that a statement changes: a list or dict that this function owns, by its name, `xs`, or
one inside it, `rows[i]`, `d[k]`, `chart[i, j][k]`. Values never change: the name stands for a new
value afterwards."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ..ir import typed as T
from ..ir.subtypes import join
from ..ir.type_queries import run_time_value
from ..ir.types import INT, DictType, IntArrayType, ListType, QueueType, Type
from .context import FunctionContext
from .dict_lists import item_of, known_key, lists_of, made_dict
from .emit import list_op
from .inner_loops import check_inner_loops
from .optional import coerced
from .optional_items import tell
from .presence import not_none
from .scope import COLLECTIONS, ITEMS, Env, Recover
from .syntax import has_effect, makes_items, makes_list, root_name
from .type_differences import difference, one_field


@dataclass(frozen=True, slots=True)
class Place:
    """The list or dict `name`, or one inside it: `values` are those from that of the name to the
    one that changes. `steps` say where each but the last has the next: a list, which is the value
    itself or the list of a dict's values; its index there; and the keys, for a dict."""

    name: str
    values: tuple[T.Atom, ...]
    steps: tuple[tuple[T.Atom, T.Atom, T.Atom | None], ...] = ()

    @property
    def value(self) -> T.Atom:
        """The list or dict that changes."""
        return self.values[-1]

    @property
    def type(self) -> ListType:
        """The type of the list that changes."""
        assert isinstance(self.value.type, ListType)
        return self.value.type


def place(
    ctx: FunctionContext, node: ast.expr, env: Env, instead: str, at: T.Atom | None = None
) -> Place:
    """The list or dict that `node` stands for, which a statement changes; `instead` is the remedy
    if it may not. `at` is the index of the item if only one is replaced."""
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
        check_inner_loops(ctx, node, name, env)
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
    where = _inside(ctx, name, value, node, env)
    if isinstance(where.value.type, IntArrayType):
        text = ast.unparse(node)
        ctx.fail(
            "AC030",
            node,
            f"{text} changes in place, and is an array of ints, of which others may be parts",
            f"`{text} = list({text})` before: a list of its own",
        )
    return where


def _behind(ctx: FunctionContext, name: str, at: T.Atom | None) -> bool:
    """Whether `at` is the current item of the only loop over the list `name`: the loop does not
    read it again."""
    return at is not None and ctx.iterated.count(name) == 1 and ctx.counters.get(name) == at


def _inside(ctx: FunctionContext, name: str, value: T.Var, node: ast.expr, env: Env) -> Place:
    subscripts: list[ast.Subscript] = []
    while isinstance(node, ast.Subscript):
        subscripts.insert(0, node)
        node = node.value
    if subscripts and name + ITEMS not in env.owned:
        ctx.fail(
            "AC030",
            subscripts[-1],
            f"the {_kind(value.type)} in {name} may be known by other names, under which they "
            "would change too",
            _of_its_own(ctx, name, value.type, env),
        )
    values: list[T.Atom] = [value]
    steps: list[tuple[T.Atom, T.Atom, T.Atom | None]] = []
    for subscript in subscripts:
        if has_effect(subscript.slice):
            text = ast.unparse(subscript.slice)
            ctx.fail(
                "AC030",
                subscript.slice,
                f"{text} may change {name}, in which it chooses a place",
                f"`i = {text}` before, and `i` in its place",
            )
        items, at, keys = _step(ctx, subscript, values[-1], env)
        values.append(list_op(ctx, "get", (items, at), item_of(items), subscript))
        steps.append((items, at, keys))
        if not isinstance(item_of(items), COLLECTIONS):
            text = ast.unparse(subscript)
            ctx.fail(
                "AC015",
                subscript,
                f"{text} is a {item_of(items)}, and its value cannot be changed",
                f"a new value: `{text} = ...`"
                if keys is not None
                else "build a new value and give it a name",
            )
    return Place(name, tuple(values), tuple(steps))


def _step(
    ctx: FunctionContext, node: ast.Subscript, value: T.Atom, env: Env
) -> tuple[T.Atom, T.Atom, T.Atom | None]:
    """Where `node`, an item of the list or dict `value`, is."""
    if not isinstance(value.type, DictType):
        return value, index(ctx, node, env), None
    keys, values = lists_of(ctx, value, node)
    if isinstance(value.type, QueueType):
        return values, index(ctx, node, env), keys
    at = known_key(ctx, node, node.slice, keys, ctx.expression(node.slice, env))
    if at is None:
        ctx.nothings += 1
        raise Recover
    return values, at, keys


def _kind(t: Type) -> str:
    inner = item_type(t)
    return "dicts" if isinstance(inner, DictType) else "lists"


def item_type(t: Type) -> Type:
    """The type of a list's items, or of a dict's values."""
    if isinstance(t, DictType):
        t = t.items[1]
    assert isinstance(t, ListType)
    return t.item


def _of_its_own(ctx: FunctionContext, name: str, t: Type, env: Env) -> str:
    """The remedy that gives a list or dict the lists or dicts in it for itself."""
    dicts = _kind(t) == "dicts"
    if name in ctx.defaults:
        copied = f"dict({name}[k])` where something else gets a dict" if dicts else ""
        return f"`{copied or f'[*{name}[k]]` where something else gets a list'} of it"
    if env.is_dict(name):
        copied = f"{{k: {'{**xs}' if dicts else '[*xs]'} for k, xs in {name}.items()}}"
        return f"`{name} = {copied}` before: {_kind(t)} of its own"
    made = "{}" if dicts else "[]"
    return f"{_kind(t)} that are made where {name} is: `{name} = [{made} for _ in range(n)]`"


def index(
    ctx: FunctionContext, node: ast.Subscript, env: Env, found: T.Atom | None = None
) -> T.Atom:
    """The index of an item, an int; `found` is its value, if that is known."""
    if isinstance(node.slice, ast.Slice):
        ctx.fail(
            "AC015",
            node,
            "a part of a list is changed",
            f"a new list: `{ast.unparse(node.value)} = [*{ast.unparse(node.value)}[:a], *new, "
            f"*{ast.unparse(node.value)}[b:]]`",
        )
    at = not_none(ctx, node.slice, found or ctx.expression(node.slice, env), env)
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
    """The list or dict at the place becomes `new`."""
    for (items, at, keys), whole in zip(where.steps[::-1], where.values[-2::-1], strict=True):
        new = list_op(ctx, "set", (items, at, new), ListType(_wider(items, new)), node)
        if keys is not None:
            new = made_dict(ctx, (keys, new), node, where.name, whole.type)
    if isinstance(new.type, DictType):
        env.names[where.name] = new
        return
    assert isinstance(new, T.Var)
    named = T.Var(where.name, new.type)
    if ctx.stmts and isinstance(last := ctx.stmts[-1], T.Let) and last.outs == (new,):
        ctx.stmts[-1] = T.Let((named,), last.rhs, last.span)
        if new.number in ctx.items:
            ctx.items[named.number] = ctx.items[new.number]
        new = named
    env.names[where.name] = new


def _wider(items: T.Atom, new: T.Atom) -> Type:
    both = join(item_of(items), new.type)
    assert both is not None
    return both


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
        tell(ctx, where.name, whole.type, len(where.values) - (t == where.type), value.type)
        ctx.fail(
            "AC017",
            source,
            f"{where.name} is a {whole.type}, the item is a {value.type}"
            + difference(t, value.type),
            one_field(t, value.type) or "items of one type",
        )
    fresh = moved or (makes_list(source) and makes_items(source, value.type))
    item = value.type.item if t == where.type and isinstance(value.type, ListType) else value.type
    if isinstance(item, COLLECTIONS) and not fresh:
        env.owned.discard(where.name + ITEMS)
    return value
