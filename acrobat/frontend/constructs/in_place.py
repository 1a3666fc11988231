"""Arrays that a statement changes in place, `x += y`, `x[i] = 0.0`, `forces[j] -= f`. numpy changes
an array under all of its names; here a name gets a new value.

The two are equivalent if nothing else can refer to the array where the statement runs: the name has
an array that an operation has made, and no other name, list, object or function has got it since
(array_flow.py, constructs/array_uses.py). For a field of an object that changes
(constructs/local_objects.py), this must hold in every function that has the object.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from ...ir import typed as T
from ...ir.types import ListType, RowsType, TensorType, TupleType, Type
from ..array_flow import CALLED, Flow, Step, may_precede
from ..context import FunctionContext
from ..fixed_sizes import size_of
from ..rows import check_length
from ..scope import Env
from ..syntax import named_values
from .array_floats import Floats
from .array_uses import Uses
from .changed_results import changed_by
from .fields_call import FieldsCall
from .new_results import is_method, makes_result, mention

# An attribute of a function's tree: the fields of objects that change, as (class, field), by their
# names in the function.
FIELDS = "_acrobat_fields"


def changes_in_place(ctx: FunctionContext, t: Type) -> bool:
    """Whether `x += y` of a value of type `t` changes an array. What something has computed is one
    of numpy's scalars, if it is of rank 0, and does not change, but for what numpy_scalars.py looks
    for; a weight of rank 0, or a part of an instance, may be an array."""
    assert isinstance(t, TensorType)
    if t.dims or isinstance(t, RowsType):
        return True
    declarations = ctx.builder.declarations
    entry = ctx.builder.signatures.get(id(ctx.builder.entry))
    given: list[Type | None] = [t for _, t in entry.params] if entry is not None else []
    given += [t for p in declarations.params.values() for _, t in p.fields]
    given += [t for d in declarations.datas.values() for _, t in d.fields]
    return any(map(_has_rank_0, given))


def _has_rank_0(t: Type | None) -> bool:
    if isinstance(t, TupleType):
        return any(map(_has_rank_0, t.items))
    if isinstance(t, ListType):
        return _has_rank_0(t.item)
    return isinstance(t, TensorType) and not t.dims


def instead(node: ast.AugAssign) -> str:
    """The statement as an assignment of a new value; `...` for a call that has been rewritten."""
    is_own = all(type(n).__module__ == ast.__name__ for n in ast.walk(node.value))
    value = node.value if is_own else ast.Constant(...)
    return f"`{ast.unparse(node.target)} = {ast.unparse(ast.BinOp(node.target, node.op, value))}`"


def check_in_place(
    ctx: FunctionContext, node: ast.AugAssign, name: str, before: T.Atom, after: T.Atom, env: Env
) -> None:
    """Report an error unless `name += value` is equivalent to binding a new value, `after`."""
    check_alone(ctx, node, is_alone(ctx, name, node, env), before, after, instead(node))


def check_alone(
    ctx: FunctionContext, node: ast.stmt, alone: bool, before: T.Atom, after: T.Atom, text: str
) -> None:
    """The same, of a value that is known to have no other name or not to be `alone`; `text` is what
    to write instead."""
    if not changes_in_place(ctx, before.type):
        if not alone:
            ctx.builder.taken_for_scalars.append((ctx.span(node), text))
    elif not alone:
        ctx.error("AC015", node, "an assignment that changes a tensor in place", text)
    else:
        check_shape(ctx, node, before, after, text)


def check_shape(
    ctx: FunctionContext, node: ast.stmt, before: T.Atom, after: T.Atom, text: str
) -> None:
    """Report an error unless an assignment in place keeps the shape; `text` is what to write
    instead."""
    if size_of(before.type, after.type) is not None:
        return  # it has been made to be of that size, or the instance is at fault
    if before.type != after.type:
        ctx.error(
            "AC010",
            node,
            f"an assignment in place keeps the shape: {before.type} would become {after.type}",
            text,
        )
    elif isinstance(before.type, RowsType):
        # numpy broadcasts the other operand, but not the one that is changed.
        check_length(ctx, node, before, after)


def is_alone(ctx: FunctionContext, name: str, change: ast.AST, env: Env) -> bool:
    """Whether the array that `name` stands for has no other name where `change` runs, as far as
    the syntax tells."""
    field = getattr(ctx.source.tree, FIELDS, {}).get(name)
    if field is not None:
        ctx.builder.changed_in_place.add(field)
        return field not in ctx.builder.shared_fields
    return not _may_be_shared(ctx, name, change, env, items=False)


def has_own_items(ctx: FunctionContext, name: str, change: ast.AST, env: Env) -> bool:
    """Whether the arrays in the list or dict `name` have no other names where `change` runs."""
    if name in getattr(ctx.source.tree, FIELDS, {}):
        return False
    return not _may_be_shared(ctx, name, change, env, items=True)


def _is_given(ctx: FunctionContext, name: str) -> bool:
    """Whether the callers of a function check the array `name`, which it changes for them
    (constructs/out_arrays.py)."""
    tree = ctx.source.tree
    return name in changed_by(tree) and not hasattr(tree, FIELDS)


def _may_be_shared(ctx: FunctionContext, name: str, change: ast.AST, env: Env, items: bool) -> bool:
    uses = own_uses(ctx, env)
    made: list[Step] = []
    others: list[Step] = []
    given = _is_given(ctx, name) and not items
    stored = False
    at = uses.flow.steps.get(id(change))
    for node in uses.flow.names.get(name, ()):
        step = uses.flow.steps[id(node)]
        if given and step is CALLED:
            stored = True
            continue  # the callers have checked it
        found = mention(uses, node, items)
        if found == "made":
            stored = True
            made.append(step)
        elif isinstance(found, ast.For):
            # Its targets stand for parts of the array, which may not change meanwhile.
            if at is None or id(found) in at.loops:
                others.append(step)
        elif found is None:
            others.append(step)
    if at is None or given:
        # What the function does otherwise with what it is given comes before the next call.
        return bool(others) or not stored
    return not stored or any(may_precede(other, at, made) for other in others)


def own_uses(ctx: FunctionContext, env: Env) -> Uses:
    """The uses in the function that is being lowered, whose tree does not change any more."""
    if ctx.flow is None:
        ctx.flow = Flow.of(ctx.source.tree)
    return _uses(ctx, ctx.flow, env)


def _uses(ctx: FunctionContext, flow: Flow, env: Env) -> Uses:
    def static(node: ast.expr) -> object:
        return ctx.static(node, env)

    return Uses(
        flow,
        static,
        is_vector=lambda name: _rank(env, name) == 1,
        is_array=lambda name: _rank(env, name) is not None,
        methods=lambda name: is_method(ctx, name),
        floats=Floats(ctx, flow, static, env),
        makes=lambda function: makes_result(ctx, function),
    )


def has_floats(ctx: FunctionContext, name: str, change: ast.AST, env: Env, items: bool) -> bool:
    """Whether the syntax tells that `name` is an array of floats where `change` runs; `items`: a
    list or dict of such arrays, whatever is put into it."""
    field = getattr(ctx.source.tree, FIELDS, {}).get(name)
    if field is not None:
        ctx.builder.float_fields.add(field)
        return field not in ctx.builder.int_fields and not items
    if _is_given(ctx, name) and not items:
        return True  # the callers have checked it
    uses = own_uses(ctx, env)
    floats = Floats(ctx, uses.flow, uses.static, env)
    if items:
        return all(map(floats, _put_in(uses.flow, name)))
    mentions = uses.flow.names.get(name, ())
    given = [n for n in mentions if not isinstance(n, ast.Name) or isinstance(n.ctx, ast.Store)]
    given = [n for n in given if not isinstance(uses.flow.parents.get(id(n)), ast.AugAssign)]
    at = uses.flow.steps.get(id(change))
    if at is not None:
        steps = {id(n): uses.flow.steps[id(n)] for n in given}
        made = {k for k in steps if any(named_values(uses.flow.parents.get(k, ctx.source.tree)))}
        given = [
            n for n in given if may_precede(steps[id(n)], at, [steps[k] for k in made - {id(n)}])
        ]
    return bool(given) and all(map(floats.gets, given))


def _put_in(flow: Flow, name: str) -> Iterable[ast.expr]:
    """What is put into a list or a dict."""
    for node in flow.names.get(name, ()):
        parent = flow.parents.get(id(node))
        for _, value in named_values(parent) if isinstance(node, ast.Name) and parent else ():
            match value:
                case ast.List(elements) | ast.Dict(_, elements):
                    yield from elements
                case ast.ListComp(element) | ast.DictComp(_, element):
                    yield element
                case _:
                    yield value
        match parent, flow.parents.get(id(parent)):
            case ast.Attribute(
                attr="append" | "insert" | "extend" | "setdefault"
            ), ast.Call() as whole:
                yield whole.args[-1]
            case ast.Subscript(ctx=ast.Store()), ast.Assign() as whole:
                yield whole.value


def _rank(env: Env, name: str) -> int | None:
    """The rank of a local name that is a tensor; None of anything else."""
    found = env.names.get(name)
    if isinstance(found, T.Var) and isinstance(found.type, TensorType):
        return len(found.type.dims)
    return None


def _has_other_names(ctx: FunctionContext, uses: Uses, name: str) -> bool:
    """Whether an array that the field `name` stands for may have another name, as far as the syntax
    of a function tells."""
    for node in uses.flow.names.get(name, ()):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            match uses.flow.parents[id(node)]:
                case FieldsCall(makes=True, closure=base) if name.startswith("self."):
                    # The `__init__` of a base class, which may set what it gets.
                    if _has_other_names(ctx, _uses(ctx, Flow.of(base.tree), Env()), name):
                        return True
                    continue
        elif isinstance(node, ast.arg):
            continue  # a field is a parameter of methods
        if mention(uses, node, items=False) is None:
            return True
    return False


def _sets_floats(ctx: FunctionContext, uses: Uses, name: str) -> bool:
    """Whether each assignment to the field `name` in a function gives it an array of floats."""
    floats = Floats(ctx, uses.flow, uses.static, Env())
    for node in uses.flow.names.get(name, ()):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            parent = uses.flow.parents[id(node)]
            if not isinstance(parent, FieldsCall) and not floats.gets(node):
                return False
    return True


def note_other_names(
    ctx: FunctionContext,
    tree: ast.FunctionDef,
    fields: Mapping[str, tuple[type, str]],
    at: ast.AST,
) -> None:
    """Record which fields may have another name in a function: if they are tensors, no function may
    change them in place. Errors are reported at `at`."""
    uses = _uses(ctx, Flow.of(tree), Env())
    for name, field in fields.items():
        if _has_other_names(ctx, uses, name):
            note_shared(ctx, {field}, at, f"{tree.name} gives {name} another name")
        if not _sets_floats(ctx, uses, name):
            ctx.builder.int_fields.add(field)
            if field in ctx.builder.float_fields:
                note_shared(ctx, {field}, at, f"{tree.name} may set {name} to an array of ints")


def note_shared(ctx: FunctionContext, fields: set[tuple[type, str]], at: ast.AST, why: str) -> None:
    """Record fields that something else refers to while they may change: if they are tensors, no
    function may change them in place."""
    ctx.builder.shared_fields |= fields
    for cls, attr in fields & ctx.builder.changed_in_place:
        ctx.fail(
            "AC015",
            at,
            f"{why}, and a function changes it in place",
            f"`x.{attr} = x.{attr} + ...` of the {cls.__name__} there",
        )
