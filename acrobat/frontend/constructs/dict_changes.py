"""Changes of a dict that the function owns: `d[k] = x`, `del d[k]`, methods."""

from __future__ import annotations

import ast

from ...ir import typed as T
from ...ir.subtypes import join
from ...ir.types import DictType, NothingType, QueueType, SetType
from ..context import FunctionContext
from ..dict_lists import (
    Lists,
    empty,
    find_key,
    get_value,
    has_no_keys,
    item_of,
    lists_of,
    made_dict,
    stored,
    value_or,
)
from ..emit import BACK, ONE, ZERO, int_op, length, list_op, make_tuple
from ..optional import coerced
from ..optional_items import tell
from ..places import Place, place, put
from ..registry import Arity, method
from ..scope import COLLECTIONS, ITEMS, KEYS, Env
from ..syntax import has_effect, makes_items, makes_list, root_name
from ..written import placed
from .arguments import temporary


def store(
    ctx: FunctionContext, node: ast.Subscript, source: ast.expr, value: T.Atom, env: Env
) -> None:
    """`d[k] = value`."""
    key = ctx.expression(node.slice, env)
    store_at(ctx, own_dict(ctx, node.value, env), node, source, (key, value), env)


def store_at(
    ctx: FunctionContext,
    where: Place,
    node: ast.Subscript,
    source: ast.expr,
    pair: tuple[T.Atom, T.Atom],
    env: Env,
) -> None:
    """`d[k] = value` for the dict `d` at a place."""
    key, value = pair
    _check_dict(ctx, node, where)
    if not makes_list(source) or not makes_items(source, value.type):
        _shares(where.name, value, env)
    lists = lists_of(ctx, where.value, node)
    value = coerced(ctx, value, item_of(lists[1]), source)
    if join(item_of(lists[1]), value.type) is None and not where.steps:
        assert isinstance(where.value, T.Var)
        tell(ctx, where.name, where.value.type, 1, value.type)
    lists = stored(ctx, node, lists, node.slice, key, value, source)
    _put(ctx, where, lists, node, env)


def _put(ctx: FunctionContext, where: Place, lists: Lists, node: ast.AST, env: Env) -> T.Var:
    made = made_dict(ctx, lists, node, where.name, where.value.type)
    put(ctx, where, made, node, env)
    return made


def remove(ctx: FunctionContext, node: ast.Subscript, env: Env) -> None:
    """`del d[k]`."""
    _removed(ctx, node, node.value, node.slice, env)


