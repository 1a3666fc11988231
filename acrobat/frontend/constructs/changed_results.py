"""Functions that return parameters which they change besides their results, as values never change.
`changed_parameters` says which parameters these are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ...ir import typed as T
from ...ir.types import TupleType
from ...lang.hints import Recursive, is_union
from ..context import FunctionContext
from ..optional import coerced
from ..syntax import parameters
from ..written import placed

# An attribute of nodes. Of a function: the names of the parameters that it also returns. Of a call
# of one: that its caller takes them. Of a `return`: whether there is a result besides.
CHANGES = "_acrobat_changes"
# Of a function: that the parameters which it also returns are fields of objects, and its callers
# know that its result may be one of them, too.
OF_FIELDS = "_acrobat_of_fields"
_HINT = "_acrobat_hint"  # of a function: the hint for its result before
_RETURNED = "_acrobat_returned"  # of a function: the changed parameter that is its result


_ARRAYS = "_acrobat_arrays"  # of a call: the names that it changes in place if they are arrays


def mark_arrays(call: ast.Call, names: frozenset[str]) -> None:
    """Note the names that a call changes in place, if they are arrays."""
    setattr(call, _ARRAYS, names)


def changed_arrays(call: ast.Call) -> frozenset[str]:
    """The names that a call changes in place, if they are arrays."""
    found: frozenset[str] = getattr(call, _ARRAYS, frozenset())
    return found


def changed_by(tree: ast.AST) -> tuple[str, ...]:
    """The parameters that a function returns besides its result."""
    found: tuple[str, ...] = getattr(tree, CHANGES, ())
    return found


def takes_changes(call: ast.Call) -> bool:
    """Whether the statement around a call takes the new values of changed parameters."""
    return getattr(call, CHANGES, False)


def check_takes_changes(ctx: FunctionContext, call: ast.Call, tree: ast.FunctionDef) -> None:
    """Report an error if a function changes parameters, and nothing takes their new values."""
    changed = changed_by(tree)
    if not changed or takes_changes(call):
        return
    args = tree.args
    rest = len(args.defaults)
    optional = [p.arg for p in [*args.posonlyargs, *args.args][-rest:]] if rest else []
    optional += [p.arg for p, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d]
    given = {name for name, _ in arguments(call, tree)}
    for name in changed:
        if name in optional and name not in given:
            ctx.fail(
                "AC030",
                call,
                f"{tree.name} changes {name!r}, whose default is one list or dict for all calls",
                f"one that the caller makes, `{name} = ...`, and passes",
            )
    ctx.fail(
        "AC030",
        call,
        f"{tree.name} changes {', '.join(changed)}, and this call is part of more",
        f"a statement of its own, `x = {tree.name}(...)`, whose lists have names and are given "
        "once",
    )


def arguments(call: ast.Call, tree: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """The arguments of a call, each with the name of its parameter."""
    names = [p.arg for p in parameters(tree)]
    yield from zip(names, call.args, strict=False)
    yield from ((k.arg, k.value) for k in call.keywords if k.arg is not None)


def return_too(tree: ast.FunctionDef, names: tuple[str, ...]) -> None:
    """Rewrite a function to also return its parameters `names`."""
    setattr(tree, CHANGES, names)
    setattr(tree, _HINT, tree.returns)
    tree.returns = None
    returned = _returned(tree, names)
    if returned is not None:
        setattr(tree, _RETURNED, returned)
        tree.body = _WithoutValue(tree.name).body(tree.body)
    returns = [n for n in _own(tree.body) if isinstance(n, ast.Return)]
    values = [_value(n) for n in returns]
    some = any(v is not None for v in values)
    for node, value in zip(returns, values, strict=True):
        none = ast.Constant(None) if some else None
        node.value = placed(_with(none if value is None else value, names), node)
        setattr(node, CHANGES, some)
    if not returns or not any(isinstance(s, ast.Return) for s in tree.body[-1:]):
        last = tree.body[-1]
        if not any(had_value(n) for n in returns):
            tree.body.append(placed(ast.Return(_with(None, names)), last))


def with_hint(ctx: FunctionContext, node: ast.Return, value: T.Atom) -> T.Atom:
    """What such a function returns, the result converted to the union that its hint names: other
    paths may return other members."""
    hint, t = getattr(ctx.source.tree, _HINT, None), value.type
    if hint is None or not had_value(node) or not isinstance(t, TupleType):
        return value
    try:
        meant = ctx.hint(hint)
        if not is_union(meant) and not isinstance(meant, Recursive):
            return value
        wanted = ctx.builder.declarations.type_of(meant)
    except Exception:  # whatever the author's expression raises: the hint is not needed
        return value
    assert node.value is not None
    return coerced(ctx, value, TupleType((wanted, *t.items[1:])), node.value)


def returned_parameter(tree: ast.FunctionDef) -> str | None:
    """The changed parameter that is the result of a function."""
    return getattr(tree, _RETURNED, None)


def is_returned(tree: ast.FunctionDef, names: tuple[str, ...]) -> bool:
    """Whether a function returns one of its parameters `names`, always the same one."""
    return _returned(tree, names) is not None


def _returned(tree: ast.FunctionDef, names: tuple[str, ...]) -> str | None:
    """The one of `names` that every `return` gives, by its name or as the result of a call of the
    function itself that gets it."""
    found: set[str] = set()
    calls: list[ast.Call] = []
    for node in _own(tree.body):
        match node:
            case ast.Return(ast.Name(name)) if name in names:
                found.add(name)
            case ast.Return(ast.Call(ast.Name(called)) as call) if called == tree.name:
                calls.append(call)
            case ast.Return():
                return None
    if len(found) != 1 or not _always_returns(tree.body):
        return None
    (only,) = found
    given = [dict(arguments(call, tree)).get(only) for call in calls]
    return only if all(isinstance(g, ast.Name) and g.id == only for g in given) else None


def _always_returns(body: list[ast.stmt]) -> bool:
    match body[-1:]:
        case [ast.Return() | ast.Raise()]:
            return True
        case [ast.If(_, then, orelse)]:
            return _always_returns(then) and _always_returns(orelse)
    return False


@dataclass(slots=True)
class _WithoutValue(ast.NodeTransformer):
    """`return xs` as `return`, `return f(xs)` as `f(xs)` and `return`, for the function `name`."""

    name: str

    def body(self, stmts: list[ast.stmt]) -> list[ast.stmt]:
        """The statements of a function."""
        new = [self.visit(s) for s in stmts]
        return [s for n in new for s in (n if isinstance(n, list) else [n])]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """A function inside this one: as it is."""
        return node

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        """A `return` without its value."""
        called = node.value if isinstance(node.value, ast.Call) else None
        node.value = None
        return [node] if called is None else [placed(ast.Expr(called), node), node]


def _value(node: ast.Return) -> ast.expr | None:
    empty = isinstance(node.value, ast.Constant) and node.value.value is None
    return None if empty else node.value


def had_value(node: ast.Return) -> bool:
    """Whether the function has a result besides what it changes."""
    return bool(getattr(node, CHANGES, False))


def _with(value: ast.expr | None, names: tuple[str, ...]) -> ast.expr:
    items: list[ast.expr] = [] if value is None else [value]
    items += [ast.Name(n, ast.Load()) for n in names]
    return items[0] if len(items) == 1 else ast.Tuple(items, ast.Load())


def has_result(tree: ast.FunctionDef) -> bool:
    """Whether a function that returns changed parameters has a result besides."""
    returns = [n for n in _own(tree.body) if isinstance(n, ast.Return)]
    return any(map(had_value, returns))


def _own(body: list[ast.stmt]) -> Iterator[ast.AST]:
    work: list[ast.AST] = list(body)
    while work:
        node = work.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            work += ast.iter_child_nodes(node)
