"""Calls of functions that take the fields of objects (constructs/local_objects.py)."""

from __future__ import annotations

import ast
from collections.abc import Collection

from ...ir import typed as T
from ...ir.types import DictType, ListType, TupleType
from ..context import FunctionContext
from ..escaping import may_share
from ..function_values import Closure
from ..places import item_type
from ..registry import expression
from ..scope import COLLECTIONS, ITEMS, KEYS, Env, Recover
from ..syntax import makes_items, makes_list
from .changed_parameters import is_own
from .changed_results import CHANGES
from .closure_calls import call_closure
from .listed_objects import LISTED


class FieldsCall(ast.expr):
    """A call of a function that takes fields of objects as the keywords `fields`, and returns those
    that it changes to `targets`. `has_value`: it also has a result. `makes`: it is an `__init__`,
    which returns a tuple. `moved` are the `id`s of arguments whose names are not read again. The
    enclosing statement also reads the fields `beside`, and items of the fields `items`."""

    _fields = ("args", "keywords", "fields", "targets")
    args: list[ast.expr]
    keywords: list[ast.keyword]
    fields: list[ast.keyword]
    targets: list[ast.Name]
    closure: Closure
    has_value: bool
    makes: bool
    beside: frozenset[str]
    items: frozenset[str]
    moved: frozenset[int]

    @property
    def changed_names(self) -> list[str]:
        """The names that the call changes: the attribute `syntax.CHANGED_NAMES`."""
        return [t.id for t in self.targets]


def making(
    closure: Closure, call: ast.Call, targets: list[ast.Name], moved: Collection[int]
) -> FieldsCall:
    """The call of an `__init__`."""
    made = FieldsCall()
    made.closure, made.targets = closure, targets
    made.args, made.keywords, made.fields = call.args, call.keywords, []
    made.has_value, made.makes = False, True
    made.beside = made.items = frozenset()
    made.moved = frozenset(moved)
    return made


@expression(FieldsCall)
def fields_call(ctx: FunctionContext, node: FieldsCall, env: Env) -> T.Atom:
    """Lower a method's call, and bind the fields that it changes to their new values."""
    if not node.makes:
        for target in node.targets:
            _check_owned(ctx, node, target.id, env)
    before = set(env.owned)
    given = {k.value.id: env.names.get(k.value.id) for k in node.fields}  # type: ignore[attr-defined]
    func = ast.Name(node.closure.tree.name, ast.Load())
    call = ast.Call(func, node.args, [*node.keywords, *node.fields])
    for new in (func, call):
        ast.copy_location(new, node)
    setattr(call, CHANGES, True)
    try:
        built, result = call_closure(ctx, call, node.closure, env)
    except Recover:
        env.owned |= before  # its result type is not known yet
        raise
    parts: list[T.Var] = [ctx.let(built, result, node, node.closure.tree.name)]
    if node.makes or len(node.targets) + node.has_value > 1:
        assert isinstance(result, TupleType)
        parts = [
            ctx.let(T.GetItem(parts[0], i), t, node, "part") for i, t in enumerate(result.items)
        ]
    changed = parts[len(parts) - len(node.targets) :]
    # A list that is returned, or is part of a field, may be one that was passed in.
    kept = [p.type for p in parts if p not in changed or not isinstance(p.type, COLLECTIONS)]
    for name, atom in given.items():
        t = atom.type if isinstance(atom, T.Var) else None
        if isinstance(t, COLLECTIONS) and not any(may_share(ctx, k, t) for k in kept):
            env.owned |= {name, name + ITEMS} & before
    fresh = ctx.builder.fresh_fields.get(built.function) or frozenset()
    for target, part in zip(node.targets, changed, strict=True):
        env.names[target.id] = part
        env.lent.pop(target.id, None)
        if isinstance(part.type, COLLECTIONS):
            own = not any(may_share(ctx, t, part.type) for t in kept)
            if node.makes and target.id.rpartition(".")[2] not in fresh:
                shared = zip(node.targets, parts, strict=True)
                others = (
                    p.type
                    for t, p in shared
                    if p is not part and t.id.rpartition(".")[2] not in fresh
                )
                alone = not any(may_share(ctx, t, part.type) for t in others)
                own = alone and _given_for_good(ctx, node, part.type, before, env)
            both = {target.id, target.id + ITEMS}
            env.owned = env.owned | both if own else env.owned - both
    if node.targets and not node.has_value:
        return ctx.let(T.Construct("None", ()), ctx.builder.declarations.none(), node)
    return parts[0]


def _check_owned(ctx: FunctionContext, node: FieldsCall, name: str, env: Env) -> None:
    value = env.names.get(name)
    if not isinstance(value, T.Var) or not isinstance(value.type, COLLECTIONS):
        return
    nested = isinstance(item_type(value.type), COLLECTIONS)
    if name in node.beside or (nested and name in node.items):
        ctx.fail(
            "AC030",
            node,
            f"{node.closure.tree.name} changes {name}, which the statement reads, too",
            "a statement of its own for the call",
        )
    iterated = {name, name + KEYS} & {*ctx.iterated}
    if is_own(name, env) and not iterated and name not in ctx.apart:
        return
    if LISTED in name:
        item, field = name.partition(LISTED)[0], name.rpartition(".")[2]
        ctx.fail(
            "AC030",
            node,
            f"{node.closure.tree.name} changes or gives away {field}, a list or dict of {item}, "
            "which something else may refer to",
            f"an assignment here, `{item}.{field} = [*{item}.{field}, y]`",
        )
    ctx.fail(
        "AC030",
        node,
        f"{name}, which {node.closure.tree.name} changes, may be known by another name, or a loop "
        "runs over it",
        f"a copy for the other name, `[*{name}]`",
    )


def _given_for_good(
    ctx: FunctionContext, node: FieldsCall, t: ListType | DictType, owned: set[str], env: Env
) -> bool:
    """Whether a call passes no list or dict of type `t` that something else refers to. A default
    that is a list or dict is shared by all calls."""
    function = node.closure.model.function
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    if any(isinstance(d, (list, dict, set)) for d in defaults):
        return False
    for arg in (*node.args, *(k.value for k in node.keywords)):
        if isinstance(arg, ast.Name):
            if id(arg) in node.moved and {arg.id, arg.id + ITEMS} <= owned:
                continue
        elif makes_list(arg) and makes_items(arg, t):
            continue
        with ctx.region():  # lowered only for its type, not computed again
            given = ctx.expression(arg, env.copy())
        if may_share(ctx, given.type, t):
            return False
    return True