@method(DictType, "pop", Arity(1, 2))
def pop(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`d.pop(k)`, `d.pop(k, default)`: the value; afterwards the name stands for a dict without the
    key."""
    assert isinstance(node.func, ast.Attribute)
    owner = node.func.value
    if len(node.args) == 1:
        return _removed(ctx, node, owner, node.args[0], env)
    source, default = node.args
    empty = has_no_keys(lists_of(ctx, receiver, node)[0])
    key = temporary(env, f"({ast.unparse(source)})", ctx.expression(source, env), source)
    if empty:
        return ctx.expression(default, env)
    if not isinstance(default, (ast.Constant, ast.Name, ast.List, ast.Dict)):
        value = ctx.expression(default, env)  # also if the key is there
        default = temporary(env, f"({ast.unparse(default)})", value, default)
    there = ast.Compare(key, [ast.In()], [owner])
    taken = ast.Call(node.func, [key], [])
    return ctx.expression(placed(ast.IfExp(there, taken, default), node), env)


@method(DictType, "setdefault", Arity(2, 2))
def setdefault(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`d.setdefault(k, x)`: the value of the key, which is in the dict afterwards."""
    assert isinstance(node.func, ast.Attribute)
    source, other = node.args
    key, value = ctx.expression(source, env), ctx.expression(other, env)
    where = own_dict(ctx, node.func.value, env)
    _shares(where.name, value, env)
    lists = lists_of(ctx, where.value, node)
    if not has_no_keys(lists[0]):
        at, there = find_key(ctx, source, lists[0], key)
        value = value_or(ctx, node, lists[1], at, there, value)
    lists = stored(ctx, node, lists, source, key, value, other)
    _put(ctx, where, lists, node, env)
    return value


@method(DictType, "clear", Arity(0, 0))
def clear(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`d.clear()`."""
    assert isinstance(node.func, ast.Attribute)
    where = own_dict(ctx, node.func.value, env)
    return _put(ctx, where, empty(ctx, node), node, env)


@method(DictType, "popitem")
def popitem(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`d.popitem()`: the last key and its value, which are removed; `d.popitem(last=False)` of an
    OrderedDict: the first."""
    assert isinstance(node.func, ast.Attribute)
    given = [*node.args, *(k.value for k in node.keywords if k.arg == "last")]
    ends = [g.value for g in given if isinstance(g, ast.Constant)]
    if len(node.args) + len(node.keywords) > 1 or len(ends) != len(node.args) + len(node.keywords):
        call = f"`{ast.unparse(node.func)}()`, `{ast.unparse(node.func)}(last=False)`"
        ctx.fail("AC016", node, "popitem takes one truth value at most, written out", call)
    where = own_dict(ctx, node.func.value, env)
    lists = lists_of(ctx, where.value, node)
    if has_no_keys(lists[0]):
        return ctx.no_item("AC027", node, "an item of an empty dict", "an item in the dict before")
    at: T.Atom = ZERO if ends == [False] else BACK
    found = tuple(list_op(ctx, "get", (x, at), item_of(x), node) for x in lists)
    if at == BACK:
        at = int_op(ctx, "-", (length(ctx, lists[0], node), ONE), node)
    keys, values = (list_op(ctx, "remove", (x, at), x.type, node) for x in lists)
    _put(ctx, where, (keys, values), node, env)
    return make_tuple(ctx, found, node)


@method(DictType, "move_to_end", Arity(1, 1))
def move_to_end(ctx: FunctionContext, node: ast.Call, receiver: T.Atom, env: Env) -> T.Atom:
    """`d.move_to_end(k)` of an OrderedDict."""
    assert isinstance(node.func, ast.Attribute)
    (source,) = node.args
    key = ctx.expression(source, env)
    where = own_dict(ctx, node.func.value, env)
    lists = lists_of(ctx, where.value, node)
    value = get_value(ctx, node, source, lists, key)
    if isinstance(value.type, NothingType):
        return value
    at, _ = find_key(ctx, source, lists[0], key)
    keys, values = (list_op(ctx, "remove", (x, at), x.type, node) for x in lists)
    keys = list_op(ctx, "append", (keys, key), keys.type, node)
    values = list_op(ctx, "append", (values, value), values.type, node)
    _put(ctx, where, (keys, values), node, env)
    return value


def changed_default(
    ctx: FunctionContext, node: ast.Call, first: ast.Call, env: Env
) -> ast.Call | None:
    """Lower `first`, the inner call of `d.setdefault(k, []).append(x)`, and return the call that
    remains, `d[k].append(x)`; None if `first` is another call."""
    place = default_place(ctx, first, env)
    if place is None:
        return None
    assert isinstance(node.func, ast.Attribute)
    func = ast.copy_location(ast.Attribute(place, node.func.attr, ast.Load()), node.func)
    return ast.copy_location(ast.Call(func, node.args, node.keywords), node)


def default_place(ctx: FunctionContext, node: ast.expr, env: Env) -> ast.Subscript | None:
    """Lower `d.setdefault(k, [])`, and return `d[k]`, which exists then; None if `node` is another
    expression. `k` is computed once."""
    match node:
        case ast.Call(ast.Attribute(owner, "setdefault") as func, [key, default], []):
            pass
        case _:
            return None
    inner = default_place(ctx, owner, env)
    owner = owner if inner is None else inner
    name = root_name(owner)
    if name is None or not (env.is_dict(name) or env.is_list(name)):
        return None
    at = key
    if not isinstance(key, ast.Constant):
        name_of_key = f"({ast.unparse(key)})"  # a name that no model can use
        if has_effect(key):  # an equal key may have another value
            name_of_key += f" in {key.lineno}:{key.col_offset}"
        env.names[name_of_key] = ctx.expression(key, env)
        at = ast.copy_location(ast.Name(name_of_key, ast.Load()), key)
    kept = env.owned & {name + ITEMS}
    func = ast.copy_location(ast.Attribute(owner, "setdefault", ast.Load()), func)
    value = ctx.expression(ast.copy_location(ast.Call(func, [at, default], []), node), env)
    if makes_list(default) and makes_items(default, value.type):
        env.owned |= kept
    return ast.copy_location(ast.Subscript(owner, at, ast.Load()), node)


def _shares(name: str, value: T.Atom, env: Env) -> None:
    """Record that the dict `name` gets a value that something else may refer to."""
    if isinstance(value.type, COLLECTIONS):
        env.owned.discard(name + ITEMS)


# The methods that change a dict as a statement.
CHANGES = ("pop", "popitem", "setdefault", "clear", "move_to_end")


def own_dict(ctx: FunctionContext, node: ast.expr, env: Env) -> Place:
    """A dict or set that this function owns, or one inside it; an error for any other."""
    text = ast.unparse(node)
    if isinstance(node, ast.Subscript):
        return place(ctx, node, env, f"`{text} = dict({text})` before: a dict of its own")
    value = env.names.get(node.id) if isinstance(node, ast.Name) else None
    if not isinstance(node, ast.Name) or not isinstance(value, T.Var):
        ctx.fail(
            "AC015",
            node,
            f"{text} is no dict of this function's own: values cannot be changed",
            f"`d = dict({text})`, and `d` from there on",
        )
    kind = "set" if isinstance(value.type, SetType) else "dict"
    kind = "deque" if isinstance(value.type, QueueType) else kind
    if node.id in ctx.apart:
        ctx.fail(
            "AC030",
            node,
            f"{text} changes in a comprehension, whose iterations are independent",
            "a `for` loop",
        )
    if {node.id, node.id + KEYS} & {*ctx.iterated}:
        ctx.fail("AC030", node, f"{text} changes while a loop runs over it", f"another {kind}")
    if node.id not in env.owned:
        ctx.fail(
            "AC030",
            node,
            f"{text} may be known by another name, under which it would change too",
            f"`{text} = {kind}({text})` before: a {kind} of its own",
        )
    return Place(node.id, (value,))


def _removed(
    ctx: FunctionContext, node: ast.expr, owner: ast.expr, source: ast.expr, env: Env
) -> T.Atom:
    """Remove a key from the dict `owner` and return its value."""
    key = ctx.expression(source, env)
    where = own_dict(ctx, owner, env)
    _check_dict(ctx, node, where)
    lists = lists_of(ctx, where.value, node)
    value = get_value(ctx, node, source, lists, key)
    if isinstance(value.type, NothingType):
        return value
    at, _ = find_key(ctx, source, lists[0], key)
    keys, values = (list_op(ctx, "remove", (x, at), x.type, node) for x in lists)
    _put(ctx, where, (keys, values), node, env)
    return value


def _check_dict(ctx: FunctionContext, node: ast.AST, where: Place) -> None:
    if type(where.value.type) is not DictType:
        ctx.fail(
            "AC015",
            node,
            f"a {where.value.type} has no keys that are assigned or deleted",
            f"`{where.name}.add(x)`, `{where.name}.discard(x)`"
            if isinstance(where.value.type, SetType)
            else "a list, whose items may change",
        )
